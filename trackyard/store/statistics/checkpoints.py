"""Checkpoints of the journals of each edge (docs/spec/engine.md#exactly-once)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.tables import edge_progress


class CheckpointMoved(Exception):
    """The range does not begin at the checkpoint: it was loaded before, or one is missing."""


@dataclass(frozen=True, slots=True)
class EdgeCheckpoint:
    """The position of an edge before which everything is loaded.

    loaded_until: the time of the last mark, UTC milliseconds.
    begun_until: the end of the next range, when its load has begun; a repeat must load the same range. 0 = none.
    used_until: the time of the last mark after a record; 0 = no record was loaded.
    """

    edge: int
    journal: str
    position: int
    loaded_until: int
    begun_until: int = 0
    used_until: int = 0


def find_checkpoint(conn: Connection, edge: int) -> EdgeCheckpoint | None:
    """Return the checkpoint of one edge; None when nothing of it was loaded."""
    row = conn.execute(select(edge_progress).where(edge_progress.c.edge == edge)).one_or_none()
    return None if row is None else EdgeCheckpoint(**row._mapping)


def get_checkpoints(conn: Connection) -> list[EdgeCheckpoint]:
    """Return the checkpoint of every edge, by its number."""
    rows = conn.execute(select(edge_progress).order_by(edge_progress.c.edge))
    return [EdgeCheckpoint(**row._mapping) for row in rows]


def begin_range(conn: Connection, edge: int, journal: str, start: int, end: int) -> None:
    """Record that the next range of an edge is start..end, before any of it is loaded.

    A repeat loads the same range, even when the journal has grown. Raises CheckpointMoved when the checkpoint is not
    (journal, start).
    """
    begun = update(edge_progress).where(
        edge_progress.c.edge == edge, edge_progress.c.journal == journal, edge_progress.c.position == start
    )
    if conn.execute(begun.values(begun_until=end)).rowcount != 1:
        raise CheckpointMoved(f"the checkpoint of edge {edge} is not {journal} {start}")


def finish_range(
    conn: Connection,
    edge: int,
    journal: str,
    start: int,
    end: int,
    loaded_until: int,
    calls: Sequence[NewInboxEntry],
    *,
    has_records: bool = True,
) -> None:
    """Record that bytes start..end of a journal are loaded, and add their postbacks to the inbox.

    A range begins at the checkpoint, or at 0 of a later journal of the edge.
    Raises CheckpointMoved, and nothing is written.
    """
    before = find_checkpoint(conn, edge)
    values = {"journal": journal, "position": end, "loaded_until": loaded_until, "begun_until": 0}
    values |= {"used_until": loaded_until} if has_records else {}
    if before is None:
        if start != 0:
            raise CheckpointMoved(f"nothing of edge {edge} is loaded, and the range of {journal} begins at {start}")
        conn.execute(insert(edge_progress).values(edge=edge, **values))
    else:
        follows = before.position == start if before.journal == journal else before.journal < journal and start == 0
        moved = update(edge_progress).where(
            edge_progress.c.edge == edge,
            edge_progress.c.journal == before.journal,
            edge_progress.c.position == before.position,
        )
        if not follows or conn.execute(moved.values(values)).rowcount != 1:
            raise CheckpointMoved(
                f"{journal} {start}..{end} does not follow {before.journal} {before.position} of edge {edge}"
            )
    inbox.add_entries(conn, journal, calls)
