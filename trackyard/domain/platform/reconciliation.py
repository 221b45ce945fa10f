"""Differences between figures that must be equal (docs/spec/engine.md#reconciliation)."""

from dataclasses import dataclass, field
from typing import Final

MAX_DISCREPANCIES: Final = 1000
"""Differences that are listed; further ones are only counted."""

NO_JOURNALS: Final = (
    "clicks and postbacks were not compared with journals, because this machine has none: run `trackyard audit` on "
    "each machine that takes clicks"
)
"""What an API without journals says of its comparison."""


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A difference.

    what: the comparison.
    key: the key of the compared thing.
    expected, found: the two values in words.
    """

    what: str
    key: str
    expected: str
    found: str


@dataclass(slots=True)
class ReconciliationResult:
    """The result of a comparison.

    checked: number of compared things of each kind.
    not_loaded: number of records by journal that are not loaded yet, and were not compared.
    """

    checked: dict[str, int] = field(default_factory=dict)
    differences: list[Discrepancy] = field(default_factory=list)
    count: int = 0
    not_loaded: dict[str, int] = field(default_factory=dict)

    def check(self, what: str, number: int = 1) -> None:
        """Count compared things."""
        self.checked[what] = self.checked.get(what, 0) + number

    def add_discrepancy(self, what: str, key: str, expected: object, found: object) -> None:
        """Add a difference."""
        self.count += 1
        if len(self.differences) < MAX_DISCREPANCIES:
            self.differences.append(Discrepancy(what, key, str(expected), str(found)))
