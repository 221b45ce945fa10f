"""The logs of calls: those the service received, and those it made to affiliates (spec: stats/serverpostbacks,
stats/affiliatepostbacks)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

import msgspec

from trackyard.domain.facts import AffiliateLog, ServerLog
from trackyard.domain.scope import Scope
from trackyard.stats.compile import page_of, scope_conditions, scope_parameters
from trackyard.stats.engine import Analytics
from trackyard.stats.query import Values

R = TypeVar("R", ServerLog, AffiliateLog)

SERVER_FILTERS: Final = frozenset({"offer", "affiliate", "advertiser", "action_id", "click_id", "goal", "status"})
AFFILIATE_FILTERS: Final = frozenset({"offer", "affiliate", "goal", "status", "http_code"})


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Records of a period, newest first.

    since, until: UTC milliseconds, `until` exclusive · filters: column → allowed values; an empty tuple lets nothing
    pass · crosses: whether calls of an offer's cross_postback_url are shown as well · page from 1.
    """

    scope: Scope
    since: int
    until: int
    filters: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    crosses: bool = True
    page: int = 1
    limit: int = 100


@dataclass(frozen=True, slots=True)
class LogPage(Generic[R]):
    """A page of records. `total_count`: records on all pages."""

    records: Sequence[R]
    total_count: int


def list_server_log(analytics: Analytics, query: LogQuery) -> LogPage[ServerLog]:
    """Calls that were received, each as it was left last: a call that waited is shown once. Raises TooHeavy, and
    ValueError for a filter it does not have."""
    return _page(analytics, query, "server_log", ServerLog, SERVER_FILTERS)


def list_affiliate_log(analytics: Analytics, query: LogQuery) -> LogPage[AffiliateLog]:
    """Attempts of calls to affiliates. Raises TooHeavy, and ValueError for a filter it does not have."""
    return _page(analytics, query, "affiliate_log", AffiliateLog, AFFILIATE_FILTERS)


def _page(analytics: Analytics, query: LogQuery, table: str, kind: type[R], filters: frozenset[str]) -> LogPage[R]:
    unknown = query.filters.keys() - filters
    if unknown:
        raise ValueError(f"{table} has no {', '.join(sorted(unknown))}")
    types = {info.name: "Int64" if info.type is int else "String" for info in msgspec.structs.fields(kind)}
    conditions = ["time >= {since:Int64}", "time < {until:Int64}", *scope_conditions(query.scope)]
    conditions += [f"{name} IN {{filter_{name}:Array({types[name]})}}" for name in sorted(query.filters)]
    if not query.crosses:
        conditions.append("postback_id != 0")
    parameters: dict[str, Any] = {"since": query.since, "until": query.until, **scope_parameters(query.scope)}
    parameters |= {f"filter_{name}": list(values) for name, values in query.filters.items()}
    where = f"FROM {table} WHERE {' AND '.join(conditions)}"
    [(total,)] = analytics.rows(f"SELECT uniqExact(id) {where}", parameters, tuple[int])
    latest = ", revision DESC LIMIT 1 BY id" if "revision" in types else ""
    sql = f"SELECT {', '.join(types)} {where} ORDER BY time DESC, id DESC{latest} {page_of(query.page, query.limit)}"
    return LogPage(analytics.rows(sql, parameters, kind), total)
