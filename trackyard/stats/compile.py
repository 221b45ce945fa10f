"""A Report to SQL: clicks, views and facts are grouped by the same keys, stacked, and summed (behaviour.md §7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trackyard.domain.scope import Scope
from trackyard.domain.statuses import Status
from trackyard.stats.dimensions import DIMENSIONS, FILTERS, Part
from trackyard.stats.metrics import ACTIONS, TOTAL, TRAFFIC, VIEWS, ActionMetric, conversion_types
from trackyard.stats.query import Report, Values

_FAR = 2**62


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement, its parameters, and what its columns are.

    Columns in order: `keys`, then `metrics`; the number of rows on all pages is the last one of `sql` and the
    only one of `count_sql`.
    """

    sql: str
    count_sql: str
    parameters: dict[str, Any]
    keys: tuple[str, ...]
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Metric:
    """A column of the answer: `sql` aggregates rows of `table`; `nothing` is what the other tables add."""

    name: str
    table: str
    sql: str
    nothing: str = "toUInt64(0)"

    def over(self, table: str) -> str:
        """What rows of a table give for it."""
        return self.sql if table == self.table else self.nothing


def compile_report(report: Report) -> Compiled | None:
    """The statement that answers `report`; None when its slices exclude each other, so that no row can exist."""
    parts = _parts(report)
    metrics = _metrics(report)
    branches = _branches(report, parts, metrics)
    if not branches:
        return None
    keys = [f"k_{part.key}" for part in parts]
    sums = [f"sum(m_{metric.name}) AS {metric.name}" for metric in metrics]
    counted = f"{TOTAL}_count"
    having = f"{counted} > 0" if report.nonzero else f"raw > 0 OR trafficback > 0 OR views > 0 OR {counted} > 0"
    grouped = f"GROUP BY {', '.join(keys)}\n" if keys else ""
    body = "FROM (\n" + "\nUNION ALL\n".join(branches) + f"\n)\n{grouped}HAVING {having}"
    return Compiled(
        sql=(
            f"SELECT {', '.join([*keys, *sums, 'count() OVER () AS row_count'])}\n{body}\n"
            f"ORDER BY {', '.join(_order(report, keys)) or '1'}\n"
            f"{page_of(report.page, report.limit)}"
        ),
        count_sql=f"SELECT count() FROM (SELECT {', '.join([*keys, *sums])}\n{body})",
        parameters=_parameters(report),
        keys=tuple(part.key for part in parts),
        metrics=tuple(metric.name for metric in metrics),
    )


def page_of(page: int, limit: int) -> str:
    """The LIMIT of a page, from 1; one that is out of all bounds is empty."""
    return f"LIMIT {limit} OFFSET {min((page - 1) * limit, _FAR)}"


def scope_conditions(scope: Scope) -> list[str]:
    """The conditions, over a row of any table with affiliate and advertiser, that keep to a scope."""
    conditions = []
    if scope.affiliate_ids is not None:
        conditions.append("affiliate IN {scope_affiliates:Array(Int64)}")
    if scope.advertiser_ids is not None:
        conditions.append("advertiser IN {scope_advertisers:Array(String)}")
    return conditions


def scope_parameters(scope: Scope) -> dict[str, Any]:
    """The parameters of `scope_conditions`."""
    return {
        "scope_affiliates": sorted(scope.affiliate_ids or ()),
        "scope_advertisers": sorted(scope.advertiser_ids or ()),
    }


def filter_conditions(filters: Mapping[str, Values], *, of_clicks: bool) -> list[str]:
    """The conditions of the filters that `click` has, or that `fact` has."""
    chosen = [FILTERS[name] for name in filters]
    return [
        f"{each.column} IN {{filter_{each.name}:Array({each.kind})}}"
        for each in chosen
        if each.traffic or not of_clicks
    ]


def filter_parameters(filters: Mapping[str, Values]) -> dict[str, Any]:
    """The parameters of `filter_conditions`. A number that fits no column is left out: no row has it."""
    return {
        f"filter_{name}": [value for value in values if isinstance(value, str) or abs(value) <= _FAR]
        for name, values in filters.items()
    }


