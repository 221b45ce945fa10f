"""Differences between figures that must be equal (docs/spec/engine.md#reconciliation)."""

from dataclasses import dataclass, field
from typing import Final

MAX_DISCREPANCIES: Final = 1000
"""Differences that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Something that differs.

    what: which comparison.
    key: of what.
    expected, found: in words.
    """

    what: str
    key: str
    expected: str
    found: str


@dataclass(slots=True)
class ReconciliationResult:
    """What a comparison found. checked: how many things of each kind were compared."""

    checked: dict[str, int] = field(default_factory=dict)
    differences: list[Discrepancy] = field(default_factory=list)
    count: int = 0

    def check(self, what: str, number: int = 1) -> None:
        """Count what was compared."""
        self.checked[what] = self.checked.get(what, 0) + number

    def add_discrepancy(self, what: str, key: str, expected: object, found: object) -> None:
        """Name a difference."""
        self.count += 1
        if len(self.differences) < MAX_DISCREPANCIES:
            self.differences.append(Discrepancy(what, key, str(expected), str(found)))
