"""Inbound postbacks before their decision, each once (docs/spec/engine.md#exactly-once).

The projector adds a postback in the transaction that stores the checkpoint of its range; the worker removes it in the
transaction of the decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from sqlalchemy import ColumnElement, Connection, bindparam, delete, select, update

from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.dialect import AdvisoryLock, try_lock
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import inbox

READY: Final = "ready"
WAITING: Final = "waiting"
"""Its click is not loaded yet."""
UNMATCHED: Final = "no_click"
"""Ready, and no click has its id: decided behind those that are ready with their click."""
QUARANTINED: Final = "aside"
"""It cannot be decided: a person must look at it."""

LANES: Final = (READY, UNMATCHED)
"""States of postbacks to decide, in the order in which they are taken."""

_NEW: Final = BulkInsert(inbox, ("journal", "position", "call", "click", "click_id", "state", "logged", "received_at"))
_OLDEST: Final = (
    select(inbox.c.id).where(inbox.c.state == bindparam("lane")).order_by(inbox.c.id).limit(bindparam("most"))
)
_READ: Final = tuple(inbox.c[name] for name in ("id", "journal", "position", "call", "click", "logged"))
_WAITING: Final = tuple(inbox.c[name] for name in ("id", "journal", "position", "call", "click_id", "received_at"))
_TAKE: Final = delete(inbox).where(inbox.c.id.in_(_OLDEST)).returning(*_READ)
_QUARANTINE: Final = update(inbox).where(inbox.c.id.in_(_OLDEST)).values(state=QUARANTINED).returning(*_READ)


@dataclass(frozen=True, slots=True)
class NewInboxEntry:
    """A postback to be added.

    position: byte offset of its frame.
    call, click: payloads of the records of postback and click; click None and not waiting = the click does not exist.
    received_at: the time of its record, UTC milliseconds; of a waiting one, the start of its wait.
    """

    position: int
    call: bytes
    click: bytes | None
    click_id: str
    received_at: int
    waiting: bool = False


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
            ]
            for call in calls
        ],
    )


def list_waiting(conn: Connection, limit: int, after_id: int = 0) -> list[WaitingPostback]:
    """Return postbacks that wait for their click, oldest first, after an id."""
    return _waiting(conn, limit, inbox.c.id > after_id)


def list_unlogged(conn: Connection, limit: int, before: int) -> list[WaitingPostback]:
    """Return waiting postbacks received before `before` (UTC ms) that the server log lacks."""
    return _waiting(conn, limit, ~inbox.c.logged, inbox.c.received_at < before)


def list_undecided(conn: Connection, limit: int, click_id: str | None = None) -> list[UndecidedPostback]:
    """Return the newest postbacks without a decision, of any click or of one, the oldest first."""
    query = select(inbox.c.state, inbox.c.call).order_by(inbox.c.id.desc()).limit(limit)
    if click_id is not None:
        query = query.where(inbox.c.click_id == click_id)
    return [UndecidedPostback(*row) for row in reversed(conn.execute(query).all())]


def mark_logged(conn: Connection, ids: Sequence[int]) -> None:
    """Record that the server log shows these postbacks as waiting."""
    conn.execute(update(inbox).where(inbox.c.id.in_(ids)).values(logged=True))


def resolve(conn: Connection, call_id: int, click: bytes | None) -> None:
    """End the wait of a postback: with its click, or None when there is none. Idempotent."""
    conn.execute(
        update(inbox).where(inbox.c.id == call_id, inbox.c.state == WAITING).values(click=click, state=_lane_of(click))
    )


def restart_waits(conn: Connection, now_ms: int) -> None:
    """Restart the wait of every waiting postback at a time (UTC milliseconds)."""
    conn.execute(update(inbox).where(inbox.c.state == WAITING).values(received_at=now_ms))


def has_ready(conn: Connection) -> bool:
    """Return whether a postback is ready. Cheap."""
    return any(has_rows(conn, select(inbox.c.id).where(inbox.c.state == lane)) for lane in LANES)


def take_ready(conn: Connection, limit: int) -> list[ReadyPostback]:
    """Take the oldest ready postbacks out of the queue, in the transaction that decides them.

    Those with a click come first, so that invented ids delay no conversion.

    On PostgreSQL one transaction at a time takes postbacks, so that those of one conversion are decided in their order.
    Another worker gets none during it, and continues when this one dies.
    """
    if not try_lock(conn, AdvisoryLock.INBOX, by_index=True):
        return []
    taken: list[ReadyPostback] = []
    for lane in LANES:
        if len(taken) < limit:
            rows = conn.execute(_TAKE, {"lane": lane, "most": limit - len(taken)})
            taken += [ReadyPostback(*row) for row in rows]
    return sorted(taken, key=attrgetter("id"))


def quarantine_oldest(conn: Connection) -> ReadyPostback | None:
    """Quarantine the oldest ready postback, for a person to look at, and return it.

    None when there is none, or while another worker takes postbacks.
    """
    if not try_lock(conn, AdvisoryLock.INBOX, by_index=True):
        return None
    for lane in LANES:
        row = conn.execute(_QUARANTINE, {"lane": lane, "most": 1}).one_or_none()
        if row is not None:
            return ReadyPostback(*row)
    return None


def _lane_of(click: bytes | None) -> str:
    return UNMATCHED if click is None else READY


def _waiting(conn: Connection, limit: int, *conditions: ColumnElement[bool]) -> list[WaitingPostback]:
    query = select(*_WAITING).where(inbox.c.state == WAITING, *conditions).order_by(inbox.c.id).limit(limit)
    return [WaitingPostback(*row) for row in conn.execute(query)]
