"""Every metric of statistics, once (docs/spec/statistics.md#metrics).

Rows of the API, their files, pages, `trackyard report` and rules read this table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Any, Final

from trackyard.base.money import ZERO, rounded
from trackyard.base.texts.marks import lazy_gettext

COUNTED: Final = ("confirmed", "pending", "hold")
"""The conversion types that `conversions`, `charge`, `payout` and `margin` count; declined is a metric of its own."""
CLICKLESS: Final = "clickless"
"""The sums of conversions without a click, which CR and EPC leave out: imports and promo codes have none."""


@dataclass(frozen=True, slots=True)
class MetricSums:
    """The sums of rows, which metrics are computed from; amounts in one currency.

    conversions, charge, payout: of COUNTED. rejected, impressions, cost: 0 in rows that do not have them.
    clickless: conversions without a click, of COUNTED; clickless_payout: their payout. Both are parts of the sums of
    all, as clickless_confirmed and clickless_confirmed_payout are of the sums of confirmed ones.
    """

    clicks: int = 0
    unique: int = 0
    rejected: int = 0
    impressions: int = 0
    conversions: int = 0
    confirmed: int = 0
    pending: int = 0
    hold: int = 0
    declined: int = 0
    charge: Decimal = ZERO
    payout: Decimal = ZERO
    confirmed_charge: Decimal = ZERO
    confirmed_payout: Decimal = ZERO
    pending_charge: Decimal = ZERO
    pending_payout: Decimal = ZERO
    hold_charge: Decimal = ZERO
    hold_payout: Decimal = ZERO
    declined_charge: Decimal = ZERO
    declined_payout: Decimal = ZERO
    cost: Decimal = ZERO
    clickless: int = 0
    clickless_payout: Decimal = ZERO
    clickless_confirmed: int = 0
    clickless_confirmed_payout: Decimal = ZERO

    def __add__(self, other: "MetricSums") -> "MetricSums":
        return MetricSums(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def metric(self, name: str) -> Decimal | int | None:
        """Return a metric by name."""
        return METRIC_BY_NAME[name].value(self)

    def __sub__(self, other: "MetricSums") -> "MetricSums":
        return MetricSums(*(getattr(self, name) - getattr(other, name) for name in self.__slots__))


class Unit(StrEnum):
    """What a metric is measured in. SHARE: 1 is all. RATE: an amount for each of something."""

    COUNT = "count"
    MONEY = "money"
    SHARE = "share"
    RATE = "rate"


class MetricDirection(StrEnum):
    """Which way a metric should go.

    UP: more is better, as of clicks. DOWN: less is better, as of declined conversions. NEUTRAL: neither, as of payout.
    """

    UP = "up"
    DOWN = "down"
    NEUTRAL = "neutral"


class InRows(Enum):
    """The rows of the API that have a field, where the caller selects no fields (docs/compatibility.md).

    FULL: `full` rows. REJECTED: also rows by rejection reason. RATED: also rows by connection type or page.
    COSTS: staff rows that can have costs. NAMED: only rows by rejection reason.
    """

    FULL = "full"
    REJECTED = "rejected"
    RATED = "rated"
    COSTS = "costs"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class RowField:
    """A metric as a field of the API's rows. also: another field with the same value, which callers name."""

    name: str
    rows: InRows = InRows.FULL
    also: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric.

    name: its name in URLs of pages, saved reports, `trackyard report` and rules. old: its former names there.
    of: the counted sum. per: the divisor of a share or a rate, None = the metric is a sum. scale: `of` is counted for
        this many of `per`.
    less: for a difference, the names of its sums: the first minus the others.
    field: the field in rows of the API, None where they lack the metric.
    reads: sums that not every row has, such as clicks: rows by goal have none.
    of_staff: whether only staff see it, and no affiliate.
    """

    name: str
    label: str
    unit: Unit
    direction: MetricDirection
    of: Callable[[Any], int | Decimal]
    per: Callable[[Any], Any] | None = None
    scale: int = 1
    less: tuple[str, ...] = ()
    field: RowField | None = None
    reads: tuple[str, ...] = ()
    of_staff: bool = False
    old: tuple[str, ...] = ()

    def value(self, sums: MetricSums) -> Decimal | int | None:
        """Return the metric of sums; None for a share or a rate of nothing."""
        if self.per is None:
            return self.of(sums)
        whole = self.per(sums)
        return Decimal(self.of(sums)) * self.scale / whole if whole else None

    def in_rows(self, sums: MetricSums) -> Decimal:
        """Return its value in rows of the API: shares in percent, 0 where the divisor is 0, four places."""
        if self.per is None:
            return Decimal(self.of(sums))
        whole = self.per(sums)
        scale = self.scale * (100 if self.unit is Unit.SHARE else 1)
        return rounded(scale * Decimal(self.of(sums)) / whole) if whole else ZERO

    @property
    def is_money(self) -> bool:
        """Return whether it is an amount."""
        return self.unit in (Unit.MONEY, Unit.RATE)

    @property
    def adds_up(self) -> bool:
        """Return whether the value for all rows together is the sum of the rows' values."""
        return self.per is None


