"""Values of subs of clicks (docs/spec/statistics.md#values-of-subs)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import limit_clause, scope_conditions, scope_parameters
from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.subs import SUBS


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
    [(total_count,)] = analytics.rows(f"SELECT count() FROM ({values})", parameters, tuple[int])
    page = f"{values} ORDER BY {columns} {limit_clause(query.page, query.limit)}"
    found = analytics.rows(page, parameters, tuple[str, ...])
    return [dict(zip(names, row, strict=True)) for row in found], total_count
