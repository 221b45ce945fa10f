"""The facts of the analytic store about the health of a thing (docs/spec/statistics.md#health)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period
from trackyard.analytics.reports.goals import find_shown, folded_goals, goal_parameters, goal_sql
from trackyard.analytics.reports.quality import MOST_OFFERS
from trackyard.analytics.reports.subs import MOST_AFFILIATES
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.health import TIME_BOUNDS, ConversionTimes, HostResult, PostbackResult
from trackyard.domain.statistics.quality.conversion_signals import LEAST_USUAL, UsualTimes
from trackyard.domain.tracking.rejections import NOT_COUNTED

OF: Final = ("offer", "advertiser", "affiliate")
"""What health is seen of: filters of reports, and columns of clicks and logs."""
_MOST_RESPONSES: Final = 30
_MOST_HOSTS: Final = 20
_MOST_REASONS: Final = 100
_USUAL_MS: Final = 28 * 86_400_000
"""How long before the period the usual times are from."""
_CLICKLESS: Final = "affiliate = 0 AND response NOT IN ('', 'waiting')"
"""The condition that a postback is decided and names no recorded click: a click and a promo code have an affiliate."""
_MACROS: Final = r"'\\{([A-Za-z][A-Za-z0-9_]{1,39})\\}'"


@dataclass(frozen=True, slots=True)
class ClickTotals:
    """The clicks of a thing in a period.

    last_at: the time of the last accepted click, UTC milliseconds; None without one. rejected: clicks by reason.
    offers, affiliates: the ones with most accepted clicks, at most MOST_OFFERS and MOST_AFFILIATES.
    """

    accepted: int
    last_at: int | None
    rejected: dict[str, int]
    offers: Sequence[int]
    affiliates: Sequence[int]


def count_clicks(analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int) -> ClickTotals:
    """Return the clicks of a thing. Raises ReportTooHeavy."""
    conditions, parameters = _of(scope, of, key, since, until)
    sql = (
        "SELECT multiIf(GROUPING(reason) = 0, 'reason', GROUPING(offer) = 0, 'offer', 'affiliate') AS grouped, "
        "reason, offer, affiliate, toInt64(count()), toInt64(countIf(reason = '')) AS accepted, "
        "maxIf(time, reason = '') "
        f"FROM click WHERE {' AND '.join(conditions)} GROUP BY GROUPING SETS ((reason), (offer), (affiliate)) "
        "HAVING accepted > 0 OR grouped = 'reason' ORDER BY accepted DESC, reason, offer, affiliate "
        f"LIMIT {_MOST_REASONS:d} BY grouped"
    )
    rows = analytics.rows(sql, parameters, tuple[str, str, int, int, int, int, int], has_rollup=False)
    reasons = {reason: number for grouped, reason, _, _, number, _, _ in rows if grouped == "reason"}
    reasons.pop(NOT_COUNTED, None)
    return ClickTotals(
        accepted=reasons.pop("", 0),
        last_at=max((last for *_, last in rows), default=0) or None,
        rejected=reasons,
        offers=[offer for grouped, _, offer, *_ in rows if grouped == "offer"][:MOST_OFFERS],
        affiliates=[affiliate for grouped, _, _, affiliate, *_ in rows if grouped == "affiliate"][:MOST_AFFILIATES],
    )


def list_postback_results(
    analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int
) -> list[PostbackResult]:
    """Return inbound postbacks by their answer, each in its last state, without edits and imports."""
    conditions, parameters = _of(scope, of, key, since, until)
    conditions.append("method NOT IN ('EDIT', 'IMPORT')")
    sql = (
        "SELECT response, toInt64(count()), max(time), argMax(id, time), "
        f"groupUniqArrayArray(10)(extractAll(decodeURLComponent(concat(query, ' ', body)), {_MACROS})), "
        f"toInt64(countIf({_CLICKLESS})), maxIf(time, {_CLICKLESS}), argMaxIf(id, time, {_CLICKLESS}) "
        f"FROM (SELECT id, time, response, query, body, affiliate FROM server_log WHERE {' AND '.join(conditions)} "
        "ORDER BY id, revision DESC LIMIT 1 BY id) "
        f"GROUP BY response ORDER BY count() DESC, response LIMIT {_MOST_RESPONSES:d}"
    )
    rows = analytics.rows(sql, parameters, tuple[str, int, int, str, list[str], int, int, str], has_rollup=False)
    return [PostbackResult(*row) for row in rows]


def count_clickless(analytics: Analytics, since: int, until: int) -> tuple[int, int, str]:
    """Return the numbers of postbacks without a click and a sender, and of all, and an id.

    The id is of the newest without a sender.
    """
    conditions, parameters = in_period(Scope.everything(), since, until)
    conditions += ["method NOT IN ('EDIT', 'IMPORT')", "response != 'waiting'"]
    lost = f"{_CLICKLESS} AND offer = 0 AND advertiser = ''"
    sql = (
        f"SELECT toInt64(countIf({lost})), toInt64(count()), argMaxIf(id, time, {lost}) "
        f"FROM server_log WHERE {' AND '.join(conditions)}"
    )
    [found] = analytics.rows(sql, parameters, tuple[int, int, str], has_rollup=False)
    return found


def list_host_results(
    analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int
) -> list[HostResult]:
    """Return the attempts of deliveries by host, the host with most failures first."""
    conditions, parameters = _of(scope, of, key, since, until)
    sql = (
        "SELECT domain(url), toInt64(countIf(outcome = 'sent')), toInt64(countIf(outcome IN ('failed', 'dead'))), "
        "maxIf(time, outcome IN ('failed', 'dead')), argMaxIf(error, time, outcome IN ('failed', 'dead')) "
        f"FROM affiliate_log WHERE {' AND '.join(conditions)} AND outcome IN ('sent', 'failed', 'dead') "
        f"GROUP BY domain(url) ORDER BY 3 DESC, 1 LIMIT {_MOST_HOSTS:d}"
    )
    return [
        HostResult(*row) for row in analytics.rows(sql, parameters, tuple[str, int, int, int, str], has_rollup=False)
    ]


def count_conversions(
    analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int
) -> tuple[int, ConversionTimes | None]:
    """Return the conversions in a period, and the times from click to conversion in it and before it.

    Before it are four weeks. Conversions without a click of a visitor have no time; None = no conversion has one.
    """
    conditions, parameters = _of(scope, of, key, since - _USUAL_MS, until)
    of_now, of_before = "is_timed AND is_now", "is_timed AND NOT is_now"
    below = ", ".join(f"toInt64(countIf(is_timed AND took < {bound * 1000:d}))" for bound in TIME_BOUNDS)
    sql = (
        f"SELECT sumIf(sign, is_now), toInt64(countIf({of_now})), toInt64(quantileExactIf(0.5)(took, {of_now})), "
        f"toInt64(countIf({of_before})), "
        f"arrayMap(each -> toInt64(each), quantilesExactIf(0.1, 0.5, 0.9)(took, {of_before})), "
        f"argMaxIf(conversion_id, time, is_timed), [{below}, toInt64(countIf(is_timed))] "
        "FROM (SELECT time, sign, conversion_id, time - click_time AS took, time >= {begin:Int64} AS is_now, "
        "sign = 1 AND version = 1 AND time > click_time AND click_time > 0 AS is_timed "
        f"FROM fact WHERE {' AND '.join(conditions)})"
    )
    values = {**parameters, "begin": since}
    [row] = analytics.rows(sql, values, tuple[int, int, int, int, list[int], str, list[int]], has_rollup=False)
    conversions, number, median, usual_number, usual, newest_id, up_to = row
    if not up_to[-1]:
        return conversions, None
    low, usual_median, high = usual if usual_number else (0, 0, 0)
    times = ConversionTimes(
        number=number,
        median=median,
        usual_number=usual_number,
        usual_median=usual_median,
        usual_low=low,
        usual_high=high,
        newest_id=newest_id,
        spread=[count - before for before, count in pairwise([0, *up_to])],
    )
    return conversions, times


def list_usual_times(analytics: Analytics, now: int) -> dict[tuple[int, str], UsualTimes]:
    """Return the quartiles of the times from click to conversion of four weeks, by offer and goal.

    Goals with few conversions are absent. Conversions without a click of a visitor do not count.
    """
    folded = folded_goals(find_shown(analytics, Scope.everything()))
    sql = (
        f"SELECT offer, {goal_sql(folded)} AS of_goal, toInt64(count()), "
        "arrayMap(each -> toInt64(each), quantilesTDigest(0.25, 0.75)(time - click_time)) FROM fact "
        "WHERE time >= {since:Int64} AND sign = 1 AND version = 1 AND time > click_time AND click_time > 0 "
        f"GROUP BY offer, of_goal HAVING count() >= {LEAST_USUAL:d}"
    )
    parameters = {"since": now - _USUAL_MS, **goal_parameters(folded)}
    rows = analytics.rows(sql, parameters, tuple[int, str, int, list[int]], has_rollup=False)
    return {(offer, goal): UsualTimes(number, *quartiles) for offer, goal, number, quartiles in rows}


def _of(scope: Scope, of: str, key: int | str, since: int, until: int) -> tuple[list[str], dict[str, object]]:
    """Return the conditions that rows are of a thing, in scope and in a period."""
    if of not in OF:
        raise ValueError(f"health is seen of {', '.join(OF)}, not of {of}")
    conditions, parameters = in_period(scope, since, until)
    kind = "Int64" if isinstance(key, int) else "String"
    return [*conditions, f"{of} = {{thing:{kind}}}"], {**parameters, "thing": key}
