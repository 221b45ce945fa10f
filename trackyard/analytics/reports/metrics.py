"""What statistics count. A new metric is declared here and nowhere else (docs/spec/types.md#statistics-rows)."""

from dataclasses import dataclass
from typing import Final

ZERO: Final = "toDecimal128(0, 4)"

REJECTED: Final = "refused"
"""Clicks that were refused, as a source beside the tables; `click` and `view` are those that were not."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A sum of rows by key, and of facts by status, too: what all metrics are made of.

    `sql`: over rows of `source`, a table or REFUSED; {suffix}: of the columns with the amounts in the currency of the
    report · `empty_sql`: what the other sources add.
    """

    name: str
    source: str
    sql: str
    empty_sql: str

    def column_sql(self, source: str, suffix: str) -> str:
        """What rows of a source give for it."""
        return f"{self.sql.format(suffix=suffix) if source == self.source else self.empty_sql} AS {self.name}"


MEASURES: Final = (
    Measure("of_raw", "click", "countIf(reason = '')", "toUInt64(0)"),
    Measure("of_uniq", "click", "sumIf(uniq, reason = '')", "toUInt64(0)"),
    Measure("of_trafficback", REJECTED, "count()", "toUInt64(0)"),
    Measure("of_views", "view", "countIf(reason = '')", "toUInt64(0)"),
    Measure("of_status", "fact", "status", "toUInt8(0)"),
    Measure("of_count", "fact", "sum(sign)", "toInt64(0)"),
    Measure("of_null", "fact", "sumIf(sign, payout = 0)", "toInt64(0)"),
    Measure("of_charge", "fact", "sum(sign * charge{suffix})", ZERO),
    Measure("of_payout", "fact", "sum(sign * payout{suffix})", ZERO),
)


@dataclass(frozen=True, slots=True)
class ActionMetric:
    """A measure of conversions.

    `sql`: it, out of MEASURES, for staff · `affiliate_sql`: the same for a caller who may not see charges
    (docs/spec/statistics.md#amounts) · `payout_sql`: the same for staff whose `statistics_revenue` is `payout`; "" = as
    `sql`.
    """

    name: str
    sql: str
    affiliate_sql: str
    is_money: bool
    payout_sql: str = ""


TRAFFIC_METRICS: Final = ("raw", "uniq", "trafficback", "views")
"""Metrics of clicks and views; each is the sum of its measure."""

ACTION_METRICS: Final = (
    ActionMetric("revenue", "of_charge", "of_payout", True, payout_sql="of_payout"),
    ActionMetric("charge", "of_charge", ZERO, True),
    ActionMetric("earning", "(of_charge - of_payout)", ZERO, True),
    ActionMetric("payouts", "of_payout", "of_payout", True),
    ActionMetric("null", "of_null", "of_null", False),
    ActionMetric("count", "of_count", "of_count", False),
)
