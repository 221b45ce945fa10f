"""How far the journals of each edge are loaded (docs/spec/engine.md#exactly-once)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.tables import edge_progress


class CheckpointMoved(Exception):
    """The range does not begin where the stored progress ends: it was loaded before, or one is left out."""


@dataclass(frozen=True, slots=True)
class EdgeCheckpoint:
    """Everything of an edge before (journal, position) is loaded. loaded_until: time of the last mark, UTC ms ·
    begun_until: the end of a range from here whose load was begun; a repeat must be of that very range. 0 = none."""

    edge: int
    journal: str
    position: int
    loaded_until: int
    begun_until: int = 0


def find_checkpoint(conn: Connection, edge: int) -> EdgeCheckpoint | None:
    """The progress of one edge; None when nothing of it was loaded."""
    row = conn.execute(select(edge_progress).where(edge_progress.c.edge == edge)).one_or_none()
    return None if row is None else _read(row)


def get_checkpoints(conn: Connection) -> list[EdgeCheckpoint]:
    """The progress of every edge, by its number."""
    rows = conn.execute(select(edge_progress).order_by(edge_progress.c.edge))
    return [_read(row) for row in rows]


def begin_range(conn: Connection, edge: int, journal: str, start: int, end: int) -> None:
    """Says, before any of it is loaded, that the next range of an edge is start..end, however much follows by the time
    it is tried again. Raises CheckpointMoved when the stored progress is not (journal, start)."""
    begun = update(edge_progress).where(
        edge_progress.c.edge == edge, edge_progress.c.journal == journal, edge_progress.c.position == start
    )
    if conn.execute(begun.values(begun_until=end)).rowcount != 1:
        raise CheckpointMoved(f"edge {edge} does not stand at {journal} {start}")


def finish_range(
    conn: Connection,
    edge: int,
    journal: str,
    start: int,
    end: int,
    loaded_until: int,
    calls: Sequence[NewInboxEntry],
) -> None:
    """Says that bytes start..end of a journal are loaded, and adds their calls to the inbox, in one transaction.

    A range begins where the stored progress ends: in the same journal, or at 0 of a later journal of the edge.
    Raises CheckpointMoved, and nothing is written.
    """
    before = find_checkpoint(conn, edge)
    values = {"journal": journal, "position": end, "loaded_until": loaded_until, "begun_until": 0}
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


def _read(row: Row[Any]) -> EdgeCheckpoint:
    return EdgeCheckpoint(row.edge, row.journal, row.position, row.loaded_until, row.begun_until)
