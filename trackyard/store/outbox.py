"""Rows on their way to the analytic store (architecture.md, Exactly once).

A batch claims rows in a transaction of its own and never changes after; its id is the token of the load; it is
removed when it is loaded. A batch that is still there at a start is loaded again, with the same token.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.store.tables import outbox


@dataclass(frozen=True, slots=True)
class Batch:
    """Claimed rows of one target. id: the token of the load · target: a key of domain.facts.TARGETS."""

    id: str
    target: str


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One or two JSON array lines, newline between them, that are loaded together."""

    target: str
    payload: bytes


def add(conn: Connection, rows: Sequence[OutboxRow], now_ms: int) -> None:
    """Adds rows in the transaction of what they tell."""
    if rows:
        conn.execute(
            insert(outbox),
            [{"target": row.target, "payload": row.payload, "created_at": now_ms} for row in rows],
        )


def find_targets(conn: Connection) -> list[str]:
    """The targets that have unclaimed rows."""
    query = select(outbox.c.target).where(outbox.c.batch.is_(None)).distinct().order_by(outbox.c.target)
    return list(conn.execute(query).scalars())


def claim(conn: Connection, target: str, limit: int, batch_id: str) -> Batch | None:
    """Claims at most `limit` rows of a target for a new batch; None when there are none. Commit before loading."""
    query = (
        select(outbox.c.id)
        .where(outbox.c.batch.is_(None), outbox.c.target == target)
        .order_by(outbox.c.id)
        .limit(limit)
    )
    if conn.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    ids = list(conn.execute(query).scalars())
    if not ids:
        return None
    conn.execute(update(outbox).where(outbox.c.id.in_(ids)).values(batch=batch_id))
    return Batch(batch_id, target)


def open_batches(conn: Connection) -> list[Batch]:
    """The batches that were claimed and not removed: to be loaded before any new one, oldest first."""
    query = select(outbox.c.batch, outbox.c.target).where(outbox.c.batch.is_not(None)).distinct()
    return sorted((Batch(row.batch, row.target) for row in conn.execute(query)), key=lambda batch: batch.id)


def rows(conn: Connection, batch: Batch) -> list[bytes]:
    """The payloads of a batch, always in the same order."""
    query = (
        select(outbox.c.payload)
        .where(outbox.c.batch == batch.id, outbox.c.target == batch.target)
        .order_by(outbox.c.id)
    )
    return list(conn.execute(query).scalars())


def remove(conn: Connection, batch: Batch) -> None:
    """Removes a batch that is loaded."""
    conn.execute(delete(outbox).where(outbox.c.batch == batch.id, outbox.c.target == batch.target))
