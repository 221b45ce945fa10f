"""Rebuilds of the analytic store: one at a time, in a thread of the process that holds it (docs/decisions/0030)."""

import logging
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance import shadow_tables
from trackyard.analytics.maintenance.comparison import Compared, Sums
from trackyard.base.clock import Clock
from trackyard.base.errors import Conflict
from trackyard.base.metrics import REBUILDS
from trackyard.domain.platform.reconciliation import Findings
from trackyard.store.engine.database import Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.platform.rebuilds import Gate, RebuildRuns, Stage

if TYPE_CHECKING:
    from trackyard.actions.platform.rebuild_run import Rebuilding

log = logging.getLogger("trackyard.rebuild")

_STOP_SECONDS: Final = 30.0


class Wish(StrEnum):
    """What a rebuild is for."""

    CHECK = "check"  # only to know
    SWAP = "swap"  # the new tables are to be used, if they are no different
    ACCEPT = "accept"  # the new tables are to be used


class Step(StrEnum):
    """What a rebuild does, in this order; in brackets what its progress counts."""

    PREPARED = "preparation"
    JOURNALS = "journals"  # bytes
    CARRIED = "rows that no journal here holds"  # rows
    CONVERSIONS = "conversions"  # conversions
    COMPARED = "comparison"  # spans of time
    SWAPPED = "swap"


class Stopped(Exception):
    """The server stops."""


@dataclass(slots=True)
class Told:
    """What is known of a rebuild while it runs and after. done, total: of the step · carried: rows taken over from the
    live tables · held_ms: for how long nothing was loaded · figures: by table and group what the live tables and the
    new ones hold · why: it failed."""

    number: int
    wish: Wish
    begun_at: int
    stage: Stage = Stage.PREPARING
    step: Step = Step.PREPARED
    done: int = 0
    total: int = 0
    carried: int = 0
    held_ms: int = 0
    ended_at: int | None = None
    why: str = ""
    findings: Findings = field(default_factory=Findings)
    figures: dict[tuple[str, str], tuple[Sums, Sums]] = field(default_factory=dict)

    def begin(self, step: Step, total: int) -> None:
        """Another step begins."""
        self.step, self.done, self.total = step, 0, total

    def advance(self, number: int) -> None:
        """So much more of the step is done."""
        self.done += number

    def figure(self, compared: Compared, group: str, old: Sums, new: Sums) -> None:
        """Adds to the figures of a table."""
        before = self.figures.get((compared.table, group), (Sums(), Sums()))
        self.figures[compared.table, group] = (before[0] + old, before[1] + new)
        self.findings.check(compared.what, max(old.rows, new.rows))


class Rebuilder:
    """Starts rebuilds and tells of the last one. journals: the directory of this machine's · owner: what tells its
    data directory from others. Safe to use from several threads."""

    def __init__(
        self, database: Database, analytics: Analytics, journals: Path, clock: Clock, owner: str, *, pause: float = 1.0
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._journals = journals
        self._clock = clock
        self._owner = owner
        self._pause = pause
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._told: Told | None = None

    def recover(self) -> None:
        """Ends what a process that died left of a rebuild, before anything is loaded."""
        with self._database.write() as conn:
            gate = rebuilds.find_gate(conn)
            if gate.owner != self._owner:
                return
            if not gate.stage.ended:
                log.warning("a rebuild was cut off", extra={"rebuild": gate.number, "stage": gate.stage})
                if gate.stage is Stage.SWAPPING:
                    erasures.carry_out_again(conn, 0)
                rebuilds.move(conn, gate, Stage.FAILED, self._clock.now_ms())
        shadow_tables.drop_beside(self._analytics)

    def start(self, wish: Wish) -> Told:
        """Begins a rebuild. Raises Conflict when one runs, here or elsewhere."""
        with self._lock:
            now = self._clock.now_ms()
            try:
                with self._database.write(alone=True) as conn:
                    gate = rebuilds.begin(conn, self._owner, now)
            except RebuildRuns as runs:
                raise Conflict({"rebuild": [f"Another one is not at its end: {runs}."]}) from None
            self._told = Told(gate.number, wish, now)
            self._thread = threading.Thread(target=self._run, args=(gate, self._told), name="rebuild")
            self._thread.start()
            return self._told

    def find_last(self) -> Told | None:
        """The last rebuild of this process; None when there was none."""
        return self._told

    def lasts_ms(self, told: Told) -> int:
        """How long a rebuild has lasted, or did."""
        return (told.ended_at or self._clock.now_ms()) - told.begun_at

    def close(self) -> None:
        """Stops a rebuild that runs: the live tables stay as they are."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _run(self, gate: Gate, told: Told) -> None:
        from trackyard.actions.platform.rebuild_run import Failed, Rebuilding

        made = Rebuilding(self._database, self._analytics, self._journals, self._clock, gate, told, self._wait)
        try:
            made.carry_out(told.wish)
        except Stopped:
            self._give_up(made, told, "the server was stopped")
        except Failed as failed:
            log.error("a rebuild failed", extra={"rebuild": gate.number, "why": str(failed)})
            self._give_up(made, told, str(failed))
        except Exception as error:
            log.exception("a rebuild failed", extra={"rebuild": gate.number})
            self._give_up(made, told, f"{type(error).__name__}: {error}")
        told.ended_at = self._clock.now_ms()
        REBUILDS.labels(told.stage.value).inc()
        extra = {"rebuild": told.number, "stage": told.stage, "differences": told.findings.count}
        log.info("a rebuild ended", extra=extra)

    def _give_up(self, made: "Rebuilding", told: Told, why: str) -> None:
        told.why = why
        try:
            made.give_up()
        except Exception:  # what stays of it is removed at the next start
            log.exception("a rebuild could not be ended", extra={"rebuild": told.number})
        told.stage = Stage.FAILED

    def _wait(self, times: float) -> None:
        if self._stop.wait(times * self._pause):
            raise Stopped
