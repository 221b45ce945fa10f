"""What statistics count. A new metric is declared here and nowhere else (platform-api.md, Statistics row)."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from trackyard.domain.statuses import Status

ZERO: Final = "toDecimal64(0, 4)"


@dataclass(frozen=True, slots=True)
class TrafficMetric:
    """A number of clicks; `sql` aggregates rows of `click`."""

    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class ActionMetric:
    """A measure of conversions, summed with their sign.

    `sql`: what one row of `fact` adds, for staff; {charge} and {payout} are its amounts in the currency of the
    report · `affiliate_sql`: the same for a caller who may not see charges (behaviour.md §1).
    """

    name: str
    sql: str
    affiliate_sql: str
    is_money: bool


TRAFFIC: Final = (
    TrafficMetric("raw", "countIf(reason = '')"),
    TrafficMetric("uniq", "sumIf(uniq, reason = '')"),
    TrafficMetric("trafficback", "countIf(reason != '')"),
)

VIEWS: Final = "countIf(reason = '')"
"""The views in rows of `view`."""

ACTIONS: Final = (
    ActionMetric("revenue", "{charge}", "{payout}", True),
    ActionMetric("charge", "{charge}", ZERO, True),
    ActionMetric("earning", "({charge} - {payout})", ZERO, True),
    ActionMetric("payouts", "{payout}", "{payout}", True),
    ActionMetric("null", "(payout = 0)", "(payout = 0)", False),
    ActionMetric("count", "1", "1", False),
)

TOTAL: Final = "total"
CONFIRMED: Final = "confirmed"

_TYPES: Final = MappingProxyType(
    {
        TOTAL: tuple(Status),
        CONFIRMED: (Status.CONFIRMED,),
        "pending": (Status.PENDING, Status.PENDING_CAP),
        "declined": (Status.DECLINED,),
        "hold": (Status.HOLD,),
    }
)


def conversion_types(*, not_found_apart: bool) -> dict[str, tuple[Status, ...]]:
    """Conversion types and the statuses each counts.

    not_found is a type of its own under /3.0 and counts as declined under /3.1 (behaviour.md §2).
    """
    types = dict(_TYPES)
    if not_found_apart:
        types["not_found"] = (Status.NOT_FOUND,)
    else:
        types["declined"] += (Status.NOT_FOUND,)
    return types


ORDER_METRICS: Final = (
    "raw",
    "uniq",
    *(f"{kind}_{metric.name}" for kind in (*_TYPES, "not_found") for metric in ACTIONS),
)
"""Metrics a report can be ordered by; a superset of those of platform-api.md."""
