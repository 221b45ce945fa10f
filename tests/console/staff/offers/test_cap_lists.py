"""The list of what fills a cap, to which its meter leads."""

import re
from decimal import Decimal
from typing import Any

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversions, load_clicks
from tests.support.pages import Visitor, affiliate_visitor, staff_visitor
from trackyard.domain.conversions.statuses import Status

DAY_MS = 86_400_000
CAPS: tuple[dict[str, Any], ...] = (
    {"period": "day", "type": "conversions"},
    {"period": "month", "type": "conversions"},
    {"period": "all", "type": "conversions"},
    {"period": "all", "type": "conversions", "goal_type": "exact", "goals[]": ["2"]},
    {"period": "month", "type": "conversions", "goal_type": "each"},
    {"period": "month", "type": "conversions", "affiliate_type": "exact", "affiliates[]": [1]},
    {"period": "all", "type": "conversions", "affiliate_type": "each"},
    {"period": "all", "type": "conversions", "country_type": "exact", "country[]": ["FR"]},
    {"period": "month", "type": "conversions", "country_type": "each"},
    {"period": "day", "type": "budget"},
    {"period": "all", "type": "budget", "goal_type": "exact", "goals[]": ["1"], "country_type": "exact",
     "country[]": ["DE"]},
)  # fmt: skip


def sent_caps(caps: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """Caps as parameters of an offer."""
    return {
        f"caps[{place}][{name.removesuffix('[]')}]" + ("[]" if name.endswith("[]") else ""): value
        for place, cap in enumerate(caps)
        for name, value in ({"value": "100"} | cap).items()
    }


def cap_links(visitor: Visitor, path: str) -> list[str]:
    """The lists to which the meters of a page lead."""
    found = [given for tag, given in visitor.read(path).elements if tag == "a"]
    return [given["href"] for given in found if given.get("title") == "Show what fills this cap"]


def listed(visitor: Visitor, link: str, noun: str) -> int:
    """How many conversions or clicks a list has."""
    [number] = re.findall(rf"(\d+) {noun}s?\b", visitor.read(link).text)
    return int(number)


def test_meters_of_caps_lead_to_as_many_conversions_as_they_count(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    first, second = api.add_affiliate()[0], api.add_affiliate()[0]
    caps = tuple(cap | ({"affiliates[]": [first]} if "affiliates[]" in cap else {}) for cap in CAPS)
    advertiser = api.add_advertiser()
    zone = {"caps_timezone": "Asia/Tokyo", "caps_status[]": ["confirmed", "pending"]}
    offer = api.add_offer(advertiser=advertiser, **sent_caps(caps), **zone)
    other = api.add_offer(advertiser=advertiser)
    made: list[dict[str, Any]] = [
        {"goal": goal, "affiliate_id": affiliate, "status": status, "click": {"country": country}, "created_at": at}
        for goal in ("1", "2")
        for affiliate in (first, second)
        for country in ("FR", "DE")
        for status in (Status.CONFIRMED, Status.PENDING, Status.PENDING_CAP, Status.HOLD, Status.DECLINED)
        for at in (NOON, NOON - 13 * 3_600_000, NOON - DAY_MS, NOON - 20 * DAY_MS, NOON - 500 * DAY_MS)
    ][::3]
    each = {number: fields | {"offer_id": offer} for number, fields in enumerate(made, 1)}
    each[len(each) + 1] = {"goal": "1", "affiliate_id": first, "created_at": NOON, "offer_id": other}
    add_conversions(api.deps, each, advertiser_id=advertiser)
    [answer] = api.admin.get("/3.1/stats/caps", offer_id=offer)["stats"]
    visitor = staff_visitor(api)
    links = cap_links(visitor, f"/console/offers/{offer}")
    assert len(links) == len(answer["stats"]) == len(CAPS) + 2, "each affiliate and country has a meter"
    for cap, link in zip(answer["stats"], links, strict=True):
        counted = listed(visitor, link, "conversion") * (7 if cap["type"] == "budget" else 1)
        assert (counted, link) == (Decimal(str(cap["current_value"])), link)
        assert counted > 0
    assert len(set(links)) == len(links) - 1, "the budget of a day is of the conversions of the day"


def test_meters_of_caps_of_clicks_lead_to_the_clicks(api: Api) -> None:
    api.clock.advance(NOON + DAY_MS // 8 - NOW)
    pid, _ = api.add_affiliate()
    advertiser = api.add_advertiser()
    kinds = ({"period": "day"}, {"period": "month", "country_type": "exact", "country[]": ["FR"]}, {"period": "all"})
    offer = api.add_offer(advertiser=advertiser, **sent_caps(tuple(kind | {"type": "clicks"} for kind in kinds)))
    common = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    load_clicks(api.deps, [new_click(n, country="FR" if n % 3 else "DE", **common) for n in range(1, 8)])
    [answer] = api.admin.get("/3.1/stats/caps", offer_id=offer)["stats"]
    visitor = staff_visitor(api)
    links = cap_links(visitor, f"/console/offers/{offer}")
    assert [listed(visitor, link, "click") for link in links] == [cap["current_value"] for cap in answer["stats"]]
    assert [cap["current_value"] for cap in answer["stats"]] == [7, 5, 7]


def test_list_of_offers_leads_to_what_fills_the_fullest_cap_and_the_portal_does_not(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    pid, affiliate = affiliate_visitor(api)
    offer = api.add_offer(privacy="public", **sent_caps(({"period": "day", "type": "conversions"},)))
    add_conversions(api.deps, {1: {}, 2: {}}, offer_id=offer, affiliate_id=pid, created_at=NOON)
    visitor = staff_visitor(api)
    [link] = cap_links(visitor, "/console/offers")
    assert listed(visitor, link, "conversion") == 2
    for path in (f"/portal/offers/{offer}", "/portal/offers"):
        assert cap_links(affiliate, path) == []
        assert "2 of 100" in affiliate.read(path).text