def _parts(report: Report) -> list[Part]:
    parts = {part.key: part for name in report.dimensions for part in DIMENSIONS[name].parts}
    return list(parts.values())


def _metrics(report: Report) -> list[_Metric]:
    metrics = [_Metric(metric.name, "click", metric.sql) for metric in TRAFFIC]
    metrics.append(_Metric("views", "view", VIEWS))
    for kind, statuses in conversion_types(not_found_apart=report.not_found_apart).items():
        for metric in ACTIONS:
            nothing = "toDecimal128(0, 4)" if metric.is_money else "toInt64(0)"
            metrics.append(_Metric(f"{kind}_{metric.name}", "fact", _action_sql(report, metric, statuses), nothing))
    return metrics


def _action_sql(report: Report, metric: ActionMetric, statuses: tuple[Status, ...]) -> str:
    suffix = "" if report.currency else "_base"
    template = metric.sql if report.scope.sees_charge else metric.affiliate_sql
    amount = template.format(charge=f"charge{suffix}", payout=f"payout{suffix}")
    numbers = ", ".join(str(status.number) for status in statuses)
    return f"sumIf(sign * {amount}, status IN ({numbers}))"


def _branches(report: Report, parts: list[Part], metrics: list[_Metric]) -> list[str]:
    dimensions = [DIMENSIONS[name] for name in report.dimensions]
    branches = []
    if all(dimension.traffic for dimension in dimensions):
        refused = any(not dimension.conversions for dimension in dimensions)
        conditions = [*_conditions(report, of_clicks=True), "reason != ''" if refused else "reason = ''"]
        branches.append(_branch("click", parts, metrics, conditions))
        if not refused:
            branches.append(_branch("view", parts, metrics, conditions))
    if all(dimension.conversions for dimension in dimensions):
        branches.append(_branch("fact", parts, metrics, _conditions(report, of_clicks=False)))
    return branches


def _branch(table: str, parts: list[Part], metrics: list[_Metric], conditions: list[str]) -> str:
    columns = [f"{part.sql} AS k_{part.key}" for part in parts]
    columns += [f"{metric.over(table)} AS m_{metric.name}" for metric in metrics]
    grouped = f"\nGROUP BY {', '.join(f'k_{part.key}' for part in parts)}" if parts else ""
    return f"SELECT {', '.join(columns)}\nFROM {table}\nWHERE {' AND '.join(conditions)}{grouped}"


def _conditions(report: Report, *, of_clicks: bool) -> list[str]:
    return [
        "time >= {since:Int64}",
        "time < {until:Int64}",
        *scope_conditions(report.scope),
        *filter_conditions(report.filters, of_clicks=of_clicks),
    ]


def _parameters(report: Report) -> dict[str, Any]:
    return {
        "since": report.since,
        "until": report.until,
        "zone": report.zone,
        **scope_parameters(report.scope),
        **filter_parameters(report.filters),
        **_manager_parameters(report),
    }


def _manager_parameters(report: Report) -> dict[str, Any]:
    """Who manages what, as two lists, for each slice by manager."""
    parameters: dict[str, Any] = {}
    for name in report.dimensions:
        if DIMENSIONS[name].owner:
            known = report.managers[name]
            parameters |= {f"{name}_of": list(known), f"{name}_is": list(known.values())}
    return parameters


def _order(report: Report, keys: list[str]) -> list[str]:
    """Asked order first; the keys behind it make pages disjoint."""
    direction = "DESC" if report.descending else "ASC"
    columns: list[str] = []
    for name in report.order:
        if name in DIMENSIONS:
            columns += [f"k_{part.key}" for part in DIMENSIONS[name].parts]
        elif name != "currency":
            columns.append(name)
    ordered = [f"{column} {direction}" for column in dict.fromkeys(columns)]
    own = direction if not ordered else "ASC"
    return ordered + [f"{key} {own}" for key in keys if key not in columns]
