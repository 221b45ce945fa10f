"""Single clicks: the list of stats/clicks, and the look-up by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.rollups import (
    DAY_MS,
    REJECTION_ROLLUPS,
    TRAFFIC_ROLLUPS,
    Rollup,
    split_period,
    time_bucket,
)
from trackyard.analytics.reports.compiler import (
    filter_conditions,
    filter_parameters,
    in_period,
)
from trackyard.analytics.reports.metrics import REJECTED_SQL
from trackyard.analytics.reports.scopes import scope_conditions, scope_parameters
from trackyard.base.ids import is_hex24
from trackyard.domain.offers.counters import Count
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.cap_stats import GroupedCount
from trackyard.domain.statistics.lists import ClickQuery, ClickVerdicts
from trackyard.journal.records import Click, decode_click

CLICK_COLUMNS = ", ".join(Click.__struct_fields__)


@dataclass(frozen=True, slots=True)
class ListedClick:
    """A click and the ids of its conversions, oldest first."""

    click: Click
    conversion_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClickPage:
    """A page of clicks. total_count: clicks on all pages."""

    clicks: list[ListedClick]
    total_count: int


def list_clicks(analytics: Analytics, query: ClickQuery) -> ClickPage:
    """Return the page of a query. Raises ReportTooHeavy.

    Days completely before or after the page are counted by rollups and not read. Times and ids of the other days are
    sorted; the other columns of a click are from the look-up.
    """
    counts = _count_by_day(analytics, query)
    total_count = sum(counts.values())
    skipped, span = _find_page_days(counts, (query.page - 1) * query.limit, query.limit)
    if span is None:
        return ClickPage([], total_count)
    narrowed_query = replace(
        query, since=max(query.since, span[0] * DAY_MS), until=min(query.until, (span[1] + 1) * DAY_MS)
    )
    where, parameters = click_source(narrowed_query)
    offset = (query.page - 1) * query.limit - skipped
    sql = f"SELECT time, id {where} ORDER BY time DESC, id DESC LIMIT {query.limit} OFFSET {offset}"
    clicks = _load_clicks(analytics, analytics.rows(sql, parameters, tuple[int, str]))
    conversions = _find_conversion_ids(analytics, clicks)
    return ClickPage([ListedClick(click, conversions.get(click.id, ())) for click in clicks], total_count)


def _count_by_day(analytics: Analytics, query: ClickQuery) -> dict[int, int]:
    """Return the number of clicks by day of UTC, the last one first."""
    columns = set(query.filters)
    columns |= {"affiliate"} if query.scope.affiliate_ids is not None else set()
    columns |= {"advertiser"} if query.scope.advertiser_ids is not None else set()
    row_conditions = [*scope_conditions(query.scope), *filter_conditions(query.filters, of_clicks=True)]
    counter = "countIf(reason = '')"
    rollups: tuple[Rollup, ...] = TRAFFIC_ROLLUPS
    if query.verdict is not ClickVerdicts.ACCEPTED:
        columns, counter, rollups = columns | {"reason"}, "count()", REJECTION_ROLLUPS
        row_conditions += _verdict_conditions(query)
    counted = [
        f"SELECT {time_bucket(DAY_MS)} AS day, {counter} AS clicks FROM click "
        f"WHERE {' AND '.join([*piece.conditions, *row_conditions])} GROUP BY day"
        for piece in split_period(query.since, query.until, columns, rollups)
    ]
    sql = f"SELECT day, sum(clicks) FROM ({' UNION ALL '.join(counted)}) GROUP BY day ORDER BY day DESC"
    parameters = {
        **scope_parameters(query.scope),
        **filter_parameters(query.filters),
        "reasons": list(query.reasons),
    }
    return dict(analytics.rows(sql, parameters, tuple[int, int]))


def _find_page_days(counts: Mapping[int, int], offset: int, limit: int) -> tuple[int, tuple[int, int] | None]:
    """Return the number of rows before the days of a page, and its first and last day.

    counts: rows by day, the last day first.
    The days are None for a page after the end.
    """
    seen, skipped, last = 0, 0, None
    for day, count in counts.items():
        if last is None and seen + count > offset:
            skipped, last = seen, day
        seen += count
        if last is not None and seen >= offset + limit:
            return skipped, (day, last)
    return skipped, None if last is None else (min(counts), last)


def _load_clicks(analytics: Analytics, found: Sequence[tuple[int, str]]) -> list[Click]:
    """Return the clicks of times and ids, in this order."""
    if not found:
        return []
    records = find_records(analytics, [click_id for _, click_id in found])
    clicks = {click_id: decode_click(record) for click_id, record in records.items()}
    if missing := [place for place in found if place[1] not in clicks]:  # the look-up is loaded after the clicks
        sql = (
            f"SELECT {CLICK_COLUMNS} FROM click WHERE time >= {{since:Int64}} AND time <= {{until:Int64}} "
            "AND id IN {ids:Array(String)}"
        )
        times, ids = [time for time, _ in missing], [click_id for _, click_id in missing]
        parameters = {"since": min(times), "until": max(times), "ids": ids}
        clicks |= {click.id: click for click in analytics.rows(sql, parameters, Click)}
    return [clicks[click_id] for _, click_id in found if click_id in clicks]


def click_source(query: ClickQuery) -> tuple[str, dict[str, Any]]:
    """Return FROM and WHERE for the clicks of a query on all pages, and the parameters."""
    conditions, parameters = in_period(query.scope, query.since, query.until)
    conditions += [*_verdict_conditions(query), *filter_conditions(query.filters, of_clicks=True)]
    parameters |= {**filter_parameters(query.filters), "reasons": list(query.reasons)}
    return f"FROM click WHERE {' AND '.join(conditions)}", parameters


def _verdict_conditions(query: ClickQuery) -> list[str]:
    """Return the conditions that clicks were accepted, or rejected for the reasons of a query."""
    if query.verdict is ClickVerdicts.ACCEPTED:
        return ["reason = ''"]
    if query.reasons:
        return ["reason IN {reasons:Array(String)}"]
    return [REJECTED_SQL] if query.verdict is ClickVerdicts.REJECTED else []


def sample_clicks(
    analytics: Analytics, scope: Scope, offer_id: int, period: tuple[int, int], most: int
) -> tuple[list[Click], int]:
    """Return clicks of an offer, accepted or not, and their number.

    These are all of them, or a sample of `most`, which is the same at each call.
    period: UTC milliseconds, the end exclusive. Raises ReportTooHeavy.
    """
    conditions, parameters = in_period(scope, *period)
    where = f"FROM click WHERE {' AND '.join([*conditions, 'offer = {offer:Int64}'])}"
    parameters |= {"offer": offer_id}
    ((total,),) = analytics.rows(f"SELECT count() {where}", parameters, tuple[int])
    if not total:
        return [], 0
    sample = f"SELECT id {where} ORDER BY cityHash64(id) LIMIT {most}"
    return analytics.rows(f"SELECT {CLICK_COLUMNS} {where} AND id IN ({sample})", parameters, Click), total


def find_click(analytics: Analytics, click_id: str) -> Click | None:
    """Return the click of an id, also a rejected one; None when none is loaded."""
    record = find_records(analytics, [click_id]).get(click_id)
    return None if record is None else decode_click(record)


def find_records(analytics: Analytics, click_ids: Sequence[str]) -> dict[str, bytes]:
    """Return the journal payloads of loaded clicks by id; others and malformed ids are absent."""
    wanted = sorted({click_id for click_id in click_ids if is_hex24(click_id)})
    if not wanted:
        return {}
    sql = (
        "SELECT lower(hex(id)), record FROM click_lookup WHERE id IN "
        "(SELECT toFixedString(unhex(arrayJoin({ids:Array(String)})), 12))"
    )
    rows = analytics.rows(sql, {"ids": wanted}, tuple[str, str])
    return {found: record.encode() for found, record in rows}


def list_known_ids(analytics: Analytics, click_ids: Sequence[str]) -> frozenset[str]:
    """Return the ids that loaded clicks have. Each given id must have the form of a click id."""
    sql = (
        "SELECT lower(hex(id)) FROM click_lookup WHERE id IN "
        "(SELECT toFixedString(unhex(arrayJoin({ids:Array(String)})), 12))"
    )
    return frozenset(known for (known,) in analytics.rows(sql, {"ids": sorted(set(click_ids))}, tuple[str]))


def _find_conversion_ids(analytics: Analytics, clicks: Sequence[Click]) -> dict[str, tuple[str, ...]]:
    if not clicks:
        return {}
    sql = (
        "SELECT click_id, arrayMap(made -> made.2, arraySort(groupArray((made_at, conversion_id)))) FROM ("
        "SELECT click_id, conversion_id, any(time) AS made_at FROM fact "
        "WHERE click_id IN {ids:Array(String)} GROUP BY click_id, conversion_id HAVING sum(sign) > 0"
        ") GROUP BY click_id"
    )
    return dict(analytics.rows(sql, {"ids": [click.id for click in clicks]}, tuple[str, tuple[str, ...]]))


def count_clicks(analytics: Analytics, offer_id: int, since: int) -> list[GroupedCount]:
    """Return the accepted clicks of an offer since a time (UTC ms) by affiliate and country.

    Clicks that statistics leave out are among them. Clicks that are not loaded yet are missing. Raises ReportTooHeavy.
    """
    sql = (
        "SELECT affiliate, country, count() FROM click "
        "WHERE offer = {offer:Int64} AND time >= {since:Int64} "
        f"AND NOT {REJECTED_SQL} GROUP BY affiliate, country"
    )
    rows = analytics.rows(sql, {"offer": offer_id, "since": since}, tuple[int, str, int])
    return [GroupedCount("", affiliate, country, Count(number)) for affiliate, country, number in rows]
