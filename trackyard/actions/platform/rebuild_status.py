"""The status of a rebuild while it runs and after."""

from dataclasses import dataclass, field
from enum import StrEnum

from trackyard.analytics.maintenance.comparison import Sums, TableComparison
from trackyard.domain.platform.reconciliation import ReconciliationResult
from trackyard.store.platform.rebuilds import RebuildStage


class RebuildMode(StrEnum):
    """The purpose of a rebuild."""

    CHECK = "check"  # compare only
    SWAP = "swap"  # use the rebuilt tables if nothing differs
    ACCEPT = "accept"  # use the rebuilt tables


class RebuildStep(StrEnum):
    """The steps of a rebuild in order, each with the unit of its progress."""

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
    """The status of a rebuild while it runs and after.

    done, total: the progress of the current step.
    carried: rows copied from the live tables.
    paused_ms: how long nothing was loaded.
    figures: sums of the live and the rebuilt tables, by table and group.
    why: the reason for a failure.
    """

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
        """Begin another step."""
        self.step, self.done, self.total = step, 0, total

    def advance(self, number: int) -> None:
        """Count progress of the step."""
        self.done += number

    def add_sums(self, compared: TableComparison, group: str, old: Sums, new: Sums) -> None:
        """Add to the sums of a table."""
        before = self.figures.get((compared.table, group), (Sums(), Sums()))
        self.figures[compared.table, group] = (before[0] + old, before[1] + new)
        self.findings.check(compared.what, max(old.rows, new.rows))
