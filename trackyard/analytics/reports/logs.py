"""The logs of inbound postbacks, and of deliveries to affiliates (docs/api/logs.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Generic, TypeVar
from urllib.parse import urlencode

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period, limit_clause
from trackyard.analytics.reports.goals import GOAL, find_shown, with_every_spelling
from trackyard.analytics.reports.scopes import scope_conditions, scope_parameters
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.rows import AffiliatePostbackLog, ServerPostbackLog

R = TypeVar("R", ServerPostbackLog, AffiliatePostbackLog)

SERVER_FILTERS: Final = frozenset({"offer", "affiliate", "advertiser", "action_id", "click_id", "goal", "status"})
AFFILIATE_FILTERS: Final = frozenset({"offer", "affiliate", "goal", "status", "http_code"})

_ARRIVAL: Final = "time DESC, journal DESC, position DESC"
"""The newest record first; records of the same millisecond in the order in which their edge wrote them."""


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


def list_refused_imports(analytics: Analytics, query: LogQuery, author: str) -> LogPage[ServerPostbackLog]:
    """Return imports by an author that made no conversion. Raises ReportTooHeavy.

    author: the name of a caller, with which the query of each of its imports begins.
    """
    refused = ["method = 'IMPORT'", "response != ''", "startsWith(query, {author:String})"]
    given = {"author": f"{urlencode({'by': author})}&"}
    return _list_log(analytics, query, "server_log", ServerPostbackLog, SERVER_FILTERS, refused, given)


def find_refusals(
    analytics: Analytics, scope: Scope, click_ids: Sequence[str], action_ids: Sequence[str], period: tuple[int, int]
) -> dict[str, str]:
    """Return the answer to the last inbound postback that changed nothing, by click id and by action id.

    period: UTC milliseconds, the end exclusive. Raises ReportTooHeavy.
    """
    conditions, parameters = in_period(scope, *period)
    conditions.append("method NOT IN ('EDIT', 'IMPORT')")
    named = "(click_id IN {clicks:Array(String)} OR action_id IN {actions:Array(String)})"
    sql = (
        "SELECT click_id, action_id, argMax(response, (time, revision)) FROM server_log "
        f"WHERE {' AND '.join([*conditions, named])} GROUP BY click_id, action_id "
        "HAVING argMax(response, (time, revision)) NOT IN ('', 'waiting')"
    )
    parameters |= {"clicks": sorted(set(click_ids)), "actions": sorted(set(action_ids))}
    found: dict[str, str] = {}
    for click_id, action_id, response in analytics.rows(sql, parameters, tuple[str, str, str]):
        found |= {key: response for key in (click_id, action_id) if key}
    return found


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


@dataclass(frozen=True, slots=True)
class ServerRecordFilter:
    """What inbound postbacks must have; "" = anything.

    since, until: UTC milliseconds, `until` exclusive.
    offer: 0 = any.
    """

    since: int
    until: int
    record_id: str = ""
    click_id: str = ""
    action_id: str = ""
    advertiser: str = ""
    offer: int = 0

    def values(self) -> dict[str, str | int]:
        """Return the wanted values by column."""
        named: dict[str, str | int] = {
            "id": self.record_id,
            "click_id": self.click_id,
            "action_id": self.action_id,
            "advertiser": self.advertiser,
            "offer": self.offer,
        }
        return {name: value for name, value in named.items() if value}


def find_server_records(
    analytics: Analytics, scope: Scope, wanted: ServerRecordFilter, limit: int
) -> Sequence[ServerPostbackLog]:
    """Return the newest inbound postbacks of a filter, each in its last state, the oldest first."""
    conditions, parameters = in_period(scope, wanted.since, wanted.until)
    for name, value in wanted.values().items():
        conditions.append(f"{name} = {{{name}:{'Int64' if isinstance(value, int) else 'String'}}}")
        parameters[name] = value
    return _newest_records(analytics, conditions, parameters, limit)


def find_records_without_click(analytics: Analytics, since: int, until: int, limit: int) -> Sequence[ServerPostbackLog]:
    """Return the newest inbound postbacks of a period without a click id in its form, the oldest first."""
    conditions, parameters = in_period(Scope.everything(), since, until)
    conditions += ["response != ''", "method NOT IN ('EDIT', 'IMPORT')", "NOT match(click_id, '^[0-9a-f]{24}$')"]
    return _newest_records(analytics, conditions, parameters, limit)


def _newest_records(
    analytics: Analytics, conditions: Sequence[str], parameters: Mapping[str, object], limit: int
) -> Sequence[ServerPostbackLog]:
    sql = (
        f"SELECT {_column_list(ServerPostbackLog)} FROM server_log WHERE {' AND '.join(conditions)} "
        f"ORDER BY {_ARRIVAL}, id DESC, revision DESC LIMIT 1 BY id LIMIT {limit:d}"
    )
    return [*reversed(analytics.rows(sql, dict(parameters), ServerPostbackLog))]


def find_attempts(
    analytics: Analytics, conversion_ids: Sequence[str], since: int, limit: int
) -> Sequence[AffiliatePostbackLog]:
    """Return the newest attempts of deliveries about conversions, the oldest first.

    since: UTC milliseconds.
    """
    sql = (
        f"SELECT {_column_list(AffiliatePostbackLog)} FROM affiliate_log WHERE time >= {{since:Int64}} "
        f"AND conversion_id IN {{ids:Array(String)}} ORDER BY time DESC, id DESC LIMIT {limit:d}"
    )
    return [*reversed(analytics.rows(sql, {"since": since, "ids": [*conversion_ids]}, AffiliatePostbackLog))]


def find_conversion_of_delivery(analytics: Analytics, scope: Scope, delivery_id: str) -> str | None:
    """Return the id of the conversion that a delivery, or one attempt of it, in scope reports; or None."""
    since = int(delivery_id[:8], 16) * 1000  # a delivery and its attempts begin with the second in which they were made
    conditions = [*scope_conditions(scope), "time >= {since:Int64}", "(id = {id:String} OR job_id = {id:String})"]
    sql = f"SELECT conversion_id FROM affiliate_log WHERE {' AND '.join(conditions)} LIMIT 1"
    parameters = {"since": since, "id": delivery_id, **scope_parameters(scope)}
    rows = analytics.rows(sql, parameters, tuple[str])
    return rows[0][0] if rows else None


def _column_list(kind: type[msgspec.Struct]) -> str:
    return ", ".join(kind.__struct_fields__)


def _list_log(
    analytics: Analytics,
    query: LogQuery,
    table: str,
    kind: type[R],
    filters: frozenset[str],
    more: Sequence[str] = (),
    given: Mapping[str, object] = MappingProxyType({}),
) -> LogPage[R]:
    """Return a page of a log. more: further conditions, with their values in `given`."""
    unknown = query.filters.keys() - filters
    if unknown:
        raise ValueError(f"{table} has no {', '.join(sorted(unknown))}")
    types = {info.name: "Int64" if info.type is int else "String" for info in msgspec.structs.fields(kind)}
    conditions, parameters = in_period(query.scope, query.since, query.until)
    conditions += [f"{name} IN {{filter_{name}:Array({types[name]})}}" for name in sorted(query.filters)]
    conditions += more
    parameters |= given
    if not query.include_cross:
        conditions.append("postback_id != 0")
    parameters |= {f"filter_{name}": list(values) for name, values in query.filters.items()}
    if query.filters.get(GOAL):
        goals = with_every_spelling(map(str, query.filters[GOAL]), find_shown(analytics, query.scope, table))
        parameters[f"filter_{GOAL}"] = list(goals)
    where = f"FROM {table} WHERE {' AND '.join(conditions)}"
    [(total,)] = analytics.rows(f"SELECT uniqExact(id) {where}", parameters, tuple[int])
    newest = _ARRIVAL if "position" in types else "time DESC"
    latest = ", revision DESC LIMIT 1 BY id" if "revision" in types else ""
    sql = (
        f"SELECT {', '.join(types)} {where} ORDER BY {newest}, id DESC{latest} {limit_clause(query.page, query.limit)}"
    )
    return LogPage(analytics.rows(sql, parameters, kind), total)
