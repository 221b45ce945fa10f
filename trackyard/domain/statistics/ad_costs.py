"""Costs of advertising, which staff enter (docs/spec/statistics.md#ad-costs)."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class AdCostKey:
    """What a cost was paid for: an affiliate's clicks on an offer, on a day, with a value of sub8."""

    offer_id: int
    affiliate_id: int
    day: str
    sub8: str


@dataclass(frozen=True, slots=True)
class AdCost:
    """A cost in the platform's currency. day: YYYY-MM-DD."""

    offer_id: int
    affiliate_id: int
    day: str
    sub8: str
    cost: Decimal


@dataclass(frozen=True, slots=True)
class AdCostSum:
    """The costs of a row of a report, or of a part of one.

    What the report does not need is "", 0 or the first day. day: days since 1970.
    """

    day: int
    offer: int
    affiliate: int
    advertiser: str
    cost: Decimal


COST_COLUMNS: Final = ("offer", "affiliate", "advertiser")
"""The columns of clicks that costs have too; the advertiser is the offer's today."""
_COST_TIMES: Final = ("day", "month", "quarter", "year")
_COST_SLICES: Final = frozenset({*_COST_TIMES, *COST_COLUMNS, "manager", "advertiser_manager"})
_COST_FILTERS: Final = frozenset({*COST_COLUMNS, "sub8"})
FIRST_DAY: Final = "1970-01-01"
LAST_DAY: Final = "2148-12-31"
"""The days that reports can have."""


def slices_have_costs(slices: Iterable[str]) -> bool:
    """Return whether costs have all of these slices, so that rows by them can show costs."""
    return _COST_SLICES.issuperset(slices)


def filters_have_costs(filters: Iterable[str]) -> bool:
    """Return whether costs have all of these filters of reports."""
    return _COST_FILTERS.issuperset(filters)


def needs_days(slices: Set[str]) -> bool:
    """Return whether costs of different days are in different rows."""
    return not slices.isdisjoint(_COST_TIMES)
