"""How full caps are, over the API in both versions."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role

EVENING = NOON + 6 * 3_600_000
MIDNIGHT = (NOON + 12 * 3_600_000) // 1000
CAPS = {
    "caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "3",
    "caps[0][goal_type]": "each", "caps[0][affiliate_type]": "each",
    "caps[1][period]": "all", "caps[1][type]": "budget", "caps[1][value]": "70.5",
    "caps[2][period]": "month", "caps[2][type]": "clicks", "caps[2][value]": "2", "caps[2][country_type]": "each",
    "caps[3][period]": "day", "caps[3][type]": "conversions", "caps[3][value]": "9",
    "caps[3][goal_type]": "exact", "caps[3][goals][]": "sale",
}  # fmt: skip
"""A day cap of each goal and affiliate, a budget of all, clicks of each country, one of a goal."""


@dataclass(frozen=True)
class CapStatsSetup:
    """An offer with caps, after a day with conversions of two affiliates.

    A third affiliate has a limit of its own.


    Today: the first 2 of goal 1 and 3 of `sale` (payout 7 each), one of them yesterday; the second 1 that counts."""

    api: Api
    offer: int
    first: int
    second: int
    affiliate: ApiClient
    ids: list[str]


@pytest.fixture
def world(api: Api) -> CapStatsSetup:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    first, affiliate = api.add_affiliate(manager_id=manager)
    second, _ = api.add_affiliate()
    limit = {"personal_limits[0][partner]": second, "personal_limits[0][caps]": "4"}
    named = {"caps[4][period]": "day", "caps[4][type]": "conversions", "caps[4][value]": "1"}
    named |= {"caps[4][affiliate_type]": "exact", "caps[4][affiliates][]": second}
    offer = api.add_offer(**CAPS, **limit, **named)
    happened: list[tuple[int, str, Status, int]] = [
        *[(first, "1", Status.CONFIRMED, NOON)] * 2,
        *[(first, "sale", Status.HOLD, NOON)] * 2,
        (first, "sale", Status.PENDING_CAP, NOON),
        (first, "sale", Status.CONFIRMED, NOON - 86_400_000),
        (first, "1", Status.DECLINED, NOON),
        (second, "1", Status.CONFIRMED, NOON),
    ]
    for number, (pid, goal, status, at) in enumerate(happened):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=pid, goal=goal, status=status, created_at=at)
    countries = ("DE", "DE", "FR", "DE")
    clicks = [new_click(n, offer=offer, affiliate=first, country=code) for n, code in enumerate(countries[:3])]
    clicks.append(new_click(9, offer=offer, affiliate=second, country="DE", reason="bot"))
    load_clicks(api.deps, clicks)
    api.clock.advance(EVENING - api.clock.now_ms())
    stats = api.admin.get("/3.1/stats/caps", offer_id=offer)["stats"][0]["stats"]
    return CapStatsSetup(api, offer, first, second, affiliate, list(dict.fromkeys(item["id"] for item in stats)))


def items(client: ApiClient, offer: int) -> list[dict[str, Any]]:
    [found] = client.get("/3.1/stats/caps", **{"offer_id[]": offer})["stats"]
    assert found["offer_id"] == offer
    stats: list[dict[str, Any]] = found["stats"]
    return stats


def list_caps_3_0(client: ApiClient, offer: int, **more: Any) -> dict[str, Any]:
    asked = {"offer_id": offer, "fields[]": ["stats", "stats_merged", "descr"]}
    found: dict[str, Any] = client.get("/3.0/stats/caps", **asked | more)["offers"][str(offer)]
    return found


def test_cap_stats_under_3_1_list_each_counter(world: CapStatsSetup) -> None:
    each, other, budget, german, french, of_goal, named, own = items(world.api.admin, world.offer)
    assert each == {
        "id": world.ids[0], "timeframe": "day", "type": "conversions", "value": 3, "current_value": 3,
        "is_remaining": False, "reset_to_value": MIDNIGHT, "goal_type": "each", "goals": [],
        "goal_stats": {"1": 2, "sale": 3}, "affiliate_type": "each", "affiliates": [world.first],
        "country_type": "all", "countries": [],
    }  # fmt: skip
    assert (other["affiliates"], other["current_value"], other["is_remaining"]) == ([world.second], 1, True)
    # yesterday's counts here, the declined one nowhere
    assert (budget["current_value"], budget["value"], budget["reset_to_value"]) == (49, 70.5, 0)
    assert budget["goal_stats"] == {"1": 21, "sale": 28}
    assert [(item["countries"], item["current_value"]) for item in (german, french)] == [(["DE"], 2), (["FR"], 1)]
    assert (german["is_remaining"], french["is_remaining"], german["goal_stats"]) == (False, True, {})
    assert (of_goal["goals"], of_goal["goal_stats"], of_goal["current_value"]) == (["sale"], {"sale": 3}, 3)
    assert (named["affiliates"], named["current_value"], named["affiliate_type"]) == ([world.second], 1, "exact")
    assert (own["id"], own["affiliates"], own["value"]) == (f"personal-{world.second}", [world.second], 4)


def test_cap_stats_under_3_0_list_each_counter(world: CapStatsSetup) -> None:
    found = list_caps_3_0(world.api.admin, world.offer)
    day, budget, clicks, of_goal, named, own = world.ids
    rows = [(row["cap_id"], row["affiliate_id"], row["current_value"], row["value"]) for row in found["stats"]]
    assert rows == [
        (day, world.first, 3, 3), (day, world.second, 1, 3), (budget, 0, 49, 70.5), (clicks, 0, 2, 2),
        (of_goal, 0, 3, 9), (named, world.second, 1, 1), (own, world.second, 1, 4),
    ]  # fmt: skip
    assert [row["period"] for row in found["stats"][1:4]] == ["day", "all", "month"]
    merged = found["stats_merged"]
    assert merged["caps"][day] == {"cap_val": 4, "min": 1, "max": 3, "avg": 2}
    assert {name: merged[name] for name in ("cap_val", "min", "max", "avg")} == merged["caps"][day], "the fullest"
    assert {name: merged[name] for name in ("cap_id", "period", "type", "value")} == {
        "cap_id": day, "period": "day", "type": "conversions", "value": 3,
    }  # fmt: skip
    assert found["descr"].split("\n")[1:3] == [
        "70.5 USD of payouts in all: all together",
        "2 clicks a month: each country",
    ]
    assert set(list_caps_3_0(world.api.admin, world.offer, **{"fields[]": "descr"})) == {"descr"}


def test_cap_stats_of_offer_without_caps_are_empty(api: Api) -> None:
    offer, nothing = api.add_offer(), {"cap_val": 0, "min": 0, "max": 0, "avg": 0}
    assert items(api.admin, offer) == []
    nothing |= dict.fromkeys(("cap_id", "period", "type", "value"))
    assert list_caps_3_0(api.admin, offer) == {"descr": "", "stats": [], "stats_merged": nothing | {"caps": {}}}
    fields = {"fields": "stats"}
    assert api.admin.get("/3.0/stats/caps", offer_id=99, **fields)["offers"] == {}
    assert api.admin.get("/3.1/stats/caps", offer_id=99)["stats"] == []


def test_cap_stats_whole_numbers_have_no_decimals(api: Api) -> None:
    each = {"period": "day", "type": "conversions", "value": 3, "affiliate_type": "each"}
    offer = api.add_offer(**{f"caps[0][{name}]": value for name, value in each.items()})
    query = {"offer_id": offer, "fields[]": ["stats", "stats_merged"]}
    sent = api.admin.call("GET", "/3.0/stats/caps", params=query).text
    assert '"cap_val":0,"min":0,"max":0,"avg":0' in sent
    assert "0.0" not in sent


def test_cap_stats_filter_by_affiliate(world: CapStatsSetup) -> None:
    third, _ = world.api.add_affiliate()
    day, budget, clicks, of_goal, named, own = world.ids

    def rows(*ids: int) -> list[tuple[str, int, Any]]:
        found = list_caps_3_0(world.api.admin, world.offer, **{"affiliate_id[]": ids})["stats"]
        return [(row["cap_id"], row["affiliate_id"], row["current_value"]) for row in found]

    shared = [(budget, 0, 49), (clicks, 0, 2), (of_goal, 0, 3)]
    assert rows(0) == shared
    assert rows(third) == [(day, third, 0), *shared]
    assert rows(world.second) == [(day, world.second, 1), *shared, (named, world.second, 1), (own, world.second, 1)]
    assert rows(9999) == []


def test_cap_stats_show_an_affiliate_its_caps_only(world: CapStatsSetup) -> None:
    day, budget, clicks, of_goal, _, _ = world.ids
    assert [item["id"] for item in items(world.affiliate, world.offer)] == [day, budget, clicks, clicks, of_goal]
    assert items(world.affiliate, world.offer)[0]["affiliates"] == [world.first]
    rows = list_caps_3_0(world.affiliate, world.offer)["stats"]
    assert [(row["cap_id"], row["affiliate_id"]) for row in rows] == [
        (day, world.first), (budget, 0), (clicks, 0), (of_goal, 0),
    ]  # fmt: skip
    assert list_caps_3_0(world.affiliate, world.offer, affiliate_id=world.second)["stats"] == []
    admin = world.api.admin
    admin.post(f"/3.0/admin/offer/{world.offer}", hide_caps=1)
    assert items(world.affiliate, world.offer) == []
    admin.post(f"/3.0/admin/offer/{world.offer}", hide_caps=0, privacy="private")
    assert world.affiliate.get("/3.1/stats/caps", offer_id=world.offer)["stats"] == []


def test_cap_stats_show_managers_own_counters_only(world: CapStatsSetup) -> None:
    manager, client = world.api.add_staff(Role.MANAGER_AFFILIATE)
    world.api.admin.post(f"/3.0/admin/partner/{world.second}", manager_id=manager)
    rows = list_caps_3_0(client, world.offer)["stats"]
    assert [(row["affiliate_id"], row["current_value"]) for row in rows[:2]] == [(world.second, 1), (0, 49)]
    _, sales = world.api.add_staff(Role.MANAGER_SALES)
    assert sales.get("/3.1/stats/caps", offer_id=world.offer)["stats"] == []


def test_cap_stats_of_new_period_start_empty(world: CapStatsSetup) -> None:
    world.api.clock.advance(86_400_000)
    empty, budget, *_ = items(world.api.admin, world.offer)
    assert (empty["current_value"], empty["affiliates"], empty["is_remaining"]) == (0, [], True)
    assert (empty["reset_to_value"], budget["current_value"]) == (MIDNIGHT + 86_400, 49)


@pytest.mark.parametrize(
    ("path", "params", "name"),
    [
        ("3.0", {"fields": "stats"}, "offer_id"),
        ("3.0", {"offer_id": 1}, "fields"),
        ("3.0", {"offer_id": 1, "fields": "all"}, "fields[0]"),
        ("3.0", {"offer_id[]": list(range(101)), "fields": "stats"}, "offer_id"),
        ("3.1", {}, "offer_id"),
        ("3.1", {"offer_id": "x"}, "offer_id[0]"),
    ],
)
def test_cap_stats_with_invalid_parameter_are_rejected(
    shared_api: Api, path: str, params: dict[str, Any], name: str
) -> None:
    assert shared_api.admin.refusal("GET", f"/{path}/stats/caps", params=params) == (400, [name])
    if len(params.get("offer_id[]", ())) > 100:
        assert shared_api.admin.call("GET", "/3.1/stats/caps", params=params).status_code == 200
