"""Inbound postbacks before their decision, each once (docs/spec/engine.md#exactly-once).

The projector adds a postback in the transaction that stores the checkpoint of its range; the worker removes it in the
transaction of the decision. On PostgreSQL several workers do so at once: each transaction leases some hashes of offers,
and takes postbacks of these offers alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from sqlalchemy import ARRAY, ColumnElement, Connection, Integer, bindparam, delete, select, text, update

from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.dialect import AdvisoryLock, begin_lease, is_postgresql
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import inbox

READY: Final = "ready"
WAITING: Final = "waiting"
"""Its click is not loaded yet."""
UNMATCHED: Final = "no_click"
"""Ready, and no click has its id: decided behind ready postbacks with a click."""
QUARANTINED: Final = "aside"
"""It cannot be decided: a person must look at it."""

LANES: Final = (READY, UNMATCHED)
"""States of postbacks to decide, in the order in which they are taken."""

OFFER_HASHES: Final = 32
"""How many hashes of offers there are: the id of an offer modulo this. Postbacks without a click have the hash 0."""
LEASED_HASHES: Final = 8
"""How many hashes one transaction leases at most, so that four workers find postbacks at once."""
LEASE_MS: Final = 5_000
"""A worker that is silent for so long loses its transaction and its leases; one that is killed loses them at once."""

_NEW: Final = BulkInsert(
    inbox, ("journal", "position", "call", "click", "click_id", "state", "logged", "received_at", "offer_hash")
)
_OLDEST: Final = (
    select(inbox.c.id).where(inbox.c.state == bindparam("lane")).order_by(inbox.c.id).limit(bindparam("most"))
)
_READ: Final = tuple(inbox.c[name] for name in ("id", "journal", "position", "call", "click", "logged"))
_WAITING: Final = tuple(inbox.c[name] for name in ("id", "journal", "position", "call", "click_id", "received_at"))
_TAKE: Final = delete(inbox).where(inbox.c.id.in_(_OLDEST)).returning(*_READ)
_QUARANTINE: Final = (
    update(inbox)
    .where(inbox.c.id == bindparam("key"), inbox.c.state.in_(LANES))
    .values(state=QUARANTINED)
    .returning(*_READ)
)
_LEASE: Final = text(  # the hash with the oldest postback first; the materialized part keeps locks off the others
    """
    WITH queues AS MATERIALIZED (
        SELECT hash, oldest FROM generate_series(0, :hashes - 1) AS hash
        CROSS JOIN LATERAL (
            SELECT min(id) AS oldest FROM inbox WHERE state = :lane AND offer_hash = hash
        ) AS first
        WHERE oldest IS NOT NULL ORDER BY oldest
    )
    SELECT hash FROM queues WHERE pg_try_advisory_xact_lock(:key, hash) LIMIT :most
    """
).bindparams(hashes=OFFER_HASHES, most=LEASED_HASHES)
_OLDEST_OF_HASHES: Final = text(
    """
    SELECT first.id FROM unnest(:leased) AS hash CROSS JOIN LATERAL (
        SELECT id FROM inbox WHERE state = :lane AND offer_hash = hash ORDER BY id LIMIT :most
    ) AS first ORDER BY first.id LIMIT :most
    """
).bindparams(bindparam("leased", type_=ARRAY(Integer)))
_LEASE_KEYS: Final = dict(zip(LANES, (AdvisoryLock.INBOX.value, AdvisoryLock.INBOX_UNMATCHED.value), strict=True))
_TAKE_LEASED: Final = delete(inbox).where(inbox.c.id.in_(_OLDEST_OF_HASHES.columns(inbox.c.id))).returning(*_READ)


@dataclass(frozen=True, slots=True)
class NewInboxEntry:
    """A postback to be added.

    position: byte offset of its frame.
    call, click: payloads of the records of postback and click; click None and not waiting = the click does not exist.
    received_at: the time of its record, UTC milliseconds; of a waiting one, the start of its wait.
    offer_id: the click's offer; 0 = no click.
    """

    position: int
    call: bytes
    click: bytes | None
    click_id: str
    received_at: int
    waiting: bool = False
    offer_id: int = 0


@dataclass(frozen=True, slots=True)
class WaitingPostback:
    """A postback with a click that is not known yet."""

    id: int
    journal: str
    position: int
    call: bytes
    click_id: str
    received_at: int


@dataclass(frozen=True, slots=True)
class UndecidedPostback:
    """A postback without a decision. state: READY, UNMATCHED, WAITING or QUARANTINED."""

    state: str
    call: bytes


@dataclass(frozen=True, slots=True)
class ReadyPostback:
    """A postback to decide. click: the payload of the click's record, None = there is none."""

    id: int
    journal: str
    position: int
    call: bytes
    click: bytes | None
    logged: bool