def _sum(name: str) -> Callable[[Any], Any]:
    return lambda sums: getattr(sums, name)


def _converted(sums: Any) -> Any:
    return sums.conversions - sums.clickless


def _earned(sums: Any) -> Any:
    return sums.payout - sums.clickless_payout


def _confirmed_earned(sums: MetricSums) -> Decimal:
    return sums.confirmed_payout - sums.clickless_confirmed_payout


def _margin(sums: Any) -> Any:
    return sums.charge - sums.payout


def _profit(sums: MetricSums) -> Decimal:
    return sums.confirmed_charge - sums.confirmed_payout - sums.cost


def _expected_profit(sums: MetricSums) -> Decimal:
    return sums.charge - sums.payout - sums.cost


def _margin_of(status: str) -> Callable[[Any], Any]:
    return lambda sums: getattr(sums, f"{status}_charge") - getattr(sums, f"{status}_payout")


def _money_of(status: str, charge: str, payout: str, margin: str) -> tuple[Metric, ...]:
    """Return the amounts of the conversions of a status. charge, payout, margin: their labels."""
    parts = (f"{status}_charge", f"{status}_payout")
    goes = MetricDirection.UP if status == "confirmed" else MetricDirection.NEUTRAL
    return (
        Metric(parts[0], charge, Unit.MONEY, MetricDirection.NEUTRAL, _sum(parts[0]), of_staff=True),
        Metric(parts[1], payout, Unit.MONEY, MetricDirection.NEUTRAL, _sum(parts[1])),
        Metric(f"{status}_margin", margin, Unit.MONEY, goes, _margin_of(status), less=parts, of_staff=True),
    )


_clicks, _impressions, _cost = _sum("clicks"), _sum("impressions"), _sum("cost")

