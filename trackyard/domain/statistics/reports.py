"""Reports of statistics: requests and rows (docs/spec/statistics.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from types import MappingProxyType
from typing import Any, Final

from trackyard.base.money import ZERO, rounded
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.exchange_rates import DayRates
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.ad_costs import AdCostSum, filters_have_costs, slices_have_costs
from trackyard.domain.statistics.metrics import COUNTED, METRIC_BY_NAME, MetricSums
from trackyard.domain.statistics.slices import FILTERS, SLICES

Values = tuple[int, ...] | tuple[str, ...]
Groups = Mapping[str, tuple[str, ...]]
"""Current managers or tags by the kind of what they select: `affiliate_manager`, `advertiser_tag`, `offer_tag`, …"""
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

TOTAL: Final = "total"
CONFIRMED: Final = "confirmed"

_CONVERSION_TYPES: Final = MappingProxyType(
    {
        TOTAL: tuple(Status),
        CONFIRMED: (Status.CONFIRMED,),
        "pending": (Status.PENDING, Status.PENDING_CAP),
        "declined": (Status.DECLINED,),
        "hold": (Status.HOLD,),
    }
)


def conversion_types(*, separate_not_found: bool) -> dict[str, tuple[Status, ...]]:
    """Conversion types and the statuses each counts.

    not_found is a type of its own under /3.0 and counts as declined under /3.1 (docs/spec/api-conventions.md#versions).
    """
    types = dict(_CONVERSION_TYPES)
    if separate_not_found:
        types["not_found"] = (Status.NOT_FOUND,)
    else:
        types["declined"] += (Status.NOT_FOUND,)
    return types


@dataclass(frozen=True, slots=True)
class LeastVolume:
    """A bound of volume: rows count only when everything with their values of some slices reaches it.

    slices: slices of the report. counted: the summed counts, of `raw`, `trafficback` and `count` (conversions).
    since, until: the period of the sum.
    """

    slices: tuple[str, ...]
    counted: tuple[str, ...]
    number: int
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class ConversionTotals:
    """The conversions of one type; amounts in the currency of the report.

    clickless, clickless_payouts: of conversions without a click; 0 where the report does not count them.
    """

    revenue: Decimal
    charge: Decimal
    earning: Decimal
    payouts: Decimal
    null: int
    count: int
    clickless: int = 0
    clickless_payouts: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class StatsRow:
    """One statistics row (docs/spec/types.md#statistics-rows).

    keys: the raw values of the slices
    actions: totals by conversion type
    cost: of advertising; None where the report has no costs (docs/spec/statistics.md#ad-costs)
    """

    keys: dict[str, int | str]
    raw: int
    uniq: int
    trafficback: int
    views: int
    actions: dict[str, ConversionTotals]
    cost: Decimal | None = None

    def cr(self, kind: str = TOTAL) -> Decimal:
        """Return the conversions of a type per click, in percent."""
        return _ratio(Decimal(100 * self.actions[kind].count), self.raw)

    @property
    def ratio(self) -> str:
        """Return clicks per conversion, "1:0" when there is none."""
        count = self.actions[TOTAL].count
        clicks = (Decimal(self.raw) / count).quantize(Decimal(1), rounding=ROUND_HALF_EVEN) if count else 0
        return f"1:{clicks}"

    @property
    def sums(self) -> MetricSums:
        """Return the sums from which metrics are computed."""
        counted = [self.actions[kind] for kind in COUNTED]
        confirmed, pending, hold = counted
        declined = self.actions["declined"]
        return MetricSums(
            clicks=self.raw,
            unique=self.uniq,
            rejected=self.trafficback,
            impressions=self.views,
            conversions=sum(each.count for each in counted),
            confirmed=confirmed.count,
            pending=pending.count,
            hold=hold.count,
            declined=declined.count,
            charge=sum((each.charge for each in counted), ZERO),
            payout=sum((each.payouts for each in counted), ZERO),
            confirmed_charge=confirmed.payouts + confirmed.earning,
            confirmed_payout=confirmed.payouts,
            pending_charge=pending.payouts + pending.earning,
            pending_payout=pending.payouts,
            hold_charge=hold.payouts + hold.earning,
            hold_payout=hold.payouts,
            declined_charge=declined.payouts + declined.earning,
            declined_payout=declined.payouts,
            cost=self.cost or ZERO,
            clickless=sum(each.clickless for each in counted),
            clickless_payout=sum((each.clickless_payouts for each in counted), ZERO),
            clickless_confirmed=confirmed.clickless,
            clickless_confirmed_payout=confirmed.clickless_payouts,
        )

    def metric(self, name: str) -> Decimal:
        """Return a metric as rows of the API show it (domain/statistics/metrics.py)."""
        return METRIC_BY_NAME[name].in_rows(self.sums)


@dataclass(frozen=True, slots=True)
class StatsPage:
    """A page of rows.

    total_count: rows on all pages
    currency: the currency of the amounts, None = the platform's
    """

    rows: list[StatsRow]
    total_count: int
    currency: str | None


def _ratio(amount: Decimal, divisor: int) -> Decimal:
    return rounded(amount / divisor) if divisor else ZERO


ORDER_METRICS: Final = (
    "raw",
    "uniq",
    *(
        f"{kind}_{name}"
        for kind in (*_CONVERSION_TYPES, "not_found")
        for name in ("revenue", "charge", "earning", "payouts", "null", "count")
    ),
)
"""Metrics that a report can be ordered by; more than the public API has."""
COST_METRICS: Final = ("cost", "profit")
"""Metrics that reports with costs can be ordered by, too."""


@dataclass(frozen=True, slots=True)
class ChosenConversions:
    """The conversions that a report counts: the conversions with these ids, or all others."""

    ids: tuple[str, ...]
    others: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A request for the statistics rows of a period.

    scope: the records that the caller may see; a use case sets it
    since, until: UTC milliseconds, `until` exclusive
    dimensions: names of slices, in the order of the keys
    filters, excluded: name of a filter → the values that it accepts or rejects; accepting none selects nothing
    managers: slice by manager → affiliate or advertiser → staff user of today; absent = no manager
    zone: IANA name, for the parts of time
    order: slices of `dimensions`, or of ORDER_METRICS; `currency` orders nothing; () = by the keys
    descending: for all of `order`
    separate_not_found: whether not_found is a conversion type of its own, as under /3.0
    nonzero: only rows with conversions
    by_payout: whether `revenue` is the sum of payouts for staff too (domain/statistics/switches.py)
    page: from 1
    titles: slice of `order` → the titles that order its values; a value without a title comes first
    groups, excluded_groups: more filters by managers and tags; a use case turns them into `filters` and `excluded`
    locale: language of the names of cities
    costs: of advertising in scope, which a use case reads; None = the report has none
    counts_rejected: whether rows count rejected clicks, too; rows by rejection reason always do
    counts_clickless: whether rows count conversions without a click, too
    statuses: conversion types of the counted conversions, () = any; traffic stays whole
    payment_statuses: statuses of the counted conversions, () = any; a use case turns them into `conversions`
    conversions: the counted conversions, None = all; traffic stays whole
    in_currency: the currency into which amounts are converted at the rate of each day, "" = not converted
    day_rates: the rates of `in_currency`, which a use case reads; None for the platform's own
    least: the volume that rows must belong to, None = any
    shown_goals: spelling of a goal → the one that rows of the goal show; absent = itself. The store reads it

    Raises ValueError for a name that does not exist.
    """

    scope: Scope
    since: int
    until: int
    dimensions: tuple[str, ...]
    filters: Mapping[str, Values] = field(default_factory=lambda: _NOTHING)
    managers: Mapping[str, Mapping[Any, str]] = field(default_factory=lambda: _NOTHING)
    zone: str = "UTC"
    order: tuple[str, ...] = ()
    descending: bool = False
    separate_not_found: bool = False
    nonzero: bool = False
    by_payout: bool = False
    page: int = 1
    limit: int = 100
    excluded: Mapping[str, Values] = field(default_factory=lambda: _NOTHING)
    titles: Mapping[str, Mapping[Any, str]] = field(default_factory=lambda: _NOTHING)
    groups: Groups = field(default_factory=lambda: _NOTHING)
    excluded_groups: Groups = field(default_factory=lambda: _NOTHING)
    locale: str = "en"
    costs: tuple[AdCostSum, ...] | None = None
    counts_rejected: bool = False
    counts_clickless: bool = False
    statuses: tuple[str, ...] = ()
    payment_statuses: tuple[str, ...] = ()
    conversions: ChosenConversions | None = None
    in_currency: str = ""
    day_rates: DayRates | None = None
    least: LeastVolume | None = None
    shown_goals: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        unknown = [name for name in self.dimensions if name not in SLICES]
        unknown += [name for name in (*self.filters, *self.excluded) if name not in FILTERS]
        unknown += [name for name in self.order if not self._orders_by(name)]
        if unknown:
            raise ValueError(f"unknown to statistics: {', '.join(unknown)}")
        if self.page < 1 or self.limit < 1:
            raise ValueError("pages and limits begin at 1")

    @property
    def currency(self) -> str | None:
        """Return the currency of the amounts; None = the platform's."""
        chosen = self.filters.get("currency", ())
        return self.in_currency or (str(chosen[0]) if len(chosen) == 1 else None)

    @property
    def has_own_amounts(self) -> bool:
        """Return whether amounts stay in the one currency that all conversions share."""
        return self.currency is not None and not self.in_currency

    @property
    def high_cardinality(self) -> bool:
        """Return whether there may be millions of rows on all pages."""
        return any(SLICES[name].has_many_values for name in self.dimensions)

    @property
    def conversion_types(self) -> dict[str, tuple[Status, ...]]:
        """Return the conversion types of its rows with the statuses that each counts, () = none."""
        types = conversion_types(separate_not_found=self.separate_not_found)
        if not self.statuses:
            return types
        chosen = {status for name in self.statuses for status in types[name]}
        return {name: tuple(each for each in found if each in chosen) for name, found in types.items()}

    @property
    def can_have_costs(self) -> bool:
        """Return whether costs have every slice and filter."""
        has_filters = filters_have_costs({*self.filters, *self.excluded})
        has_all = not self.payment_statuses and not self.statuses
        return has_all and has_filters and slices_have_costs(self.dimensions)

    def _orders_by(self, name: str) -> bool:
        return name in self.dimensions or name in (*ORDER_METRICS, *COST_METRICS, "currency")
