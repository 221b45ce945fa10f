"""The offers of the demonstration, one of each kind, and what visitors do on each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

SHOP_HOST: Final = "shop.example"
"""The host of accepted clicks; rejected ones go elsewhere."""

_ELSEWHERE: Final = "https://elsewhere.example/?offer={offer_id}&affiliate={pid}"
_COUNTRIES: Final = ["US", "GB", "DE", "FR", "ES", "PL"]


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that visitors do after a click, or after the goal `after`.

    rate: the share of such visitors.
    wait: seconds since then, on average.
    sums: the lowest and the highest sum; None = no sum.
    reported: statuses that the advertiser reports, with weights: 2 pending, 3 declined, 5 hold, "" none.
    """

    value: str
    rate: float
    wait: float
    sums: tuple[float, float] | None = None
    reported: tuple[tuple[str, int], ...] = (("", 1),)
    after: str = ""


@dataclass(frozen=True, slots=True)
class NetworkIds:
    """What the forms of offers refer to.

    advertisers, affiliates, categories, sources: ids by key.
    smartlink: the id of the SmartLink category.
    receiver: URL of the receiver of postbacks, "" = it cannot be reached.
    """

    advertisers: dict[str, str]
    affiliates: dict[str, int]
    categories: dict[str, str]
    sources: dict[str, str]
    smartlink: str
    receiver: str


@dataclass(frozen=True, slots=True)
class OfferPlan:
    """An offer.

    weight: its share of the traffic.
    form: makes the parameters of the request that creates it.
    goals: what visitors do, each after the goal it follows.
    connected: keys of the affiliates that may send traffic, empty = all.
    landings: the number of its landing pages.
    mobile: whether visitors come mostly by phone.
    views: impressions before a click.
    signs: whether its advertiser has a code in every installation; some postbacks carry a wrong one.
    rests_today: whether the past has no traffic of the current day.
    """

    key: str
    weight: int
    form: Callable[[NetworkIds], dict[str, Any]]
    goals: tuple[Goal, ...]
    connected: tuple[str, ...] = ()
    landings: int = 0
    mobile: bool = False
    views: int = 0
    signs: bool = False
    rests_today: bool = False


def _url(place: str) -> str:
    return f"https://{SHOP_HOST}/{place}?click={{clickid}}&offer={{offer_id}}&s={{sub1}}"


def _fixed(names: NetworkIds) -> dict[str, Any]:
    landings = [{"title": title, "url": _url(place), "url_preview": f"https://{SHOP_HOST}/{place}"}
                for title, place in (("Spring sale", "shoes/spring"), ("Running shoes", "shoes/running"))]  # fmt: skip
    cross = {"cross_postback_url": f"{names.receiver}/cross?c={{clickid}}&g={{goal}}"} if names.receiver else {}
    return cross | {
        "title": "Stride Running Shoes: orders",
        "advertiser": names.advertisers["shop"],
        "url": _url("shoes"),
        "preview_url": f"https://{SHOP_HOST}/shoes",
        "privacy": "public",
        "is_top": 1,
        "allow_impressions": 1,
        "landings": landings,
        "payments": [
            {"goal": "1", "title": "Order", "total": "10", "revenue": "7"},
            {"goal": "1", "title": "Order in Germany", "total": "14", "revenue": "10", "countries": ["DE"]},
            {"goal": "newsletter", "title": "Newsletter", "total": "1.5", "revenue": "0.9"},
        ],
        "partner_payments": [
            {"goal": "1", "title": "Order", "total": "10", "revenue": "8", "partners": [names.affiliates["harbour"]]}
        ],
        "caps": [{"period": "month", "type": "budget", "value": "50000"}],
        "categories": [names.categories["retail"]],
        "sources": list(names.sources.values()),
        "tags": ["retail"],
        "smartlink_categories": [names.smartlink],
        "allow_deeplink": 1,
    }


def _percent(names: NetworkIds) -> dict[str, Any]:
    return {
        "title": "Far Journeys: hotel bookings",
        "advertiser": names.advertisers["travel"],
        "url": _url("journeys"),
        "trafficback_url": _ELSEWHERE,
        "privacy": "protected",
        "hold_period": 7,
        "payments": [{"goal": "1", "title": "Booking", "type": "percent", "total": "8", "revenue": "5"}],
        "enabled_commission_tiers": 1,
        "commission_tiers": [
            {"timeframe": "week", "type": "conversions", "value": value, "modifier_type": "by_percent",
             "modifier_value": more, "modifier_payment_type": "payout"}
            for value, more in (("3", "10"), ("8", "20"))
        ],
        "categories": [names.categories["travel"]],
        "tags": ["travel"],
        "smartlink_categories": [names.smartlink],
    }  # fmt: skip


