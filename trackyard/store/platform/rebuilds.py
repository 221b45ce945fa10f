"""Rebuilds of the analytic store, and the gate that every load of it passes (docs/decisions/0030).

Whoever loads reads the gate first and says with its progress, in the transaction that commits it, which gate it saw.
A gate that moved meanwhile means that the rows may be in a table that counts no more: then nothing is committed, and
the load is repeated for the gate as it is now. So what is committed before a stage was loaded before it, and what is
committed after was loaded for it, on however many machines.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, insert, select, update

from trackyard.store.engine.dialect import AdvisoryLock, lock
from trackyard.store.tables import rebuild


class RebuildStage(StrEnum):
    """How far a rebuild is."""

    PREPARING = "preparing"  # the tables beside the live ones are made
    DUAL_WRITE = "doubling"  # what is loaded goes to both
    SWAPPING = "swapping"  # nothing is loaded
    SWAPPED = "swapped"
    NOT_SWAPPED = "kept"  # it ended without a swap: nobody asked for one, or differences are to be looked at first
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self in (RebuildStage.SWAPPED, RebuildStage.NOT_SWAPPED, RebuildStage.FAILED)


@dataclass(frozen=True, slots=True)
class RebuildState:
    """The last rebuild there was. number: rises, 0 = there was none · owner: the data directory that makes it."""

    number: int
    stage: RebuildStage
    owner: str

    @property
    def writes_shadow_tables(self) -> bool:
        """Whether what is loaded goes to the tables beside the live ones, too."""
        return self.stage is RebuildStage.DUAL_WRITE

    @property
    def loading_paused(self) -> bool:
        """Whether nothing may be loaded now."""
        return self.stage is RebuildStage.SWAPPING


NO_REBUILD: Final = RebuildState(0, RebuildStage.NOT_SWAPPED, "")


class RebuildStateChanged(Exception):
    """A rebuild began, swapped or ended since the load began: it has to be repeated."""


class RebuildRunning(Exception):
    """Another rebuild is not at its end."""


def get_rebuild_state(conn: Connection) -> RebuildState:
    """The gate as it stands."""
    query = select(rebuild.c.number, rebuild.c.stage, rebuild.c.owner).order_by(rebuild.c.number.desc()).limit(1)
    row = conn.execute(query).one_or_none()
    return NO_REBUILD if row is None else RebuildState(row.number, RebuildStage(row.stage), row.owner)


def check_rebuild_state(conn: Connection, seen: RebuildState) -> None:
    """To be called in the transaction that commits a load, before anything is read in it. seen: the gate before the
    load. Raises RebuildStateChanged."""
    lock(conn, AdvisoryLock.REBUILDS, shared=True)  # loads do not wait for each other, only for the gate
    found = get_rebuild_state(conn)
    if found != seen:
        raise RebuildStateChanged(f"rebuild {found.number} is {found.stage}, and was {seen.stage} as {seen.number}")


def begin_rebuild(conn: Connection, owner: str, now_ms: int) -> RebuildState:
    """Begins a rebuild. Raises RebuildRunning."""
    lock(conn, AdvisoryLock.REBUILDS)
    last = get_rebuild_state(conn)
    if last.number and not last.stage.ended:
        raise RebuildRunning(f"rebuild {last.number} is {last.stage}")
    made = insert(rebuild).values(owner=owner, stage=RebuildStage.PREPARING.value, begun_at=now_ms)
    number = conn.execute(made.returning(rebuild.c.number)).scalar_one()
    return RebuildState(int(number), RebuildStage.PREPARING, owner)


def move_to_stage(conn: Connection, gate: RebuildState, stage: RebuildStage, now_ms: int) -> RebuildState:
    """The gate at its next stage; waits for the loads that are being committed. Raises RebuildStateChanged when it
    was ended by somebody else."""
    lock(conn, AdvisoryLock.REBUILDS)
    found = get_rebuild_state(conn)
    if found != gate:
        raise RebuildStateChanged(f"rebuild {gate.number} is {found.stage} as {found.number}, not {gate.stage}")
    values = {"stage": stage.value} | ({"ended_at": now_ms} if stage.ended else {})
    conn.execute(update(rebuild).where(rebuild.c.number == gate.number).values(values))
    return RebuildState(gate.number, stage, gate.owner)
