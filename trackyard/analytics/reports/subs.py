"""Values of subs (docs/spec/statistics.md#values-of-subs, docs/spec/quality.md#subs-of-affiliates)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period, limit_clause
from trackyard.analytics.reports.quality import thing_condition
from trackyard.analytics.reports.scopes import scope_conditions, scope_parameters
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.health import SubValues
from trackyard.domain.tracking.subs import SUBS

MOST_AFFILIATES: Final = 10
"""Affiliates of an offer or advertiser with counted subs: the ones with most accepted clicks."""


@dataclass(frozen=True, slots=True)
class SubSearch:
    """A search for combinations of subs of accepted clicks, by their prefixes, as written.

    since: UTC milliseconds.
    prefixes: by name of SUBS, at least one.
    page: from 1.
    Raises ValueError.
    """

    scope: Scope
    since: int
    prefixes: Mapping[str, Sequence[str]]
    page: int = 1
    limit: int = 100

    def __post_init__(self) -> None:
        if not self.prefixes or not self.prefixes.keys() <= set(SUBS):
            raise ValueError(f"clicks have no {', '.join(sorted(self.prefixes))}")
        if self.page < 1 or self.limit < 1:
            raise ValueError("pages and limits begin at 1")


def find_subs(analytics: Analytics, query: SubSearch) -> tuple[list[dict[str, str]], int]:
    """Return a page of combinations in ascending order, and the number of all.

    A click without one of the subs has no combination. Raises ReportTooHeavy.
    """
    names = [name for name in SUBS if name in query.prefixes]
    conditions = ["time >= {since:Int64}", "reason = ''", *scope_conditions(query.scope)]
    for name in names:
        conditions.append(f"{name} != ''")
        conditions.append(f"arrayExists(prefix -> startsWith({name}, prefix), {{prefixes_{name}:Array(String)}})")
    columns = ", ".join(names)
    values = f"SELECT {columns} FROM click WHERE {' AND '.join(conditions)} GROUP BY {columns}"
    parameters: dict[str, Any] = {
        "since": query.since,
        **{f"prefixes_{name}": list(query.prefixes[name]) for name in names},
        **scope_parameters(query.scope),
    }
    [(total_count,)] = analytics.rows(f"SELECT count() FROM ({values})", parameters, tuple[int], has_rollup=False)
    page = f"{values} ORDER BY {columns} {limit_clause(query.page, query.limit)}"
    found = analytics.rows(page, parameters, tuple[str, ...], has_rollup=False)
    return [dict(zip(names, row, strict=True)) for row in found], total_count


def list_sub_values(
    analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int, affiliates: Sequence[int]
) -> list[SubValues]:
    """Return the subs that affiliates of a thing use, most clicks first.

    of: offer, advertiser or affiliate. affiliates: the affiliates to look at. Raises ReportTooHeavy.
    """
    if not affiliates:
        return []
    condition, thing = thing_condition(of, key)
    conditions, period = in_period(scope, since, until)
    where = " AND ".join([*conditions, condition, "affiliate IN {affiliates:Array(Int64)}"])
    parameters = {**period, **thing, "affiliates": list(affiliates)}
    used = [f"toInt64(countIf({name} != ''))" for name in SUBS]
    different = [f"toInt64(uniqCombinedIf({name}, {name} != ''))" for name in SUBS]
    largest = [f"arrayElement(topKIf(1)({name}, {name} != ''), 1)" for name in SUBS]
    sql = (
        f"SELECT affiliate, [{', '.join(used)}], [{', '.join(different)}], [{', '.join(largest)}] "
        f"FROM click WHERE {where} AND reason = '' GROUP BY affiliate"
    )
    rows = analytics.rows(sql, parameters, tuple[int, list[int], list[int], list[str]], has_rollup=False)
    found: list[tuple[int, str, int, int, str]] = [
        (affiliate, name, number, values, value)
        for affiliate, numbers, values_of, largest_of in rows
        for name, number, values, value in zip(SUBS, numbers, values_of, largest_of, strict=True)
        if number
    ]
    named: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for affiliate, name, _, _, value in found:
        named[name].append((affiliate, value))
    counts = _count_largest(analytics, where, parameters, named) if found else {}
    listed = [
        SubValues(
            affiliate=affiliate,
            sub=name,
            clicks=number,
            conversions=conversions,
            values=different,
            largest=value,
            largest_clicks=largest_clicks,
            largest_conversions=largest_conversions,
        )
        for affiliate, name, number, different, value in found
        for largest_clicks, conversions, largest_conversions in (counts.get((affiliate, name), (0, 0, 0)),)
    ]
    return sorted(listed, key=lambda each: (-each.clicks, each.affiliate, each.sub))


def _count_largest(
    analytics: Analytics, where: str, parameters: Mapping[str, Any], largest: Mapping[str, Sequence[tuple[int, str]]]
) -> dict[tuple[int, str], tuple[int, int, int]]:
    """Return three numbers by affiliate and sub.

    They are the clicks of the largest value, all conversions, and the conversions of that value.
    where: the condition of clicks and conversion events. largest: by sub, of each affiliate.
    """
    values = {**parameters, **{f"{name}_largest": pairs for name, pairs in largest.items()}}
    is_largest = {name: f"(affiliate, {name}) IN {{{name}_largest:Array(Tuple(Int64, String))}}" for name in largest}
    clicks = ", ".join(f"toInt64(countIf({condition}))" for condition in is_largest.values())
    conversions = ", ".join(f"sumIf(sign, {name} != '')" for name in largest)
    of_largest = ", ".join(f"sumIf(sign, {condition})" for condition in is_largest.values())
    none = f"arrayResize([toInt64(0)], {len(largest):d})"
    sql = (
        "SELECT affiliate, sumForEach(clicks), sumForEach(conversions), sumForEach(of_largest) FROM ("
        f"SELECT affiliate, [{clicks}] AS clicks, {none} AS conversions, {none} AS of_largest "
        f"FROM click WHERE {where} AND reason = '' GROUP BY affiliate "
        f"UNION ALL SELECT affiliate, {none}, [{conversions}], [{of_largest}] "
        f"FROM fact WHERE {where} GROUP BY affiliate) GROUP BY affiliate"
    )
    rows = analytics.rows(sql, values, tuple[int, list[int], list[int], list[int]], has_rollup=False)
    return {
        (affiliate, name): (clicked, converted, largest_converted)
        for affiliate, *counted in rows
        for name, clicked, converted, largest_converted in zip(largest, *counted, strict=True)
    }
