"""Inbound calls on their way to a decision, each once (architecture.md, Exactly once).

The projector adds a call in the transaction that says its range is loaded; the worker removes it in the
transaction that decides it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, insert, select, text, update

from trackyard.store.tables import inbox

READY: Final = "ready"
WAITING: Final = "waiting"
ASIDE: Final = "aside"

_ADVISORY_LOCK = 0x696E_626F


@dataclass(frozen=True, slots=True)
class InboxCall:
    """A call to be added. call, click: the records' payloads · click None and `waiting` False = there is none.

    position: byte offset of its frame · received_at: its record's time, UTC ms.
    """

    position: int
    call: bytes
    click: bytes | None
    click_id: str
    received_at: int
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call whose click is not known yet."""

    id: int
    journal: str
    position: int
    call: bytes
    click_id: str
    received_at: int


@dataclass(frozen=True, slots=True)
class ReadyCall:
    """A call to decide. click: the payload of its click's record, None = there is none."""

    id: int
    journal: str
    position: int
    call: bytes
    click: bytes | None
    logged: bool


def add_calls(conn: Connection, journal: str, calls: Sequence[InboxCall]) -> None:
    """Adds the calls of one range of a journal."""
    if not calls:
        return
    conn.execute(
        insert(inbox),
        [
            {
                "journal": journal,
                "position": call.position,
                "call": call.call,
                "click": call.click,
                "click_id": call.click_id[:24],
                "state": WAITING if call.waiting else READY,
                "received_at": call.received_at,
            }
            for call in calls
        ],
    )


def list_waiting(conn: Connection, limit: int, after_id: int = 0) -> list[WaitingCall]:
    """Calls that wait for their click, oldest first, from behind `after_id` on."""
    return _waiting(conn, limit, inbox.c.id > after_id)


def list_unlogged(conn: Connection, limit: int, before: int) -> list[WaitingCall]:
    """Waiting calls received before `before` (UTC ms) that the server log does not show yet."""
    return _waiting(conn, limit, ~inbox.c.logged, inbox.c.received_at < before)


def mark_logged(conn: Connection, ids: Sequence[int]) -> None:
    """Says that the server log shows these calls as waiting."""
    conn.execute(update(inbox).where(inbox.c.id.in_(ids)).values(logged=True))


def resolve(conn: Connection, call_id: int, click: bytes | None) -> None:
    """Ends the waiting of a call: with its click, or without one (there is none). A second time changes nothing."""
    conn.execute(update(inbox).where(inbox.c.id == call_id, inbox.c.state == WAITING).values(click=click, state=READY))


def has_ready(conn: Connection) -> bool:
    """Whether a call can be decided. Cheap."""
    return conn.execute(select(inbox.c.id).where(inbox.c.state == READY).limit(1)).first() is not None


def take_ready(conn: Connection, limit: int) -> list[ReadyCall]:
    """The oldest calls that can be decided, locked until the transaction ends.

    On PostgreSQL one transaction at a time takes calls, so that the calls of one conversion are decided in the
    order they came; another worker gets none meanwhile, and takes over when this one dies.
    """
    query = (
        select(inbox.c.id, inbox.c.journal, inbox.c.position, inbox.c.call, inbox.c.click, inbox.c.logged)
        .where(inbox.c.state == READY)
        .order_by(inbox.c.id)
        .limit(limit)
    )
    if conn.dialect.name == "postgresql":
        free = conn.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK}).scalar_one()
        if not free:
            return []
        query = query.with_for_update(skip_locked=True)
    return [ReadyCall(*row) for row in conn.execute(query)]


def remove(conn: Connection, ids: Sequence[int]) -> None:
    """Removes calls in the transaction that decides them."""
    conn.execute(delete(inbox).where(inbox.c.id.in_(ids)))


def set_aside(conn: Connection, call_id: int) -> None:
    """Keeps a call that cannot be decided out of the way of the others, for a person to look at."""
    conn.execute(update(inbox).where(inbox.c.id == call_id).values(state=ASIDE))


def _waiting(conn: Connection, limit: int, *conditions: object) -> list[WaitingCall]:
    columns = inbox.c
    query = select(
        columns.id, columns.journal, columns.position, columns.call, columns.click_id, columns.received_at
    ).where(columns.state == WAITING, *conditions)  # type: ignore[arg-type]
    return [WaitingCall(*row) for row in conn.execute(query.order_by(columns.id).limit(limit))]
