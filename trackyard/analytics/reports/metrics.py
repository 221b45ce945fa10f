"""The metrics of statistics (docs/spec/types.md#statistics-rows)."""

from dataclasses import dataclass
from typing import Final

from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.tracking.rejections import NOT_COUNTED

ZERO: Final = "toDecimal128(0, 4)"

REJECTED_SQL: Final = f"reason NOT IN ('', '{NOT_COUNTED}')"
"""The condition that a click was rejected. An accepted click that counts has no reason."""

CLICKLESS_SQL: Final = f"substring(click_id, 9, 2) = '{IMPORT_EDGE:02x}'"
"""The condition that a conversion has no click: imports and promo codes make such click ids."""

REJECTED: Final = "refused"
"""The source of rejected clicks; the sources `click` and `view` are the accepted ones."""
COSTS: Final = "costs"
"""The source of the costs that a report brings along (docs/spec/statistics.md#ad-costs)."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A sum of rows by key, and of conversion events by status too; metrics are computed from them.

    source: a table or REJECTED.
    sql: the sum over rows of the source. {suffix}: ends the columns with amounts in the currency of the report.
    empty_sql: the value for the other sources.
    is_money: whether it is an amount. of_clickless: whether it counts conversions without a click.
    """

    name: str
    source: str
    sql: str
    empty_sql: str
    is_money: bool = False
    of_clickless: bool = False

    def column_sql(self, source: str, suffix: str, rate: str = "") -> str:
        """Return its column for rows of a source. rate: the SQL of what amounts are multiplied by, "" = 1."""
        if source != self.source:
            return f"{self.empty_sql} AS {self.name}"
        sql = self.sql.format(suffix=suffix)
        return f"{sql} * {rate} AS {self.name}" if self.is_money and rate else f"{sql} AS {self.name}"


MEASURES: Final = (
    Measure("of_raw", "click", "countIf(reason = '')", "toUInt64(0)"),
    Measure("of_uniq", "click", "sumIf(uniq, reason = '')", "toUInt64(0)"),
    Measure("of_trafficback", REJECTED, "count()", "toUInt64(0)"),
    Measure("of_views", "view", "countIf(reason = '')", "toUInt64(0)"),
    Measure("of_status", "fact", "status", "toUInt8(0)"),
    Measure("of_count", "fact", "sum(sign)", "toInt64(0)"),
    Measure("of_null", "fact", "sumIf(sign, payout = 0)", "toInt64(0)"),
    Measure("of_charge", "fact", "sum(sign * charge{suffix})", ZERO, is_money=True),
    Measure("of_payout", "fact", "sum(sign * payout{suffix})", ZERO, is_money=True),
    Measure("of_clickless", "fact", f"sumIf(sign, {CLICKLESS_SQL})", "toInt64(0)", of_clickless=True),
    Measure(
        *("of_clickless_payout", "fact", f"sumIf(sign * payout{{suffix}}, {CLICKLESS_SQL})", ZERO),
        is_money=True,
        of_clickless=True,
    ),
    Measure("of_cost", COSTS, "cost", ZERO, is_money=True),
)


@dataclass(frozen=True, slots=True)
class ActionMetric:
    """A measure of conversions.

    sql: from MEASURES, for staff.
    affiliate_sql: for callers that may not see charges (docs/spec/statistics.md#amounts).
    payout_sql: for staff with `statistics_revenue` = `payout`; "" = `sql`.
    of_clickless: whether only reports that count conversions without a click have it.
    """

    name: str
    sql: str
    affiliate_sql: str
    is_money: bool
    payout_sql: str = ""
    of_clickless: bool = False


def measures_of(*, counts_clickless: bool) -> tuple[Measure, ...]:
    """Return the sums that a report reads."""
    return tuple(each for each in MEASURES if counts_clickless or not each.of_clickless)


TRAFFIC_METRICS: Final = ("raw", "uniq", "trafficback", "views")
"""Metrics of clicks and impressions; each is the sum of its measure."""

ACTION_METRICS: Final = (
    ActionMetric("revenue", "of_charge", "of_payout", True, payout_sql="of_payout"),
    ActionMetric("charge", "of_charge", ZERO, True),
    ActionMetric("earning", "(of_charge - of_payout)", ZERO, True),
    ActionMetric("payouts", "of_payout", "of_payout", True),
    ActionMetric("null", "of_null", "of_null", False),
    ActionMetric("count", "of_count", "of_count", False),
    ActionMetric("clickless", "of_clickless", "of_clickless", False, of_clickless=True),
    ActionMetric("clickless_payouts", "of_clickless_payout", "of_clickless_payout", True, of_clickless=True),
)


def action_metrics_of(*, counts_clickless: bool) -> tuple[ActionMetric, ...]:
    """Return the measures of conversions that a report has."""
    return tuple(each for each in ACTION_METRICS if counts_clickless or not each.of_clickless)
