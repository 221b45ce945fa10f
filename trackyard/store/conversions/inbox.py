"""Inbound calls on their way to a decision, each once (docs/spec/engine.md#exactly-once).

The projector adds a call in the transaction that says its range is loaded; the worker removes it in the
transaction that decides it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select, update

from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.dialect import AdvisoryLock, try_lock
from trackyard.store.tables import inbox

READY: Final = "ready"
WAITING: Final = "waiting"
QUARANTINED: Final = "aside"

_NEW: Final = BulkInsert(inbox, ("journal", "position", "call", "click", "click_id", "state", "logged", "received_at"))
_OLDEST_READY: Final = select(inbox.c.id).where(inbox.c.state == READY).order_by(inbox.c.id).limit(bindparam("most"))
_READ: Final = tuple(inbox.c[name] for name in ("id", "journal", "position", "call", "click", "logged"))
_TAKE: Final = delete(inbox).where(inbox.c.id.in_(_OLDEST_READY)).returning(*_READ)
_QUARANTINE: Final = update(inbox).where(inbox.c.id.in_(_OLDEST_READY)).values(state=QUARANTINED).returning(*_READ)


@dataclass(frozen=True, slots=True)
class NewInboxEntry:
    """A postback to be added. call, click: the payloads of records.

    click None and `waiting` False: there is no click.
    position: byte offset of its frame.
    received_at: its record's time, UTC ms; of a waiting one, the start of its wait.
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
class ReadyPostback:
    """A call to decide. click: the payload of its click's record, None = there is none."""

    id: int
    journal: str
    position: int
    call: bytes
    click: bytes | None
    logged: bool


def add_entries(conn: Connection, journal: str, calls: Sequence[NewInboxEntry]) -> None:
    """Adds the calls of one range of a journal."""
    _NEW.add(
        conn,
        [
            [
                *(journal, call.position, call.call, call.click, call.click_id[:24]),
                *(WAITING if call.waiting else READY, False, call.received_at),
            ]
            for call in calls
        ],
    )


def list_waiting(conn: Connection, limit: int, after_id: int = 0) -> list[WaitingPostback]:
    """Calls that wait for their click, oldest first, from behind `after_id` on."""
    return _waiting(conn, limit, inbox.c.id > after_id)


def list_unlogged(conn: Connection, limit: int, before: int) -> list[WaitingPostback]:
    """Waiting calls received before `before` (UTC ms) that the server log does not show yet."""
    return _waiting(conn, limit, ~inbox.c.logged, inbox.c.received_at < before)


def mark_logged(conn: Connection, ids: Sequence[int]) -> None:
    """Says that the server log shows these calls as waiting."""
    conn.execute(update(inbox).where(inbox.c.id.in_(ids)).values(logged=True))


def resolve(conn: Connection, call_id: int, click: bytes | None) -> None:
    """End the wait of a postback: with its click, or None when there is none. Idempotent."""
    conn.execute(update(inbox).where(inbox.c.id == call_id, inbox.c.state == WAITING).values(click=click, state=READY))


def restart_waits(conn: Connection, now_ms: int) -> None:
    """Says of the calls that wait that they do so since now (UTC ms)."""
    conn.execute(update(inbox).where(inbox.c.state == WAITING).values(received_at=now_ms))


def has_ready(conn: Connection) -> bool:
    """Whether a call can be decided. Cheap."""
    return conn.execute(select(inbox.c.id).where(inbox.c.state == READY).limit(1)).first() is not None


def take_ready(conn: Connection, limit: int) -> list[ReadyPostback]:
    """Take the oldest ready postbacks out of the queue, in the transaction that decides them.

    On PostgreSQL one transaction at a time takes postbacks, so that those of one conversion are decided in the order
    they came; another worker gets none meanwhile, and takes over when this one dies.
    """
    if not try_lock(conn, AdvisoryLock.INBOX, by_index=True):
        return []
    taken = [ReadyPostback(*row) for row in conn.execute(_TAKE, {"most": limit})]
    return sorted(taken, key=attrgetter("id"))


def quarantine_oldest(conn: Connection) -> ReadyPostback | None:
    """Quarantine the oldest ready postback, for a person to look at, and return it.

    None when there is none, or another worker takes postbacks just now.
    """
    if not try_lock(conn, AdvisoryLock.INBOX, by_index=True):
        return None
    row = conn.execute(_QUARANTINE, {"most": 1}).one_or_none()
    return None if row is None else ReadyPostback(*row)


def _waiting(conn: Connection, limit: int, *conditions: object) -> list[WaitingPostback]:
    columns = inbox.c
    query = select(
        columns.id, columns.journal, columns.position, columns.call, columns.click_id, columns.received_at
    ).where(columns.state == WAITING, *conditions)  # type: ignore[arg-type]
    return [WaitingPostback(*row) for row in conn.execute(query.order_by(columns.id).limit(limit))]
