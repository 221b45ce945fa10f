"""Compatibility switches of statistics (docs/compatibility.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ADVERTISER: Final = "advertiser"
PAYOUT: Final = "payout"
REVENUE_CHOICES: Final = (ADVERTISER, PAYOUT)
"""Values of `statistics_revenue`; the first is the default."""

FULL: Final = "full"
PLAIN: Final = "plain"
ROWS_CHOICES: Final = (FULL, PLAIN)
"""Values of `statistics_rows`; the first is the default."""


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches of one caller.

    statistics_revenue: whether `revenue` of statistics rows is charges or payouts.
    statistics_rows: whether rows contain every metric or only the metrics of the public API.
    """

    statistics_revenue: str = ADVERTISER
    statistics_rows: str = FULL

    @property
    def by_payout(self) -> bool:
        """Return whether `revenue` shows payouts."""
        return self.statistics_revenue == PAYOUT

    @property
    def plain(self) -> bool:
        """Return whether rows contain only the fields of the public API."""
        return self.statistics_rows == PLAIN

    def overridden(self, own: Mapping[str, str | None]) -> "Switches":
        """Return the switches after the caller's own values; None and "" override nothing."""
        return Switches(
            own.get("statistics_revenue") or self.statistics_revenue,
            own.get("statistics_rows") or self.statistics_rows,
        )
