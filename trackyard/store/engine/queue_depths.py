"""Depth and age of each queue, for /readyz and /metrics."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, or_, select
from sqlalchemy.sql.schema import Column

from trackyard.store.conversions.inbox import LANES, QUARANTINED, READY, WAITING
from trackyard.store.tables import conversion_task as task
from trackyard.store.tables import delivery, event, event_clock, fetch, inbox, mail, outbox

_NOTICED = select(event_clock.c.noticed).scalar_subquery()
"""The number of the last event that has its notices."""


@dataclass(frozen=True, slots=True)
class QueueState:
    """The state of one queue.

    depth: rows that are due.
    lag_ms: the time since the oldest of them is due.
    """

    queue: str
    depth: int
    lag_ms: int


def get_queue_states(conn: Connection, now_ms: int) -> list[QueueState]:
    """Return the state of every queue.

    They are the inbox by state (ready, waiting for clicks, quarantined), edits and imports of conversions (ready,
    quarantined), the outbox, due deliveries and mail, events without their notices, and due downloads.
    """
    return [
        _state(conn, now_ms, "inbox", inbox.c.received_at, inbox.c.state.in_(LANES)),
        _state(conn, now_ms, "waiting", inbox.c.received_at, inbox.c.state == WAITING),
        _state(conn, now_ms, "inbox_quarantined", inbox.c.received_at, inbox.c.state == QUARANTINED),
        _state(conn, now_ms, "edits", task.c.created_at, task.c.state == READY),
        _state(conn, now_ms, "edits_quarantined", task.c.created_at, task.c.state == QUARANTINED),
        _state(conn, now_ms, "outbox", outbox.c.created_at, outbox.c.id > 0, func.sum(outbox.c.row_count)),
        _state(conn, now_ms, "deliveries", delivery.c.next_at, delivery.c.next_at <= now_ms),
        _state(conn, now_ms, "mail", mail.c.next_at, mail.c.next_at <= now_ms),
        _state(conn, now_ms, "events", event.c.at, or_(event.c.seq.is_(None), event.c.seq > _NOTICED)),
        _state(conn, now_ms, "fetches", fetch.c.next_at, fetch.c.next_at <= now_ms),
    ]


def _state(
    conn: Connection,
    now_ms: int,
    queue: str,
    due_at: Column[int],
    condition: ColumnElement[bool],
    depth_of: ColumnElement[int] | None = None,
) -> QueueState:
    counted = func.count() if depth_of is None else depth_of
    depth, oldest = conn.execute(select(counted, func.min(due_at)).where(condition)).one()
    return QueueState(queue, int(depth or 0), 0 if oldest is None else max(0, now_ms - int(oldest)))
