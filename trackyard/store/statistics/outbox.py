"""Queued rows for the analytic store (docs/spec/engine.md#exactly-once).

The rows of one transaction for one table are a block: one row of the queue, so that to claim, read and remove them
costs little (decisions/0031).

A batch is claimed in its own transaction and never changes after. Its id is the token of the load. It is removed after
its load; a batch that exists at a start is loaded again with the same token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, select, update

from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.tables import outbox

_BLOCK_ROWS: Final = 200
"""The largest number of rows in a block."""
_SEPARATOR: Final = b"\n\n"
"""The bytes between the rows of a block: the lines of one row are never empty."""
_NEW: Final = BulkInsert(outbox, ("target", "payload", "row_count", "created_at"))


@dataclass(frozen=True, slots=True)
class Batch:
    """Claimed rows of one target.

    id: the token of the load.
    target: a key of domain.statistics.batch_rows.TARGETS.
    """

    id: str
    target: str


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One or two lines of JSON arrays that are loaded together."""

    target: str
    payload: bytes


def add(conn: Connection, rows: Sequence[OutboxRow], now_ms: int) -> None:
    """Add rows in the transaction of the change that they report."""
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
    """Return the targets with unclaimed rows."""
    query = select(outbox.c.target).where(outbox.c.batch.is_(None)).distinct().order_by(outbox.c.target)
    return list(conn.execute(query).scalars())


def claim(conn: Connection, target: str, limit: int, batch_id: str) -> Batch | None:
    """Claim rows of a target for a new batch; None when there are none.

    limit: rows to claim; the last block may exceed it. Commit before the load.
    """
    columns = outbox.c
    query = select(columns.id, columns.row_count).where(columns.batch.is_(None), columns.target == target)
    query = query.with_for_update(skip_locked=True)
    ids: list[int] = []
    claimed = 0
    while claimed < limit:
        after = ids[-1] if ids else 0
        needed = -(-(limit - claimed) // _BLOCK_ROWS)  # no more, as rows that are read are locked for other claims
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
    """Return the claimed batches, oldest first. They are loaded before any new one."""
    query = select(outbox.c.batch, outbox.c.target).where(outbox.c.batch.is_not(None)).distinct()
    return sorted((Batch(row.batch, row.target) for row in conn.execute(query)), key=lambda batch: batch.id)


def batch_rows(conn: Connection, batch: Batch) -> list[bytes]:
    """Return the rows of a batch, always in the same order."""
    query = (
        select(outbox.c.payload)
        .where(outbox.c.batch == batch.id, outbox.c.target == batch.target)
        .order_by(outbox.c.id)
    )
    return [row for payload in conn.execute(query).scalars() for row in split_block(payload)]


def split_block(payload: bytes) -> list[bytes]:
    """Return the rows of a block."""
    return payload.split(_SEPARATOR)


def remove(conn: Connection, batch: Batch) -> None:
    """Remove a batch that is loaded."""
    conn.execute(delete(outbox).where(outbox.c.batch == batch.id, outbox.c.target == batch.target))
