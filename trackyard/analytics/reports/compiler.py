"""The SQL of a Report (docs/spec/statistics.md#what-counts-when).

Clicks, impressions and conversion events are grouped by the same keys, combined and summed.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trackyard.analytics.engine.rollups import DAY_MS, time_bucket
from trackyard.analytics.engine.zones import resolve_local_times
from trackyard.analytics.exports.row_stream import packed_row_column
from trackyard.analytics.reports.branches import (
    ReportConditions,
    build_branches,
    build_conversion_branches,
    build_cost_branches,
    chosen_conditions,
    chosen_parameters,
    cost_parameters,
    has_rollup,
    volumes_of,
)
from trackyard.analytics.reports.day_rates import rate_parameters
from trackyard.analytics.reports.dimensions import part_sql, sql_type
from trackyard.analytics.reports.goals import GOAL, goal_parameters, goal_sql
from trackyard.analytics.reports.metrics import ACTION_METRICS, TRAFFIC_METRICS, ActionMetric, action_metrics_of
from trackyard.analytics.reports.scopes import scope_conditions, scope_parameters
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import (
    CONFIRMED,
    COST_METRICS,
    TOTAL,
    LeastVolume,
    Report,
    Values,
)
from trackyard.domain.statistics.slices import FILTERS, SLICES, SlicePart

_MAX_INTEGER = 2**62
_RANKS_PER_LIST = 4000
"""Values in one list of a request, as a field of a request has at most 128 KiB."""
_PRESENCE_METRICS = ("raw", "trafficback", "views", f"{TOTAL}_count")
"""A row exists when one of these is above 0; conversions are last."""


@dataclass(frozen=True, slots=True)
class CompiledReport:
    """A statement, its parameters, and its columns: `keys`, then `metrics`.

    sql: a page of rows, for `Analytics.page`.
    keys_sql: the same page with `keys_metrics` alone: traffic and what the order needs. So millions of groups fit into
    memory, or spill.
    chosen_sql: the keys of the parameter `chosen` with conversions, and these alone; "" = none can have any.
    packed_sql: all rows, packed, for `Analytics.stream`.
    has_rollup: whether a rollup can answer a part of it.
    """

    sql: str
    keys_sql: str
    chosen_sql: str
    packed_sql: str
    parameters: dict[str, Any]
    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    keys_metrics: tuple[str, ...]
    has_rollup: bool


_Metrics = Mapping[str, str]
"""The SQL of metrics by name; it sums the rows of the branches."""


def compile_report(report: Report, only: Collection[str] = ()) -> CompiledReport | None:
    """Return the statement of a report; None when its slices exclude each other.

    only: the metrics that are read; empty = all.
    """
    parts, metrics = _dimension_parts(report), _metrics(report)
    if only:
        metrics = {name: sql for name, sql in metrics.items() if name in {*only, *report.order, *_PRESENCE_METRICS}}
    if not (branches := build_branches(report, parts, _conditions(report))):
        return None
    branches += build_cost_branches(report, parts)
    needed = {*report.order, *_PRESENCE_METRICS, *TRAFFIC_METRICS, *COST_METRICS}
    key_metrics = {name: sql for name, sql in metrics.items() if name in needed}
    chosen = build_conversion_branches(report, parts, _conditions(report, _chosen_condition(parts)))
    of_chosen = replace(report, least=None)  # the keys were chosen by it
    page = limit_clause(report.page, report.limit)

    def local(sql: str) -> str:
        return resolve_local_times(sql, report.zone, report.since, report.until)

    return CompiledReport(
        sql=local(f"{_ordered_sql(report, parts, metrics, branches)}\n{page}"),
        keys_sql=local(f"{_ordered_sql(report, parts, key_metrics, branches)}\n{page}"),
        chosen_sql=local(_ordered_sql(of_chosen, parts, metrics, chosen)) if chosen else "",
        packed_sql=local(_packed_sql(report, parts, metrics, branches)),
        parameters=_parameters(report),
        keys=tuple(part.key for part in parts),
        metrics=tuple(metrics),
        keys_metrics=tuple(key_metrics),
        has_rollup=has_rollup(report),
    )


def _ordered_sql(report: Report, parts: list[SlicePart], metrics: _Metrics, branches: list[str]) -> str:
    """Return the statement that sums the branches by key and sorts the rows."""
    order = _order_columns(report, [f"k_{part.key}" for part in parts])
    return f"{_summed_sql(report, parts, metrics, branches)}\nORDER BY {', '.join(order) or '1'}"


def _packed_sql(report: Report, parts: list[SlicePart], metrics: _Metrics, branches: list[str]) -> str:
    """Return the statement that packs the summed rows and then sorts them."""
    keys = [f"k_{part.key}" for part in parts]
    row = packed_row_column(", ".join([*keys, *metrics]))
    by = [*keys, *(name for name in report.order if name not in SLICES and name != "currency")]
    rows = f"SELECT {', '.join([*by, row])} AS packed_row\nFROM (\n{_summed_sql(report, parts, metrics, branches)}\n)"
    return f"SELECT packed_row\nFROM (\n{rows}\n)\nORDER BY {', '.join(_order_columns(report, keys)) or '1'}"


def _summed_sql(report: Report, parts: list[SlicePart], metrics: _Metrics, branches: list[str]) -> str:
    """Return the statement that sums the branches by key."""
    keys = [f"k_{part.key}" for part in parts]
    sums = [f"{sql} AS {name}" for name, sql in metrics.items()]
    present = _PRESENCE_METRICS[-1:] if report.nonzero else _presence_metrics(report)
    grouped = f"GROUP BY {', '.join(keys)}\n" if keys else ""
    is_large = "" if report.least is None else f" AND {_large_condition(report, report.least)}"
    return (
        f"SELECT {', '.join([*keys, *sums])}\nFROM (\n" + "\nUNION ALL\n".join(branches) + f"\n)\n{grouped}"
        f"HAVING ({' OR '.join(f'{name} > 0' for name in present)}){is_large}"
    )


def _large_condition(report: Report, least: LeastVolume) -> str:
    """Return the condition that a row belongs to what reaches a volume."""
    whole = volumes_of(report, least)
    parts, volume = _dimension_parts(whole), " + ".join(f"sum(of_{name})" for name in least.counted)
    keys = ", ".join(f"k_{part.key}" for part in parts)
    rows = "\nUNION ALL\n".join(build_branches(whole, parts, _conditions(whole)))
    return f"({keys}) IN (SELECT {keys} FROM (\n{rows}\n) GROUP BY {keys} HAVING {volume} >= {least.number:d})"


def _presence_metrics(report: Report) -> tuple[str, ...]:
    return _PRESENCE_METRICS if report.costs is None else (*_PRESENCE_METRICS, COST_METRICS[0])


def limit_clause(page: int, limit: int) -> str:
    """Return the LIMIT of a page, from 1; a page beyond every row is empty."""
    return f"LIMIT {limit} OFFSET {min((page - 1) * limit, _MAX_INTEGER)}"


def in_period(scope: Scope, since: int, until: int) -> tuple[list[str], dict[str, Any]]:
    """Return the conditions, and their parameters, that rows are in scope and in a period.

    since, until: UTC milliseconds, `until` exclusive. Its days name the rows that the engine reads, as all tables are
    sorted by them; by times alone it reads each part that has one of them as a whole.
    """
    day = time_bucket(DAY_MS)
    days = [f"{day} >= {{first_day:Int64}}", f"{day} <= {{last_day:Int64}}"]
    conditions = [*days, "time >= {since:Int64}", "time < {until:Int64}", *scope_conditions(scope)]
    places = {"first_day": since // DAY_MS, "last_day": (until - 1) // DAY_MS}
    return conditions, {"since": since, "until": until, **places, **scope_parameters(scope)}


def filter_conditions(filters: Mapping[str, Values], *, of_clicks: bool, excluded: bool = False) -> list[str]:
    """Return the conditions that rows have values, or with `excluded` do not.

    of_clicks: for the columns of `click`, otherwise for the columns of `fact`.
    """
    prefix, operator = ("excluded", "NOT IN") if excluded else ("filter", "IN")
    return [
        f"{each.name} {operator} {{{prefix}_{each.name}:Array({sql_type(each)})}}"
        for each in (FILTERS[name] for name in filters)
        if each.traffic or not of_clicks
    ]


def filter_parameters(filters: Mapping[str, Values], prefix: str = "filter") -> dict[str, Any]:
    """Return the parameters of `filter_conditions`, without numbers that fit no column.

    prefix: "excluded" for `excluded=True`.
    """
    return {
        f"{prefix}_{name}": [value for value in values if isinstance(value, str) or abs(value) <= _MAX_INTEGER]
        for name, values in filters.items()
    }


def _dimension_parts(report: Report) -> list[SlicePart]:
    parts = {part.key: part for name in report.dimensions for part in SLICES[name].parts}
    if GOAL in parts:
        parts[GOAL] = replace(parts[GOAL], column=goal_sql(report.shown_goals))
    return list(parts.values())


def _metrics(report: Report) -> dict[str, str]:
    metrics = {name: f"sum(of_{name})" for name in TRAFFIC_METRICS}
    for kind, statuses in report.conversion_types.items():
        for metric in action_metrics_of(counts_clickless=report.counts_clickless):
            metrics[f"{kind}_{metric.name}"] = _action_sql(report, metric, statuses)
    if report.costs is not None:
        metrics |= _cost_metrics(report)
    return metrics


def _cost_metrics(report: Report) -> dict[str, str]:
    """Return the SQL of COST_METRICS."""
    [margin] = [metric for metric in ACTION_METRICS if metric.name == "earning"]
    confirmed = report.conversion_types[CONFIRMED]
    cost = _rounded_sql(report, "sum(of_cost)")
    return dict(zip(COST_METRICS, (cost, f"{_action_sql(report, margin, confirmed)} - {cost}"), strict=True))


def _rounded_sql(report: Report, amount: str) -> str:
    """Return the SQL of an amount with four places, half to even, so that equal ones are ordered as equal."""
    return amount if report.day_rates is None else f"roundBankers({amount}, 4)"


def _action_sql(report: Report, metric: ActionMetric, statuses: tuple[Status, ...]) -> str:
    if not report.scope.sees_charge:
        amount = metric.affiliate_sql
    else:
        amount = (metric.payout_sql if report.by_payout else "") or metric.sql
    numbers = ", ".join(str(status.number) for status in statuses)
    found = f"sumIf({amount}, of_status IN ({numbers}))" if statuses else f"sumIf({amount}, 0)"
    return _rounded_sql(report, found) if metric.is_money else found


def _chosen_condition(parts: list[SlicePart]) -> str:
    """Return the condition that a row has one of the keys in the parameter `chosen`."""
    columns, kinds = ", ".join(map(part_sql, parts)), ", ".join(map(sql_type, parts))
    return f"tuple({columns}) IN {{chosen:Array(Tuple({kinds}))}}"


def _conditions(report: Report, *more: str) -> ReportConditions:
    """Return the conditions of a report. more: further ones of conversion events."""
    scope = scope_conditions(report.scope)
    of_clicks, of_facts = (
        filter_conditions(report.filters, of_clicks=of_clicks)
        + filter_conditions(report.excluded, of_clicks=of_clicks, excluded=True)
        for of_clicks in (True, False)
    )
    more = (*chosen_conditions(report), *more)
    return ReportConditions((*scope, *of_clicks), (*scope, *of_facts, *more), needs_rows=bool(more))


def _parameters(report: Report) -> dict[str, Any]:
    return {
        **scope_parameters(report.scope),
        **filter_parameters(report.filters),
        **filter_parameters(report.excluded, "excluded"),
        **_manager_parameters(report),
        **_rank_parameters(report),
        **cost_parameters(report),
        **chosen_parameters(report),
        **rate_parameters(report.day_rates),
        **goal_parameters(report.shown_goals),
    }


def _manager_parameters(report: Report) -> dict[str, Any]:
    """Return the managed ids and their managers as two lists, for each slice by manager."""
    parameters: dict[str, Any] = {}
    for name in report.dimensions:
        if SLICES[name].owner:
            if name not in report.managers:
                raise ValueError(f"the report has no managers for its slice {name}")
            known = report.managers[name]
            parameters |= {f"{name}_of": list(known), f"{name}_is": list(known.values())}
    return parameters


def _rank_parameters(report: Report) -> dict[str, Any]:
    """Return the ranks of titles as lists of values and ranks, in pieces for one field each."""
    parameters: dict[str, Any] = {}
    for name, titles in report.titles.items():
        ranks = _ranks(titles)
        values = list(ranks)
        for piece, start in enumerate(range(0, max(len(values), 1), _RANKS_PER_LIST)):
            some = values[start : start + _RANKS_PER_LIST]
            parameters |= {f"{name}_ranked_{piece}": some, f"{name}_ranks_{piece}": [ranks[each] for each in some]}
    return parameters


def _ranks(titles: Mapping[Any, str]) -> dict[Any, int]:
    """Return the rank of each value by its title without case; equal titles share one, "" has 0."""
    rank_by_title = {
        title: place for place, title in enumerate(sorted({title.casefold() for title in titles.values()} | {""}))
    }
    return {value: rank_by_title[title.casefold()] for value, title in titles.items()}


def _rank_sql(report: Report, name: str) -> str:
    """Return the SQL of a row's place among the titles of a dimension."""
    [part] = SLICES[name].parts
    pieces = range(max(-(-len(report.titles[name]) // _RANKS_PER_LIST), 1))
    values = ", ".join(f"{{{name}_ranked_{piece}:Array({sql_type(part)})}}" for piece in pieces)
    ranks = ", ".join(f"{{{name}_ranks_{piece}:Array(Int64)}}" for piece in pieces)
    return f"transform(k_{part.key}, arrayConcat({values}), arrayConcat({ranks}), toInt64(0))"


def _order_columns(report: Report, keys: list[str]) -> list[str]:
    """Return the requested order, then the keys, which make pages disjoint."""
    direction = "DESC" if report.descending else "ASC"
    columns: list[str] = []
    for name in report.order:
        if name in report.titles:
            columns.append(_rank_sql(report, name))
        elif name in SLICES:
            columns += [f"k_{part.key}" for part in SLICES[name].parts]
        elif name != "currency":
            columns.append(name)
    ordered = [f"{column} {direction}" for column in dict.fromkeys(columns)]
    key_direction = direction if not ordered else "ASC"
    return ordered + [f"{key} {key_direction}" for key in keys if key not in columns]
