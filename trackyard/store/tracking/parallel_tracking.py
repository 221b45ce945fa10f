"""Requests of parallel_tracking_url between projector and worker: bounded, made at most once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import parallel_call

MAX_QUEUED: Final = 20_000
MAX_QUEUED_PER_HOST: Final = 2_000
"""The largest numbers of waiting requests, in total and for one host; more are dropped."""


@dataclass(frozen=True, slots=True)
class ParallelRequest:
    """An accepted click to report. host: of the offer's URL; click: the record's payload."""

    offer_id: int
    host: str
    click: bytes


def add(conn: Connection, calls: Sequence[ParallelRequest], now_ms: int) -> int:
    """Queue requests as far as there is room; return the number queued."""
    if not calls:
        return 0
    counted = select(parallel_call.c.host, func.count()).group_by(parallel_call.c.host)
    waiting: Counter[str] = Counter(dict(conn.execute(counted).all()))
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
    """Return whether a request waits. Cheap."""
    return has_rows(conn, select(parallel_call.c.id))


def take(conn: Connection, limit: int) -> list[ParallelRequest]:
    """Remove the oldest requests from the queue and return them, each to one worker."""
    columns = parallel_call.c
    oldest = select(columns.id, columns.offer_id, columns.host, columns.click).order_by(columns.id).limit(limit)
    rows = conn.execute(oldest.with_for_update(skip_locked=True)).all()
    if rows:
        conn.execute(delete(parallel_call).where(columns.id.in_([row.id for row in rows])))
    return [ParallelRequest(row.offer_id, row.host, row.click) for row in rows]
