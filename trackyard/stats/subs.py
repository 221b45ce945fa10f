"""Values that subs of clicks have (spec: GET stats/find-subs; behaviour.md §7)."""

from dataclasses import dataclass
from typing import Any, Final

from trackyard.domain.scope import Scope
from trackyard.stats.compile import page_of, scope_conditions, scope_parameters
from trackyard.stats.engine import Analytics

SUBS: Final = tuple(f"sub{number}" for number in range(1, 9))


@dataclass(frozen=True, slots=True)
class SubSearch:
    """The distinct values of one sub of accepted clicks that begin with `prefix`, as it is written.

    since: UTC milliseconds · sub: a name of SUBS · page from 1. Raises ValueError for what is not so.
    """

    scope: Scope
    since: int
    sub: str
    prefix: str = ""
    page: int = 1
    limit: int = 100

    def __post_init__(self) -> None:
        if self.sub not in SUBS:
            raise ValueError(f"clicks have no {self.sub}")
        if self.page < 1 or self.limit < 1:
            raise ValueError("pages and limits begin at 1")


def find_subs(analytics: Analytics, query: SubSearch) -> tuple[list[str], int]:
    """A page of values in ascending order, and how many there are. A click without the sub has no value of it. Raises
    TooHeavy over the limits of one query."""
    conditions = [
        "time >= {since:Int64}",
        "reason = ''",
        f"{query.sub} != ''",
        f"startsWith({query.sub}, {{prefix:String}})",
        *scope_conditions(query.scope),
    ]
    values = f"SELECT {query.sub} AS value FROM click WHERE {' AND '.join(conditions)} GROUP BY value"
    parameters: dict[str, Any] = {
        "since": query.since,
        "prefix": query.prefix,
        **scope_parameters(query.scope),
    }
    [(total_count,)] = analytics.rows(f"SELECT count() FROM ({values})", parameters, tuple[int])
    page = f"{values} ORDER BY value {page_of(query.page, query.limit)}"
    return [value for (value,) in analytics.rows(page, parameters, tuple[str])], total_count
