"""Retention and time to action of clicks.

docs/api/cohorts.md, docs/spec/statistics.md#retention-and-time-to-action.
"""

from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.zones import resolve_local_times
from trackyard.analytics.reports.compiler import filter_parameters, in_period, limit_clause
from trackyard.analytics.reports.goals import find_shown, with_every_spelling
from trackyard.analytics.reports.metrics import CLICKLESS_SQL
from trackyard.analytics.reports.scopes import scope_conditions
from trackyard.domain.offers.goals import goal_key, goal_keys, is_same_goal
from trackyard.domain.statistics.cohorts import Cohort, RetentionQuery, TimeToActionQuery, TimeToActionRow

SHORT_DELAY_MS: Final = 30_000
MEDIUM_DELAY_MS: Final = 600_000
"""The ends of the first two spans of the time to action, both inclusive."""


_RETENTION: Final = """
SELECT affiliate_id, toString(day), count(), sumMap(had, arrayMap(each -> toUInt64(1), had)) FROM (
  SELECT affiliate_id, day, arrayDistinct(arrayMap(each -> each.3, arrayFilter(
    each -> has({{events:Array(String)}}, each.3) AND each.1 >= first.1 AND each.2 != first.2, happened
  ))) AS had
  FROM (
    SELECT click_id, any(of_affiliate) AS affiliate_id, any(made) AS happened, min(base) AS first,
      toDate(toDateTime(intDiv(base.1, 1000), {{zone:String}})) AS day
    FROM (
      SELECT click_id, any(affiliate_of) AS of_affiliate, groupArray((made_at, conversion_id, goal_of)) AS made,
        arrayJoin(arrayFilter(each -> each.3 = {{base:String}} AND each.1 < {{until:Int64}}, made)) AS base
      FROM (
        SELECT click_id, conversion_id, any(affiliate) AS affiliate_of, any(time) AS made_at, any({goal}) AS goal_of
        FROM fact WHERE {conditions} GROUP BY click_id, conversion_id HAVING sum(sign) > 0
      ) GROUP BY click_id
    ) GROUP BY click_id, day
  )
) GROUP BY day, affiliate_id ORDER BY day, affiliate_id
"""
"""From the inside: existing conversions, grouped by click, its base events, the first of each day, later conversions.

A conversion at the same time counts as later.
"""


_KEY_OF_GOAL: Final = "transform(goal, {goals:Array(String)}, {keys:Array(String)}, '')"


def query_retention(analytics: Analytics, query: RetentionQuery) -> list[Cohort]:
    """Return the cohorts by day and affiliate, without empty ones. Raises ReportTooHeavy."""
    shown = find_shown(analytics, query.scope)
    spellings = with_every_spelling([*query.events, query.base_event], shown)
    conditions = ["time >= {since:Int64}", "offer = {offer:Int64}", "has({goals:Array(String)}, goal)"]
    conditions += [*scope_conditions(query.scope), *_affiliate_conditions(query.affiliates)]
    _, parameters = in_period(query.scope, query.since, query.until)
    parameters |= {"offer": query.offer, "base": goal_key(query.base_event), "events": sorted(goal_keys(query.events))}
    parameters |= {"goals": list(spellings), "keys": [goal_key(each) for each in spellings]}
    parameters |= filter_parameters({"affiliate": query.affiliates or ()})
    sql = resolve_local_times(
        _RETENTION.format(conditions=" AND ".join(conditions), goal=_KEY_OF_GOAL), query.zone, query.since, query.until
    )
    rows = analytics.rows(sql, parameters, tuple[int, str, int, tuple[list[str], list[int]]])
    return [
        Cohort(affiliate, day, size, _count_reached(query, size, dict(zip(*reached, strict=True))))
        for affiliate, day, size, reached in rows
    ]


def _count_reached(query: RetentionQuery, size: int, later: dict[str, int]) -> dict[str, int]:
    """Return how many of a cohort had each event; all had the base event. later: by key."""
    return {
        event: size if is_same_goal(event, query.base_event) else later.get(goal_key(event), 0)
        for event in query.events
    }


def query_time_to_action(analytics: Analytics, query: TimeToActionQuery) -> tuple[list[TimeToActionRow], int]:
    """Return a page by affiliate, and the number of affiliates with clicks or conversions of clicks.

    Raises ReportTooHeavy.
    """
    shared, parameters = in_period(query.scope, query.since, query.until)
    shared += ["offer = {offer:Int64}", *_affiliate_conditions(query.affiliates)]
    of_clicks = " AND ".join([*shared, "reason = ''"])
    of_facts = " AND ".join(
        [*shared, f"NOT ({CLICKLESS_SQL})", *(["has({goals:Array(String)}, goal)"] if query.goals else [])]
    )
    delay = "time - click_time"  # below 0 when clocks differ, which is not a time at all
    each = (
        f"SELECT affiliate, count() AS a, toInt64(0) AS b, toInt64(0) AS c, toInt64(0) AS d, toInt64(0) AS e "
        f"FROM click WHERE {of_clicks} GROUP BY affiliate UNION ALL "
        f"SELECT affiliate, toUInt64(0), sum(sign), sumIf(sign, {delay} <= {SHORT_DELAY_MS}), "
        f"sumIf(sign, {delay} > {SHORT_DELAY_MS} AND {delay} <= {MEDIUM_DELAY_MS}), "
        f"sumIf(sign, {delay} > {MEDIUM_DELAY_MS}) "
        f"FROM fact WHERE {of_facts} GROUP BY affiliate"
    )
    rows = f"SELECT affiliate, sum(a), sum(b), sum(c), sum(d), sum(e) FROM ({each}) GROUP BY affiliate"
    rows += " HAVING sum(a) > 0 OR sum(b) > 0"
    goals = with_every_spelling(query.goals, find_shown(analytics, query.scope)) if query.goals else ()
    parameters |= {"offer": query.offer, "goals": list(goals)}
    parameters |= filter_parameters({"affiliate": query.affiliates or ()})
    [(total_count,)] = analytics.rows(f"SELECT count() FROM ({rows})", parameters, tuple[int])
    page = f"{rows} ORDER BY affiliate {limit_clause(query.page, query.limit)}"
    found = analytics.rows(page, parameters, tuple[int, int, int, int, int, int])
    return [TimeToActionRow(*row) for row in found], total_count


def _affiliate_conditions(affiliates: tuple[int, ...] | None) -> list[str]:
    return [] if affiliates is None else ["affiliate IN {filter_affiliate:Array(Int64)}"]
