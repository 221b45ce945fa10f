"""Answers of statistics as values; the wire form is the caller's."""

import logging
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from trackyard.analytics.engine.connection import Analytics, OutOfMemory
from trackyard.analytics.reports.compiler import CompiledReport, compile_report
from trackyard.analytics.reports.metrics import ACTION_METRICS, CONFIRMED, TOTAL, conversion_types
from trackyard.analytics.reports.query import Report
from trackyard.base.money import ZERO, rounded

log = logging.getLogger("trackyard.analytics")


@dataclass(frozen=True, slots=True)
class ConversionTotals:
    """The conversions of one type; amounts in the currency of the report."""

    revenue: Decimal
    charge: Decimal
    earning: Decimal
    payouts: Decimal
    null: int
    count: int


@dataclass(frozen=True, slots=True)
class StatsRow:
    """One statistics row (docs/spec/types.md#statistics-rows). `keys`: the slice, raw · `actions`: by type."""

    keys: dict[str, int | str]
    raw: int
    uniq: int
    trafficback: int
    views: int
    actions: dict[str, ConversionTotals]

    def cr(self, kind: str = TOTAL) -> Decimal:
        """Return the conversions of a type per click, in percent."""
        return _ratio(Decimal(100 * self.actions[kind].count), self.raw)

    @property
    def ratio(self) -> str:
        """Clicks per conversion, "1:0" when there is none."""
        count = self.actions[TOTAL].count
        clicks = (Decimal(self.raw) / count).quantize(Decimal(1), rounding=ROUND_HALF_EVEN) if count else 0
        return f"1:{clicks}"

    @property
    def epc(self) -> Decimal:
        """Payouts of confirmed conversions per click."""
        return _ratio(self.actions[CONFIRMED].payouts, self.raw)

    @property
    def ecpm(self) -> Decimal:
        """Payouts of confirmed conversions per 1,000 views."""
        return _ratio(1000 * self.actions[CONFIRMED].payouts, self.views)

    @property
    def ctr(self) -> Decimal:
        """Clicks per view, in percent."""
        return _ratio(Decimal(100 * self.raw), self.views)


@dataclass(frozen=True, slots=True)
class StatsPage:
    """A page of rows. `currency`: of the amounts, None = the platform's · `total_count`: rows on all pages."""

    rows: list[StatsRow]
    total_count: int
    currency: str | None


def run_report(analytics: Analytics, report: Report) -> StatsPage:
    """The page that answers `report`. Raises TooHeavy over the limits of one query."""
    compiled = compile_report(report)
    if compiled is None:
        return StatsPage([], 0, report.currency)
    answer, total_count = _query_page(analytics, report, compiled)
    return StatsPage([build_row(report, compiled, values) for values in answer], total_count, report.currency)


def _query_page(analytics: Analytics, report: Report, compiled: CompiledReport) -> tuple[list[Any], int]:
    """The page's rows as lists of values, and the number of rows on all pages."""
    if not report.high_cardinality:
        try:
            return analytics.page(compiled.sql, compiled.parameters, list[Any])
        except OutOfMemory:
            log.info("a report of more rows than expected is asked by its keys", extra={"slices": report.dimensions})
    found, total_count = analytics.page(compiled.keys_sql, compiled.parameters, list[Any])
    return _add_conversions(analytics, compiled, found), total_count


def _add_conversions(analytics: Analytics, compiled: CompiledReport, found: list[Any]) -> list[Any]:
    """Rows of keys and `keys_metrics`, with every metric."""
    width = len(compiled.keys)
    keys = [tuple(values[:width]) for values in found]
    of_facts: list[Any] = []
    if keys and compiled.chosen_sql:
        of_facts = analytics.rows(compiled.chosen_sql, {**compiled.parameters, "chosen": keys}, list[Any])
    converted = {tuple(values[:width]): dict(zip(compiled.metrics, values[width:], strict=True)) for values in of_facts}
    rows = []
    for key, values in zip(keys, found, strict=True):
        known = converted.get(key, {}) | dict(zip(compiled.keys_metrics, values[width:], strict=True))
        rows.append([*key, *(known.get(name, 0) for name in compiled.metrics)])
    return rows


def build_row(report: Report, compiled: CompiledReport, values: list[Any]) -> StatsRow:
    """The row of the values that a statement gave for its columns."""
    types = conversion_types(separate_not_found=report.separate_not_found)
    keys = dict(zip(compiled.keys, values, strict=False))
    metrics = dict(zip(compiled.metrics, values[len(compiled.keys) :], strict=True))
    return StatsRow(
        keys=keys,
        raw=metrics["raw"],
        uniq=metrics["uniq"],
        trafficback=metrics["trafficback"],
        views=metrics["views"],
        actions={kind: _conversion_totals(metrics, kind) for kind in types},
    )


def _conversion_totals(metrics: dict[str, Any], kind: str) -> ConversionTotals:
    values = {metric.name: metrics[f"{kind}_{metric.name}"] for metric in ACTION_METRICS}
    money = {metric.name: rounded(Decimal(values[metric.name])) for metric in ACTION_METRICS if metric.is_money}
    return ConversionTotals(**{**values, **money})


def _ratio(amount: Decimal, divisor: int) -> Decimal:
    return rounded(amount / divisor) if divisor else ZERO
