"""Rebuilds of the analytic store, and the gate that every load passes (docs/decisions/0030).

A loader reads the gate first, and checks it again in the transaction that commits the load. When the gate has moved in
between, the rows may be in a table that is no longer used: then nothing is committed, and the load is repeated for the
new gate. So every load is committed for the stage in which it began, on any number of machines.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, insert, select, update

from trackyard.store.engine.dialect import AdvisoryLock, lock
from trackyard.store.tables import rebuild


class RebuildStage(StrEnum):
    """The stage of a rebuild."""

    PREPARING = "preparing"  # the shadow tables are created
    DUAL_WRITE = "doubling"  # loads write to both
    SWAPPING = "swapping"  # nothing is loaded
    SWAPPED = "swapped"
    NOT_SWAPPED = "kept"  # ended without a swap: not requested, or there are differences
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Return whether the rebuild has ended."""
        return self in (RebuildStage.SWAPPED, RebuildStage.NOT_SWAPPED, RebuildStage.FAILED)


@dataclass(frozen=True, slots=True)
class RebuildState:
    """The last rebuild. number: rises, 0 is none; owner: the data directory that makes it."""

    number: int
    stage: RebuildStage
    owner: str

    @property
    def writes_shadow_tables(self) -> bool:
        """Return whether loads go to the shadow tables, too."""
        return self.stage is RebuildStage.DUAL_WRITE

    @property
    def loading_paused(self) -> bool:
        """Return whether nothing may be loaded now."""
        return self.stage is RebuildStage.SWAPPING


NO_REBUILD: Final = RebuildState(0, RebuildStage.NOT_SWAPPED, "")


class RebuildStateChanged(Exception):
    """A rebuild began, swapped or ended since the load began, which is repeated."""


class RebuildRunning(Exception):
    """Another rebuild is running."""


def get_rebuild_state(conn: Connection) -> RebuildState:
    """Return the gate."""
    query = select(rebuild.c.number, rebuild.c.stage, rebuild.c.owner).order_by(rebuild.c.number.desc()).limit(1)
    row = conn.execute(query).one_or_none()
    return NO_REBUILD if row is None else RebuildState(row.number, RebuildStage(row.stage), row.owner)


def check_rebuild_state(conn: Connection, seen: RebuildState) -> None:
    """Check the gate in the transaction that commits a load, before anything is read in it.

    seen: the gate before the load. Raises RebuildStateChanged.
    """
    lock(conn, AdvisoryLock.REBUILDS, shared=True)  # loads do not wait for each other, only for the gate
    found = get_rebuild_state(conn)
    if found != seen:
        raise RebuildStateChanged(f"rebuild {found.number} is {found.stage}, and was {seen.stage} as {seen.number}")


def begin_rebuild(conn: Connection, owner: str, now_ms: int) -> RebuildState:
    """Begin a rebuild. Raises RebuildRunning."""
    lock(conn, AdvisoryLock.REBUILDS)
    last = get_rebuild_state(conn)
    if last.number and not last.stage.ended:
        raise RebuildRunning(f"rebuild {last.number} is {last.stage}")
    made = insert(rebuild).values(owner=owner, stage=RebuildStage.PREPARING.value, begun_at=now_ms)
    number = conn.execute(made.returning(rebuild.c.number)).scalar_one()
    return RebuildState(int(number), RebuildStage.PREPARING, owner)


def move_to_stage(conn: Connection, gate: RebuildState, stage: RebuildStage, now_ms: int) -> RebuildState:
    """Move the gate to its next stage, once running commits of loads are done.

    Raises RebuildStateChanged when another process ended it.
    """
    lock(conn, AdvisoryLock.REBUILDS)
    found = get_rebuild_state(conn)
    if found != gate:
        raise RebuildStateChanged(f"rebuild {gate.number} is {found.stage} as {found.number}, not {gate.stage}")
    values = {"stage": stage.value} | ({"ended_at": now_ms} if stage.ended else {})
    conn.execute(update(rebuild).where(rebuild.c.number == gate.number).values(values))
    return RebuildState(gate.number, stage, gate.owner)