METRICS: Final = (
    Metric("clicks", lazy_gettext("Clicks"), Unit.COUNT, MetricDirection.UP, _clicks, reads=("clicks",)),
    Metric(
        *("unique", lazy_gettext("Unique"), Unit.COUNT, MetricDirection.UP, _sum("unique")),
        reads=("clicks",),
        old=("uniques",),
    ),
    Metric(
        *("impressions", lazy_gettext("Impressions"), Unit.COUNT, MetricDirection.UP, _impressions),
        field=RowField("views", InRows.REJECTED),
        reads=("impressions",),
    ),
    Metric("conversions", lazy_gettext("Conversions"), Unit.COUNT, MetricDirection.UP, _sum("conversions")),
    Metric("confirmed", lazy_gettext("Confirmed"), Unit.COUNT, MetricDirection.UP, _sum("confirmed")),
    Metric("pending", lazy_gettext("Pending"), Unit.COUNT, MetricDirection.NEUTRAL, _sum("pending")),
    Metric("hold", lazy_gettext("On hold"), Unit.COUNT, MetricDirection.NEUTRAL, _sum("hold")),
    Metric("declined", lazy_gettext("Declined"), Unit.COUNT, MetricDirection.DOWN, _sum("declined")),
    Metric(
        *("without_click", lazy_gettext("Without a click"), Unit.COUNT, MetricDirection.NEUTRAL, _sum("clickless")),
        reads=(CLICKLESS,),
    ),
    Metric(
        *("cr", lazy_gettext("CR"), Unit.SHARE, MetricDirection.UP, _converted, _clicks),
        reads=("clicks", CLICKLESS),
    ),
    Metric(
        *("ctr", lazy_gettext("CTR"), Unit.SHARE, MetricDirection.UP, _clicks, _impressions),
        field=RowField("ctr", InRows.REJECTED),
        reads=("clicks", "impressions"),
    ),
    Metric("charge", lazy_gettext("Charge"), Unit.MONEY, MetricDirection.NEUTRAL, _sum("charge"), of_staff=True),
    Metric("payout", lazy_gettext("Payout"), Unit.MONEY, MetricDirection.NEUTRAL, _sum("payout")),
    Metric(
        "margin",
        lazy_gettext("Margin"),
        Unit.MONEY,
        MetricDirection.UP,
        _margin,
        less=("charge", "payout"),
        of_staff=True,
    ),
    *_money_of(
        "confirmed",
        lazy_gettext("Confirmed charge"),
        lazy_gettext("Confirmed payout"),
        lazy_gettext("Confirmed margin"),
    ),
    *_money_of(
        "pending", lazy_gettext("Pending charge"), lazy_gettext("Pending payout"), lazy_gettext("Pending margin")
    ),
    *_money_of("hold", lazy_gettext("Charge on hold"), lazy_gettext("Payout on hold"), lazy_gettext("Margin on hold")),
    *_money_of(
        "declined", lazy_gettext("Declined charge"), lazy_gettext("Declined payout"), lazy_gettext("Declined margin")
    ),
    Metric(
        "margin_share",
        lazy_gettext("Margin share"),
        Unit.SHARE,
        MetricDirection.UP,
        _margin,
        _sum("charge"),
        of_staff=True,
    ),
    Metric(
        *("epc", lazy_gettext("EPC"), Unit.RATE, MetricDirection.UP, _confirmed_earned, _clicks),
        reads=("clicks", CLICKLESS),
    ),
    Metric(
        *("total_epc", lazy_gettext("Total EPC"), Unit.RATE, MetricDirection.UP, _sum("confirmed_payout"), _clicks),
        field=RowField("epc", InRows.RATED, also="affiliate_epc"),
        reads=("clicks",),
    ),
    Metric(
        *("ecpm", lazy_gettext("eCPM"), Unit.RATE, MetricDirection.UP, _sum("confirmed_payout"), _impressions, 1000),
        field=RowField("ecpm"),
        reads=("impressions",),
    ),
    Metric(
        *("rejected", lazy_gettext("Rejected"), Unit.COUNT, MetricDirection.DOWN, _sum("rejected")),
        field=RowField("trafficback", InRows.NAMED),
        reads=("rejected",),
    ),
    Metric(
        *("cost", lazy_gettext("Ad costs"), Unit.MONEY, MetricDirection.NEUTRAL, _cost),
        field=RowField("cost", InRows.COSTS),
        reads=("cost",),
        of_staff=True,
    ),
    Metric(
        *("confirmed_profit", lazy_gettext("Profit"), Unit.MONEY, MetricDirection.UP, _profit),
        less=("confirmed_charge", "confirmed_payout", "cost"),
        field=RowField("profit", InRows.COSTS),
        reads=("cost",),
        of_staff=True,
    ),
    Metric(
        *("confirmed_roi", lazy_gettext("ROI"), Unit.SHARE, MetricDirection.UP, _profit, _cost),
        field=RowField("roi", InRows.COSTS),
        reads=("cost",),
        of_staff=True,
    ),
    Metric(
        *("expected_profit", lazy_gettext("Expected profit"), Unit.MONEY, MetricDirection.UP, _expected_profit),
        less=("charge", "payout", "cost"),
        reads=("cost",),
        of_staff=True,
        old=("profit",),
    ),
    Metric(
        *("expected_roi", lazy_gettext("Expected ROI"), Unit.SHARE, MetricDirection.UP, _expected_profit, _cost),
        reads=("cost",),
        of_staff=True,
        old=("roi",),
    ),
    Metric(
        *("expected_epc", lazy_gettext("Expected EPC"), Unit.RATE, MetricDirection.UP, _earned, _clicks),
        reads=("clicks", CLICKLESS),
    ),
)
"""The metrics in the order in which tables show them. "Expected" ones count all of COUNTED, others the confirmed."""
BY_STATUS: Final = tuple(
    f"{status}_{name}" for status in (*COUNTED, "declined") for name in ("charge", "payout", "margin")
)
"""The names of the amounts of conversions of one status."""
FIELDS_OF_ROWS: Final = tuple((metric, metric.field) for metric in METRICS if metric.field is not None)
"""The metrics that rows of the API have, with their fields in order."""
METRIC_BY_NAME: Final[Mapping[str, Metric]] = MappingProxyType(
    {name: metric for metric in METRICS for name in (metric.name, *metric.old)}
)
