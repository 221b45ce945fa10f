"""Rows on their way to the analytic store (docs/spec/engine.md#exactly-once).

What one transaction tells one table is a block: one row of the queue that holds many, so that claiming, reading and
removing cost next to nothing (decisions/0031).

A batch claims rows in a transaction of its own and never changes after; its id is the token of the load; it is
removed when it is loaded. A batch that is still there at a start is loaded again, with the same token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, select, update

from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.tables import outbox

_BLOCK_ROWS: Final = 200
"""Rows in a block at the most."""
_SEPARATOR: Final = b"\n\n"
"""Stands between the rows of a block: the lines of one row are never empty."""
_NEW: Final = BulkInsert(outbox, ("target", "payload", "row_count", "created_at"))


@dataclass(frozen=True, slots=True)
class Batch:
    """Claimed rows of one target. id: the token of the load · target: a key of domain.statistics.batch_rows.TARGETS."""

    id: str
    target: str


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One or two JSON array lines, newline between them, that are loaded together."""

    target: str
    payload: bytes


def add(conn: Connection, rows: Sequence[OutboxRow], now_ms: int) -> None:
    """Adds rows in the transaction of what they tell."""
    by_target: dict[str, list[bytes]] = {}
    for row in rows:
        by_target.setdefault(row.target, []).append(row.payload)
    blocks = [
        (target, payloads[start : start + _BLOCK_ROWS])
        for target, payloads in by_target.items()
        for start in range(0, len(payloads), _BLOCK_ROWS)
    ]
    _NEW.add(conn, [[target, _SEPARATOR.join(block), len(block), now_ms] for target, block in blocks])


def find_targets(conn: Connection) -> list[str]:
    """The targets that have unclaimed rows."""
    query = select(outbox.c.target).where(outbox.c.batch.is_(None)).distinct().order_by(outbox.c.target)
    return list(conn.execute(query).scalars())


def claim(conn: Connection, target: str, limit: int, batch_id: str) -> Batch | None:
    """Claims rows of a target for a new batch, in whole blocks: `limit` of them, or as few more as there may be when
    there are so many; None when there are none. Commit before loading."""
    columns = outbox.c
    query = select(columns.id, columns.row_count).where(columns.batch.is_(None), columns.target == target)
    query = query.with_for_update(skip_locked=True)
    ids: list[int] = []
    claimed = 0
    while claimed < limit:
        after = ids[-1] if ids else 0
        needed = -(-(limit - claimed) // _BLOCK_ROWS)  # no more: what is looked at is locked for other claims
        found = conn.execute(query.where(columns.id > after).order_by(columns.id).limit(needed)).all()
        if not found:
            break
        ids += [block.id for block in found]
        claimed += sum(block.row_count for block in found)
    if not ids:
        return None
    conn.execute(update(outbox).where(columns.id.in_(ids)).values(batch=batch_id))
    return Batch(batch_id, target)


def open_batches(conn: Connection) -> list[Batch]:
    """The batches that were claimed and not removed: to be loaded before any new one, oldest first."""
    query = select(outbox.c.batch, outbox.c.target).where(outbox.c.batch.is_not(None)).distinct()
    return sorted((Batch(row.batch, row.target) for row in conn.execute(query)), key=lambda batch: batch.id)


def batch_rows(conn: Connection, batch: Batch) -> list[bytes]:
    """The rows of a batch, always in the same order."""
    query = (
        select(outbox.c.payload)
        .where(outbox.c.batch == batch.id, outbox.c.target == batch.target)
        .order_by(outbox.c.id)
    )
    return [row for payload in conn.execute(query).scalars() for row in split_block(payload)]


def split_block(payload: bytes) -> list[bytes]:
    """The rows of a block."""
    return payload.split(_SEPARATOR)


def remove(conn: Connection, batch: Batch) -> None:
    """Removes a batch that is loaded."""
    conn.execute(delete(outbox).where(outbox.c.batch == batch.id, outbox.c.target == batch.target))
