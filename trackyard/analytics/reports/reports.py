"""Reports from the analytic store."""

import logging
from collections.abc import Collection
from decimal import Decimal
from typing import Any

from trackyard.analytics.engine.connection import Analytics, OutOfMemory
from trackyard.analytics.reports.compiler import CompiledReport, compile_report
from trackyard.analytics.reports.goals import with_spellings
from trackyard.analytics.reports.metrics import TRAFFIC_METRICS, ActionMetric, action_metrics_of
from trackyard.base.money import rounded
from trackyard.domain.statistics.reports import ConversionTotals, Report, StatsPage, StatsRow, conversion_types

log = logging.getLogger("trackyard.analytics")


def run_report(analytics: Analytics, report: Report) -> StatsPage:
    """Return the page of a report. Raises ReportTooHeavy."""
    report = with_spellings(analytics, report)
    compiled = compile_report(report)
    if compiled is None:
        return StatsPage([], 0, report.currency)
    answer, total_count = _query_page(analytics, report, compiled, by_keys=report.high_cardinality)
    return StatsPage([build_row(report, compiled, values) for values in answer], total_count, report.currency)


def list_values(analytics: Analytics, report: Report, metrics: Collection[str]) -> tuple[list[dict[str, Any]], int]:
    """Return the page of a report as its slices and these metrics by name, and the number of all rows.

    For callers that read few metrics of many rows: amounts are as the store answers them. Raises ReportTooHeavy.
    """
    report = with_spellings(analytics, report)
    compiled = compile_report(report, metrics)
    if compiled is None:
        return [], 0
    answer, total_count = _query_page(analytics, report, compiled, by_keys=False)
    names = (*compiled.keys, *compiled.metrics)
    return [dict(zip(names, values, strict=True)) for values in answer], total_count


def _query_page(
    analytics: Analytics, report: Report, compiled: CompiledReport, *, by_keys: bool
) -> tuple[list[Any], int]:
    """Return the page's rows as lists of values, and the total.

    by_keys: conversions are read of the keys of the page alone, which is faster for a short page of many rows.
    """
    if not by_keys:
        try:
            return analytics.page(compiled.sql, compiled.parameters, list[Any], has_rollup=compiled.has_rollup)
        except OutOfMemory:
            log.info("report repeated by keys", extra={"slices": report.dimensions})
    found, total_count = analytics.page(
        compiled.keys_sql, compiled.parameters, list[Any], has_rollup=compiled.has_rollup
    )
    return _add_conversions(analytics, compiled, found), total_count


def _add_conversions(analytics: Analytics, compiled: CompiledReport, found: list[Any]) -> list[Any]:
    """Return rows of keys and `keys_metrics` with every metric."""
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
    """Return the row of the values of a statement's columns."""
    types = conversion_types(separate_not_found=report.separate_not_found)
    of_actions = action_metrics_of(counts_clickless=report.counts_clickless)
    keys = dict(zip(compiled.keys, values, strict=False))
    metrics = dict(zip(compiled.metrics, values[len(compiled.keys) :], strict=True))
    return StatsRow(
        keys=keys,
        **{name: metrics[name] for name in TRAFFIC_METRICS},
        actions={kind: _conversion_totals(metrics, kind, of_actions) for kind in types},
        cost=None if report.costs is None else rounded(Decimal(metrics["cost"])),
    )


def _conversion_totals(metrics: dict[str, Any], kind: str, shown: Collection[ActionMetric]) -> ConversionTotals:
    values = {metric.name: metrics[f"{kind}_{metric.name}"] for metric in shown}
    money = {metric.name: rounded(Decimal(values[metric.name])) for metric in shown if metric.is_money}
    return ConversionTotals(**{**values, **money})
