"""The sums that rules judge, and the metrics that are made of them (docs/spec/automation.md#metrics)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import add, sub
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from trackyard.base.money import ZERO
from trackyard.domain.statistics.metrics import CLICKLESS, METRIC_BY_NAME, Unit

Key = tuple[int | str, ...]
"""What is judged: the values of the slices of a rule, in their order."""


class Measures(NamedTuple):
    """The traffic and the conversions of something in a window. Sums of windows are sums of these.

    rejected: clicks that were rejected. conversions, charge, payout: of confirmed, pending and held ones.
    first, second: conversions of two goals, of every status. marked: clicks with a suspicious signal.
    clickless, clickless_payout: the part of conversions and of payout that has no click.
    """

    clicks: int = 0
    unique: int = 0
    rejected: int = 0
    conversions: int = 0
    confirmed: int = 0
    declined: int = 0
    charge: Decimal = ZERO
    payout: Decimal = ZERO
    first: int = 0
    second: int = 0
    marked: int = 0
    clickless: int = 0
    clickless_payout: Decimal = ZERO

    def plus(self, other: "Measures") -> "Measures":
        """Return the sums of both."""
        sums: Iterator[Any] = map(add, self, other)
        return Measures(*sums)

    def minus(self, other: "Measures") -> "Measures":
        """Return the measures without the other's."""
        left: Iterator[Any] = map(sub, self, other)
        return Measures(*left)


NOTHING: Final = Measures()


@dataclass(frozen=True, slots=True)
class RuleMetric:
    """A metric of rules.

    top: what is counted; a share has `bottom`, of which `top` is so many percent (`scale` 100) or so much each.
    volume: what the minimum volume of a rule counts.
    is_money: whether `top` is an amount, which no chance can be computed of.
    of_goals, of_rejections, of_signals: whether it needs conversions by goal, rejected clicks, and marked clicks.
    of_clickless: whether it needs conversions without a click.
    """

    top: Callable[[Measures], int | Decimal]
    volume: Callable[[Measures], int]
    bottom: Callable[[Measures], int] | None = None
    scale: int = 100
    is_money: bool = False
    of_goals: bool = False
    of_rejections: bool = False
    of_signals: bool = False
    of_clickless: bool = False

    def value(self, measured: Measures) -> Decimal | None:
        """Return the value, None for a share of nothing."""
        if self.bottom is None:
            return Decimal(self.top(measured))
        whole = self.bottom(measured)
        return None if whole == 0 else Decimal(self.top(measured)) * self.scale / whole

    @property
    def counted(self) -> tuple[str, ...]:
        """Return the columns of reports that together are at least the volume."""
        return _COUNTED[self.volume]


def _clicks(measured: Measures) -> int:
    return measured.clicks


def _arrived(measured: Measures) -> int:
    return measured.clicks + measured.rejected


def _reported(measured: Measures) -> int:
    return measured.conversions + measured.declined


def _first(measured: Measures) -> int:
    return measured.first


_COUNTED: Final[Mapping[Callable[[Measures], int], tuple[str, ...]]] = MappingProxyType(
    {_clicks: ("raw",), _arrived: ("raw", "trafficback"), _reported: ("count",), _first: ("count",)}
)


def _registered(name: str, volume: Callable[[Measures], int] = _clicks, *, of_rejections: bool = False) -> RuleMetric:
    """Return a metric of statistics (domain/statistics/metrics.py) as one of rules."""
    metric = METRIC_BY_NAME[name]
    return RuleMetric(
        metric.of,
        volume,
        metric.per,
        scale=100 if metric.unit is Unit.SHARE else metric.scale,
        is_money=metric.unit in (Unit.MONEY, Unit.RATE),
        of_rejections=of_rejections,
        of_clickless=CLICKLESS in metric.reads,
    )


METRICS: Final[Mapping[str, RuleMetric]] = MappingProxyType(
    {
        "clicks": _registered("clicks"),
        "unique_clicks": _registered("unique"),
        "rejected_clicks": _registered("rejected", _arrived, of_rejections=True),
        "rejected_share": RuleMetric(lambda each: each.rejected, _arrived, _arrived, of_rejections=True),
        "marked_clicks": RuleMetric(lambda each: each.marked, _clicks, of_signals=True),
        "marked_share": RuleMetric(lambda each: each.marked, _clicks, _clicks, of_signals=True),
        "conversions": _registered("conversions"),
        "confirmed": _registered("confirmed"),
        "declined": _registered("declined", _reported),
        "declined_share": RuleMetric(lambda each: each.declined, _reported, _reported),
        "cr": _registered("cr"),
        "charge": _registered("charge"),
        "payout": _registered("payout"),
        "margin": _registered("margin"),
        "epc": _registered("expected_epc"),
        "goal_share": RuleMetric(lambda each: each.second, _first, _first, of_goals=True),
    }
)
"""Every metric by name. `goal_share` is conversions of the second goal per conversion of the first, in percent.

`epc` is the expected EPC of statistics: a rule judges conversions before they are confirmed.
"""
