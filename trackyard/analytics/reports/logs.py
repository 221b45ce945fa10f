"""The logs of inbound postbacks, and of deliveries to affiliates (docs/api/logs.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period, limit_clause
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.rows import AffiliatePostbackLog, ServerPostbackLog

R = TypeVar("R", ServerPostbackLog, AffiliatePostbackLog)

SERVER_FILTERS: Final = frozenset({"offer", "affiliate", "advertiser", "action_id", "click_id", "goal", "status"})
AFFILIATE_FILTERS: Final = frozenset({"offer", "affiliate", "goal", "status", "http_code"})


@dataclass(frozen=True, slots=True)
class LogPage(Generic[R]):
    """A page of records. total_count: records on all pages."""

    records: Sequence[R]
    total_count: int


def list_server_log(analytics: Analytics, query: LogQuery) -> LogPage[ServerPostbackLog]:
    """Return inbound postbacks, each once in its last state.

    Raises ReportTooHeavy, and ValueError for an unknown filter.
    """
    return _list_log(analytics, query, "server_log", ServerPostbackLog, SERVER_FILTERS)


def list_affiliate_log(analytics: Analytics, query: LogQuery) -> LogPage[AffiliatePostbackLog]:
    """Return attempts of deliveries to affiliates.

    Raises ReportTooHeavy, and ValueError for an unknown filter.
    """
    return _list_log(analytics, query, "affiliate_log", AffiliatePostbackLog, AFFILIATE_FILTERS)


def find_attempt(analytics: Analytics, attempt_id: str) -> AffiliatePostbackLog | None:
    """Return the record of one attempt in the affiliate postback log, or None."""
    second = int(attempt_id[:8], 16) * 1000  # of its time, by which the log is sorted
    sql = (
        f"SELECT {_column_list(AffiliatePostbackLog)} FROM affiliate_log "
        "WHERE time >= {since:Int64} AND time < {until:Int64} AND id = {id:String} LIMIT 1"
    )
    parameters = {"since": second, "until": second + 1000, "id": attempt_id}
    return next(iter(analytics.rows(sql, parameters, AffiliatePostbackLog)), None)


def list_deliveries(
    analytics: Analytics, affiliate: int, since: int, until: int, limit: int
) -> Sequence[AffiliatePostbackLog]:
    """Return the deliveries of an affiliate's postbacks with attempts in a period, by conversion version.

    since, until: UTC milliseconds, `until` exclusive.
    Each has its last attempt of the period; superseded ones are left out. Raises ReportTooHeavy.
    """
    sql = (
        f"SELECT * FROM (SELECT {_column_list(AffiliatePostbackLog)} FROM affiliate_log "
        "WHERE affiliate = {affiliate:Int64} AND time >= {since:Int64} AND time < {until:Int64} AND postback_id != 0 "
        "ORDER BY time DESC, id DESC LIMIT 1 BY job_id) "
        "WHERE outcome != 'superseded' ORDER BY version, time, id LIMIT {limit:Int64}"
    )
    parameters = {"affiliate": affiliate, "since": since, "until": until, "limit": limit}
    return analytics.rows(sql, parameters, AffiliatePostbackLog)


def _column_list(kind: type[msgspec.Struct]) -> str:
    return ", ".join(kind.__struct_fields__)


def _list_log(analytics: Analytics, query: LogQuery, table: str, kind: type[R], filters: frozenset[str]) -> LogPage[R]:
    unknown = query.filters.keys() - filters
    if unknown:
        raise ValueError(f"{table} has no {', '.join(sorted(unknown))}")
    types = {info.name: "Int64" if info.type is int else "String" for info in msgspec.structs.fields(kind)}
    conditions, parameters = in_period(query.scope, query.since, query.until)
    conditions += [f"{name} IN {{filter_{name}:Array({types[name]})}}" for name in sorted(query.filters)]
    if not query.include_cross:
        conditions.append("postback_id != 0")
    parameters |= {f"filter_{name}": list(values) for name, values in query.filters.items()}
    where = f"FROM {table} WHERE {' AND '.join(conditions)}"
    [(total,)] = analytics.rows(f"SELECT uniqExact(id) {where}", parameters, tuple[int])
    latest = ", revision DESC LIMIT 1 BY id" if "revision" in types else ""
    sql = (
        f"SELECT {', '.join(types)} {where} ORDER BY time DESC, id DESC{latest} {limit_clause(query.page, query.limit)}"
    )
    return LogPage(analytics.rows(sql, parameters, kind), total)
