"""Values of subs (docs/spec/statistics.md#values-of-subs, docs/spec/quality.md#subs-of-affiliates)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period, limit_clause, scope_conditions, scope_parameters
from trackyard.analytics.reports.quality import thing_condition
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.health import SubValues
from trackyard.domain.tracking.subs import SUBS

MOST_AFFILIATES: Final = 10
"""Affiliates of an offer or advertiser with counted subs, those with most accepted clicks."""


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
    analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int
) -> list[SubValues]:
    """Return the subs that affiliates of a thing use, those with most clicks first. Raises ReportTooHeavy.

    of: offer, advertiser or affiliate.
    """
    condition, thing = thing_condition(of, key)
    conditions, period = in_period(scope, since, until)
    where, parameters = " AND ".join([*conditions, condition]), {**period, **thing}
    used = [f"toInt64(countIf({name} != ''))" for name in SUBS]
    different = [f"toInt64(uniqCombinedIf({name}, {name} != ''))" for name in SUBS]
    largest = [f"arrayElement(topKIf(1)({name}, {name} != ''), 1)" for name in SUBS]
    sql = (
        f"SELECT affiliate, [{', '.join(used)}], [{', '.join(different)}], [{', '.join(largest)}] "
        f"FROM click WHERE {where} AND reason = '' "
        f"GROUP BY affiliate ORDER BY count() DESC, affiliate LIMIT {MOST_AFFILIATES:d}"
    )
    rows = analytics.rows(sql, parameters, tuple[int, list[int], list[int], list[str]], has_rollup=False)
    found: list[tuple[int, str, int, int, str]] = [
        (affiliate, name, number, values, value)
        for affiliate, numbers, values_of, largest_of in rows
        for name, number, values, value in zip(SUBS, numbers, values_of, largest_of, strict=True)
        if number
    ]
    if not found:
        return []
    affiliates = [row[0] for row in rows]
    named = {name: sorted({row[4] for row in found if row[1] == name}) for name in sorted({row[1] for row in found})}
    accepted = f"count() FROM click WHERE {where} AND reason = ''"
    clicks = _count_values(analytics, accepted, parameters, affiliates, named)
    conversions = _count_values(analytics, f"sum(sign) FROM fact WHERE {where}", parameters, affiliates, named)
    listed = [
        SubValues(
            affiliate=affiliate,
            sub=name,
            clicks=number,
            conversions=sum(conversions[affiliate, name].values()),
            values=different,
            largest=value,
            largest_clicks=clicks[affiliate, name][value],
            largest_conversions=conversions[affiliate, name][value],
        )
        for affiliate, name, number, different, value in found
    ]
    return sorted(listed, key=lambda each: (-each.clicks, each.affiliate, each.sub))


def _count_values(
    analytics: Analytics,
    counted: str,
    parameters: Mapping[str, Any],
    affiliates: Sequence[int],
    named: Mapping[str, Sequence[str]],
) -> dict[tuple[int, str], Counter[str]]:
    """Return numbers of named values by affiliate and sub; those of all other values are under "".

    counted: an aggregate, its table and conditions.
    """
    aggregate, table = counted.split(" ", 1)
    sql = " UNION ALL ".join(
        f"SELECT '{name}', affiliate, if({name} IN {{{name}_values:Array(String)}}, {name}, '') AS value, "
        f"toInt64({aggregate}) {table} AND affiliate IN {{affiliates:Array(Int64)}} AND {name} != '' "
        "GROUP BY affiliate, value"
        for name in named
    )
    values = {**parameters, "affiliates": list(affiliates)}
    values.update({f"{name}_values": list(of_name) for name, of_name in named.items()})
    numbers: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for name, affiliate, value, number in analytics.rows(sql, values, tuple[str, int, str, int], has_rollup=False):
        numbers[affiliate, name][value] = number
    return numbers