def add_entries(conn: Connection, journal: str, calls: Sequence[NewInboxEntry]) -> None:
    """Add the postbacks of one range of a journal."""
    _NEW.add(
        conn,
        [
            [
                *(journal, call.position, call.call, call.click, call.click_id[:24]),
                *(WAITING if call.waiting else _lane_of(call.click), False, call.received_at),
                call.offer_id % OFFER_HASHES,
            ]
            for call in calls
        ],
    )


def list_waiting(conn: Connection, limit: int, after_id: int = 0) -> list[WaitingPostback]:
    """Return postbacks that wait for their click, oldest first, after an id."""
    return _waiting(conn, limit, inbox.c.id > after_id)


def list_unlogged(conn: Connection, limit: int, before: int, *, lock: bool = False) -> list[WaitingPostback]:
    """Return waiting postbacks received before `before` (UTC ms) that the server log lacks.

    lock: lock them until the end of the transaction, and skip postbacks that another transaction locked.
    """
    return _waiting(conn, limit, ~inbox.c.logged, inbox.c.received_at < before, lock=lock)


def has_unlogged(conn: Connection) -> bool:
    """Return whether a postback waits that the server log lacks."""
    return has_rows(conn, select(inbox.c.id).where(inbox.c.state == WAITING, ~inbox.c.logged))


def list_undecided(conn: Connection, limit: int, click_id: str | None = None) -> list[UndecidedPostback]:
    """Return the newest postbacks without a decision, of any click or of one, the oldest first."""
    query = select(inbox.c.state, inbox.c.call).order_by(inbox.c.id.desc()).limit(limit)
    if click_id is not None:
        query = query.where(inbox.c.click_id == click_id)
    return [UndecidedPostback(*row) for row in reversed(conn.execute(query).all())]


def mark_logged(conn: Connection, ids: Sequence[int]) -> None:
    """Record that the server log shows these postbacks as waiting."""
    conn.execute(update(inbox).where(inbox.c.id.in_(ids)).values(logged=True))


def resolve(conn: Connection, call_id: int, click: bytes | None, offer_id: int = 0) -> None:
    """End the wait of a postback: with its click and its offer, or None without one. Idempotent."""
    found = {"click": click, "state": _lane_of(click), "offer_hash": offer_id % OFFER_HASHES}
    conn.execute(update(inbox).where(inbox.c.id == call_id, inbox.c.state == WAITING).values(found))


def restart_waits(conn: Connection, now_ms: int) -> None:
    """Restart the wait of every waiting postback at a time (UTC milliseconds)."""
    conn.execute(update(inbox).where(inbox.c.state == WAITING).values(received_at=now_ms))


def has_ready(conn: Connection) -> bool:
    """Return whether a postback is ready. Cheap."""
    return any(has_rows(conn, select(inbox.c.id).where(inbox.c.state == lane)) for lane in LANES)


def take_ready(conn: Connection, limit: int, lease_ms: int = LEASE_MS) -> list[ReadyPostback]:
    """Take the oldest ready postbacks out of the queue, in the transaction that decides them.

    Postbacks with a click come first, so that invented ids delay no conversion.

    On PostgreSQL the transaction first leases free hashes of offers. The postbacks of an offer are then decided in
    order, while other workers decide postbacks of other offers. Leases end with the transaction.
    """
    leases = is_postgresql(conn)
    if leases:
        begin_lease(conn, lease_ms)
    taken: list[ReadyPostback] = []
    for lane in LANES:
        wanted = {"lane": lane, "most": limit - len(taken)}
        if leases and wanted["most"]:
            leased = conn.execute(_LEASE, {"lane": lane, "key": _LEASE_KEYS[lane]}).scalars().all()
            rows = conn.execute(_TAKE_LEASED, wanted | {"leased": leased}) if leased else ()
            taken += [ReadyPostback(*row) for row in rows]
        elif wanted["most"]:
            taken += [ReadyPostback(*row) for row in conn.execute(_TAKE, wanted)]
    return sorted(taken, key=attrgetter("id"))


def quarantine(conn: Connection, call_id: int) -> ReadyPostback | None:
    """Quarantine a ready postback, for a person to look at, and return it.

    None when it is not ready any more.
    """
    row = conn.execute(_QUARANTINE, {"key": call_id}).one_or_none()
    return None if row is None else ReadyPostback(*row)


def _lane_of(click: bytes | None) -> str:
    return UNMATCHED if click is None else READY


def _waiting(
    conn: Connection, limit: int, *conditions: ColumnElement[bool], lock: bool = False
) -> list[WaitingPostback]:
    query = select(*_WAITING).where(inbox.c.state == WAITING, *conditions).order_by(inbox.c.id).limit(limit)
    rows = conn.execute(query.with_for_update(skip_locked=True) if lock else query)
    return [WaitingPostback(*row) for row in rows]
