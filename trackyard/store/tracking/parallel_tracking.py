"""Requests of parallel_tracking_url between projector and worker: bounded, made at most once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from trackyard.store.tables import parallel_call

MAX_QUEUED: Final = 20_000
MAX_QUEUED_PER_HOST: Final = 2_000
"""What waits at the most, in all and for one host; more is left out."""


@dataclass(frozen=True, slots=True)
class ParallelRequest:
    """An accepted click to report. host: of the offer's URL; click: the record's payload."""

    offer_id: int
    host: str
    click: bytes


def add(conn: Connection, calls: Sequence[ParallelRequest], now_ms: int) -> int:
    """Adds calls as far as there is room; how many."""
    if not calls:
        return 0
    counted = select(parallel_call.c.host, func.count()).group_by(parallel_call.c.host)
    waiting = Counter({row[0]: row[1] for row in conn.execute(counted)})
    room = MAX_QUEUED - waiting.total()
    rows = []
    for call in calls[: max(0, room)]:
        if waiting[call.host] < MAX_QUEUED_PER_HOST:
            waiting[call.host] += 1
            rows.append({"offer_id": call.offer_id, "host": call.host, "click": call.click, "created_at": now_ms})
    if rows:
        conn.execute(insert(parallel_call), rows)
    return len(rows)


def has_any(conn: Connection) -> bool:
    """Whether a call waits. Cheap."""
    return conn.execute(select(parallel_call.c.id).limit(1)).first() is not None


def take(conn: Connection, limit: int) -> list[ParallelRequest]:
    """Takes the oldest calls out of the queue, each for one worker."""
    columns = parallel_call.c
    oldest = select(columns.id, columns.offer_id, columns.host, columns.click).order_by(columns.id).limit(limit)
    rows = conn.execute(oldest.with_for_update(skip_locked=True)).all()
    if rows:
        conn.execute(delete(parallel_call).where(columns.id.in_([row.id for row in rows])))
    return [ParallelRequest(row.offer_id, row.host, row.click) for row in rows]
