"""The facts of the analytic store about the quality of traffic (docs/spec/quality.md#findings)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.compiler import in_period
from trackyard.analytics.reports.metrics import CLICKLESS_SQL
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.health import NetworkClicks
from trackyard.domain.statistics.quality.comparing import (
    LATE_MS,
    LEAST_CLICKS,
    MARKED_PERCENT,
    QUICK_MS,
    DeviceSums,
    OfferTraffic,
    SubClicks,
    TrafficSums,
)
from trackyard.domain.statistics.quality.origins import SUSPICIOUS

MOST_SUBS: Final = 50
"""Subs that are compared: the ones with most marked clicks."""
MOST_OFFERS: Final = 20
"""Offers that are compared: the ones with most clicks."""
MOST_NETWORKS: Final = 10
_NETWORK: Final = (
    "if(position(ip, ':') = 0, concat(extract(ip, '^[0-9]+[.][0-9]+[.][0-9]+'), '.0/24'), "
    "concat(IPv6NumToString(tupleElement(IPv6CIDRToRange(toIPv6OrDefault(ip), 48), 1)), '/48'))"
)
_OF: Final = ("offer", "advertiser", "affiliate")
_CLICKS: Final = (
    "toInt64(count()) AS clicks, toInt64(countIf(bitAnd(origin, {marked:Int64}) != 0)) AS marked, "
    "toInt64(0) AS conversions, toInt64(0) AS quick, toInt64(0) AS late"
)
_CONVERSIONS: Final = (
    "toInt64(0), toInt64(0), "
    "sum(sign), sumIf(sign, time - click_time < {quick:Int64}), sumIf(sign, time - click_time > {late:Int64})"
)

RepeatedByPlace = dict[tuple[int, int], int]
"""Conversions from addresses that had converted before, by offer and affiliate."""


def list_busiest(analytics: Analytics, scope: Scope, since: int, until: int) -> list[int]:
    """Return the offers with most accepted clicks. Raises ReportTooHeavy."""
    conditions, parameters = in_period(scope, since, until)
    sql = (
        f"SELECT offer FROM click WHERE {' AND '.join(conditions)} AND reason = '' "
        f"GROUP BY offer ORDER BY count() DESC, offer LIMIT {MOST_OFFERS:d}"
    )
    return [offer for (offer,) in analytics.rows(sql, parameters, tuple[int], has_rollup=False)]


def list_marked_subs(
    analytics: Analytics, scope: Scope, offers: Sequence[int], since: int, until: int
) -> list[SubClicks]:
    """Return the subs with most marked clicks on offers. Raises ReportTooHeavy.

    Subs may be as many as clicks: the few marked clicks are counted first, then all clicks of what was found.
    """
    if not offers:
        return []
    conditions, parameters = in_period(scope, since, until)
    where = f"WHERE {' AND '.join(conditions)} AND offer IN {{offers:Array(Int64)}} AND reason = ''"
    keys, grouped = "SELECT offer, affiliate, sub1, toInt64(count())", "GROUP BY offer, affiliate, sub1"
    values = {**parameters, "offers": list(offers), "marked": SUSPICIOUS}
    many = (
        f"{keys} FROM click {where} AND sub1 != '' AND bitAnd(origin, {{marked:Int64}}) != 0 {grouped} "
        f"HAVING count() >= {LEAST_CLICKS * MARKED_PERCENT // 100:d} "
        f"ORDER BY count() DESC, offer, affiliate, sub1 LIMIT {MOST_SUBS:d}"
    )
    marked = _count_subs(analytics, many, values)
    if not marked:
        return []
    named = {**values, "subs": sorted({sub for _, _, sub in marked})}
    whole = f"{keys} FROM click {where} AND sub1 IN {{subs:Array(String)}} {grouped}"
    clicks = _count_subs(analytics, whole, named)
    return [SubClicks(*key, clicks.get(key, number), number) for key, number in marked.items()]


def _count_subs(analytics: Analytics, sql: str, parameters: dict[str, Any]) -> dict[tuple[int, int, str], int]:
    rows = analytics.rows(sql, parameters, tuple[int, int, str, int], has_rollup=False)
    return {row[:3]: row[3] for row in rows}


def list_networks(
    analytics: Analytics, scope: Scope, of: str, key: int | str, since: int, until: int
) -> list[NetworkClicks]:
    """Return the networks of a thing with most accepted clicks. Raises ReportTooHeavy."""
    condition, parameters = thing_condition(of, key)
    conditions, period = in_period(scope, since, until)
    sql = (
        f"SELECT {_NETWORK} AS network, toInt64(count()) AS clicks, toInt64(uniqExact(ip)), "
        "toInt64(countIf(bitAnd(origin, {marked:Int64}) != 0)) "
        f"FROM click WHERE {' AND '.join(conditions)} AND {condition} AND reason = '' AND ip != '' "
        f"GROUP BY network ORDER BY clicks DESC, network LIMIT {MOST_NETWORKS:d}"
    )
    values = {**period, **parameters, "marked": SUSPICIOUS}
    rows = analytics.rows(sql, values, tuple[str, int, int, int], has_rollup=False)
    return [NetworkClicks(*row) for row in rows]


def thing_condition(of: str, key: int | str) -> tuple[str, dict[str, Any]]:
    """Return the condition of clicks of a thing, with its parameter."""
    if of not in _OF:
        raise ValueError(f"quality is seen of {', '.join(_OF)}, not of {of}")
    return f"{of} = {{thing:{'Int64' if isinstance(key, int) else 'String'}}}", {"thing": key}


def list_offer_traffic(
    analytics: Analytics, scope: Scope, offers: Sequence[int], since: int, until: int, repeated: RepeatedByPlace
) -> list[OfferTraffic]:
    """Return the traffic of offers by affiliate. Raises ReportTooHeavy.

    Conversions without a click are left out: they have no time since a click, and no clicks convert to them.
    """
    if not offers:
        return []
    conditions, parameters = in_period(scope, since, until)
    where = f"WHERE {' AND '.join(conditions)} AND offer IN {{offers:Array(Int64)}}"
    values = {**parameters, "offers": list(offers), "marked": SUSPICIOUS, "quick": QUICK_MS, "late": LATE_MS}
    keys, grouped = "offer, affiliate, device", "GROUP BY offer, affiliate, device"
    sums = ", ".join(f"sum({name})" for name in ("clicks", "marked", "conversions", "quick", "late"))
    sql = (
        f"SELECT {keys}, {sums} FROM (SELECT {keys}, {_CLICKS} FROM click {where} AND reason = '' {grouped} "
        f"UNION ALL SELECT {keys}, {_CONVERSIONS} FROM fact {where} AND NOT ({CLICKLESS_SQL}) {grouped}) {grouped}"
    )
    found: dict[int, dict[int, dict[str, tuple[int, ...]]]] = defaultdict(lambda: defaultdict(dict))
    rows = analytics.rows(sql, values, tuple[int, int, str, int, int, int, int, int], has_rollup=False)
    for offer, affiliate, device, *numbers in rows:
        found[offer][affiliate][device] = tuple(numbers)
    return [
        OfferTraffic(offer, {key: _sums(devices, repeated.get((offer, key), 0)) for key, devices in affiliates.items()})
        for offer, affiliates in sorted(found.items())
    ]


def _sums(devices: dict[str, tuple[int, ...]], repeated: int) -> TrafficSums:
    clicks, marked, conversions, quick, late = (sum(each) for each in zip(*devices.values(), strict=True))
    by_device = {name: DeviceSums(numbers[0], numbers[2]) for name, numbers in devices.items()}
    return TrafficSums(clicks, marked, conversions, quick, late, repeated, by_device)