def _mixed(names: NetworkIds) -> dict[str, Any]:
    return {
        "title": "Castle Rush: mobile game",
        "advertiser": names.advertisers["play"],
        "url": _url("game"),
        "trafficback_url": _ELSEWHERE,
        "privacy": "public",
        "is_cpi": 1,
        "allow_impressions": 1,
        "payments": [
            {"goal": "install", "title": "Install", "total": "2.4", "revenue": "1.6"},
            {"goal": "purchase", "title": "Purchase", "type": "mixed", "total": "30", "revenue": "1.2"},
        ],
        "strictly_devices": ["mobile", "tablet"],
        "minimal_click_session": "3s",
        "rejectNotUniqIp": 1,
        "categories": [names.categories["games"]],
        "tags": ["games", "mobile"],
    }


def _private(names: NetworkIds) -> dict[str, Any]:
    return {
        "title": "Harbour Bank: gold card",
        "advertiser": names.advertisers["bank"],
        "url": _url("card"),
        "trafficback_url": _ELSEWHERE,
        "privacy": "private",
        "payments": [{"goal": "1", "title": "Application", "total": "45", "revenue": "30"}],
        "countries": _COUNTRIES,
        "targeting": [{"country": {"allow": _COUNTRIES}, "block_proxy": 1}],
        "caps": [
            {"period": "day", "type": "conversions", "value": "4"},
            {"period": "day", "type": "conversions", "value": "3", "affiliate_type": "each"},
        ],
        "notice_percent_overcap": 80,
        "click_session": "30d",
        "categories": [names.categories["finance"]],
        "tags": ["finance"],
        "note_sales": "The bank decides within days: conversions come as pending.",
    }


def _scheduled(names: NetworkIds) -> dict[str, Any]:
    hours = {str(day): [{"From": 7, "To": 22}] for day in range(7)}
    parallel = {"parallel_tracking_url": f"{names.receiver}/click?c={{clickid}}"} if names.receiver else {}
    return parallel | {
        "title": "Filmbox: free trial",
        "advertiser": names.advertisers["play"],
        "url": _url("films"),
        "trafficback_url": _ELSEWHERE,
        "privacy": "protected",
        "payments": [{"goal": "1", "title": "Trial", "total": "3", "revenue": "2"}],
        "schedule": {"enabled": 1, "date_start": "2020-01-01", "timezone": "UTC", "intervals": hours},
        "caps": [{"period": "day", "type": "clicks", "value": "60"}],
        "is_redirect_overcap": 1,
        "categories": [names.categories["games"]],
        "smartlink_categories": [names.smartlink],
    }


def _particular(names: NetworkIds) -> dict[str, Any]:
    return {
        "title": "SafeHome: insurance leads",
        "advertiser": names.advertisers["bank"],
        "url": _url("insurance"),
        "privacy": "public",
        "payments": [{"goal": "1", "title": "Lead", "total": "12", "revenue": "8.5"}],
        "uniqIpOnly": 1,
        "search_empty_sub": 1,
        "restriction_os": [{"os": os, "versions": []} for os in ("Windows", "Mac OS X", "Android", "iOS")],
        "targeting": [{"sub": {"deny": {"2": ["incent"]}}}],
        "categories": [names.categories["finance"]],
    }


def _stopped(names: NetworkIds) -> dict[str, Any]:
    return {
        "title": "Gardenia Tools: autumn sale (ended)",
        "advertiser": names.advertisers["shop"],
        "url": _url("garden"),
        "trafficback_url": _ELSEWHERE,
        "privacy": "public",
        "status": "stopped",
        "payments": [{"goal": "1", "title": "Order", "total": "5", "revenue": "3"}],
    }


_DECIDED_LATER: Final = (("2", 8), ("", 1), ("3", 1))

OFFERS: Final = (
    OfferPlan(
        "fixed", 30, _fixed, (Goal("newsletter", 0.03, 40), Goal("1", 0.05, 1500, (20, 180), (("", 12), ("3", 1)))),
        landings=2, views=9,
    ),
    OfferPlan(
        "percent", 18, _percent, (Goal("1", 0.035, 5400, (90, 1900), (("", 8), ("5", 1), ("3", 1))),),
        connected=("harbour", "meadow", "north"),
    ),
    OfferPlan(
        "mixed", 24, _mixed, (Goal("install", 0.09, 240), Goal("purchase", 0.35, 90_000, (2, 60), after="install")),
        mobile=True, views=9,
    ),
    OfferPlan("private", 10, _private, (Goal("1", 0.06, 900, None, _DECIDED_LATER),), connected=("harbour", "meadow"),
              signs=True),
    OfferPlan("scheduled", 10, _scheduled, (Goal("1", 0.05, 300),), connected=("meadow", "north", "lantern"),
              rests_today=True),
    OfferPlan("particular", 7, _particular, (Goal("1", 0.05, 600, None, (("", 4), ("2", 1))),), signs=True),
    OfferPlan("stopped", 1, _stopped, ()),
)  # fmt: skip
"""In the order of their creation; their forms name the SmartLink category."""
