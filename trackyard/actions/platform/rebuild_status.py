"""The state of a rebuild while it runs and after."""

from dataclasses import dataclass, field
from enum import StrEnum

from trackyard.analytics.maintenance.comparison import Sums, TableComparison
from trackyard.domain.platform.reconciliation import ReconciliationResult
from trackyard.store.platform.rebuilds import RebuildStage


class RebuildMode(StrEnum):
    """What a rebuild is for."""

    CHECK = "check"  # only to know
    SWAP = "swap"  # the new tables are to be used, if they are no different
    ACCEPT = "accept"  # the new tables are to be used


class RebuildStep(StrEnum):
    """What a rebuild does, in this order; in brackets what its progress counts."""

    PREPARED = "preparation"
    JOURNALS = "journals"  # bytes
    CARRIED = "rows that no journal here holds"  # rows
    CONVERSIONS = "conversions"  # conversions
    COMPARED = "comparison"  # spans of time
    SWAPPED = "swap"


class RebuildStopped(Exception):
    """The server stops."""


@dataclass(slots=True)
class RebuildStatus:
    """What is known of a rebuild while it runs and after. done, total: of the step · carried: rows taken over from the
    live tables · paused_ms: for how long nothing was loaded · figures: by table and group what the live tables and the
    new ones hold · why: it failed."""

    number: int
    wish: RebuildMode
    started_at: int
    stage: RebuildStage = RebuildStage.PREPARING
    step: RebuildStep = RebuildStep.PREPARED
    done: int = 0
    total: int = 0
    carried: int = 0
    paused_ms: int = 0
    ended_at: int | None = None
    why: str = ""
    findings: ReconciliationResult = field(default_factory=ReconciliationResult)
    figures: dict[tuple[str, str], tuple[Sums, Sums]] = field(default_factory=dict)

    def begin(self, step: RebuildStep, total: int) -> None:
        """Another step begins."""
        self.step, self.done, self.total = step, 0, total

    def advance(self, number: int) -> None:
        """So much more of the step is done."""
        self.done += number

    def add_sums(self, compared: TableComparison, group: str, old: Sums, new: Sums) -> None:
        """Adds to the figures of a table."""
        before = self.figures.get((compared.table, group), (Sums(), Sums()))
        self.figures[compared.table, group] = (before[0] + old, before[1] + new)
        self.findings.check(compared.what, max(old.rows, new.rows))
