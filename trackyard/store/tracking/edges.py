"""Edge numbers, each of one process slot of a data directory (docs/spec/engine.md#edge-numbers)."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, or_, select

from trackyard.base.ids import EDGE_NUMBERS
from trackyard.store.engine.dialect import AdvisoryLock, lock
from trackyard.store.tables import edge, edge_progress


class EdgeNumbersExhausted(Exception):
    """No edge number is free."""


@dataclass(frozen=True, slots=True)
class EdgeSlot:
    """An edge number and the slot of the data directory that has it."""

    number: int
    directory_id: str
    slot: int


def claim_edge(conn: Connection, directory_id: str, slot: int, now_ms: int) -> int:
    """Return the number (1..250) of an edge slot: the one it has, else the next free one.

    Raises EdgeNumbersExhausted.
    """
    lock(conn, AdvisoryLock.EDGES)
    held = conn.execute(
        select(edge.c.number).where(edge.c.directory_id == directory_id, edge.c.slot == slot)
    ).scalar_one_or_none()
    if held is not None:
        return int(held)
    number = (conn.execute(select(func.max(edge.c.number))).scalar_one() or 0) + 1
    if number not in EDGE_NUMBERS:
        raise EdgeNumbersExhausted(f"all {len(EDGE_NUMBERS)} edge numbers are given out")
    conn.execute(insert(edge).values(number=number, directory_id=directory_id, slot=slot, claimed_at=now_ms))
    return int(number)


def list_foreign_edges(conn: Connection, directory_id: str, since_ms: int) -> list[int]:
    """Return the numbers of other data directories that were claimed, or loaded up to a time, since then."""
    rows = conn.execute(
        select(edge.c.number)
        .outerjoin(edge_progress, edge_progress.c.edge == edge.c.number)
        .where(edge.c.directory_id != directory_id)
        .where(or_(edge.c.claimed_at >= since_ms, edge_progress.c.loaded_until >= since_ms))
        .order_by(edge.c.number)
    )
    return list(rows.scalars())


def each_edge(conn: Connection) -> list[EdgeSlot]:
    """Return every number that was ever given, in ascending order."""
    rows = conn.execute(select(edge.c.number, edge.c.directory_id, edge.c.slot).order_by(edge.c.number))
    return [EdgeSlot(*row) for row in rows]
