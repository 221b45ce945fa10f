"""Costs of advertising over the API, and in statistics (docs/spec/statistics.md#ad-costs)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope

DAY = "2023-11-15"
PERIOD = {"filter[date_from]": "2023-11-01", "filter[date_to]": "2023-11-30"}


def cost(offer: int, pid: int, costs: str, **more: Any) -> dict[str, Any]:
    return {"offer_id": offer, "affiliate_id": pid, "date": DAY, "sub8": "none", "costs": costs} | more


def rows(client: ApiClient, *slices: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/3.1/stats/custom", **PERIOD, **{"slice[]": list(slices)}, **more)[
        "stats"
    ]
    return found


def shown(row: dict[str, Any]) -> tuple[float, float, float]:
    return row["cost"], row["profit"], row["roi"]


def test_cost_is_stored_replaced_listed_and_removed(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    added = api.admin.post("/3.1/adcosts", **cost(offer, pid, "33.1"))
    assert added == {"status": 1, "message": "adcost has been added successfully"}
    api.admin.post("/3.0/adcosts", **cost(offer, pid, "40.0001"))
    api.admin.post("/3.1/adcosts", **cost(offer, pid, "5", date="2023-11-16", sub8="banner"))
    listed = api.admin.get("/3.1/adcosts", offer_id=offer)
    assert listed["pagination"] == {"page": 1, "limit": 100, "total": 2, "per_page": 100}
    assert listed["costs"] == [
        {"offer_id": offer, "affiliate_id": pid, "date": "2023-11-16", "sub8": "banner", "costs": 5},
        {"offer_id": offer, "affiliate_id": pid, "date": DAY, "sub8": "none", "costs": 40.0001},
    ]
    gone = {"offer_id": offer, "affiliate_id": pid, "date": DAY, "sub8": "none"}
    removed = api.admin.call("DELETE", "/3.1/adcosts", params=gone)
    assert removed.json() == {"status": 1, "message": "adcost has been removed successfully"}
    assert api.admin.call("DELETE", "/3.1/adcosts", params=gone).status_code == 404
    assert [each["costs"] for each in api.admin.get("/3.1/adcosts", offer_id=offer)["costs"]] == [5]


def test_cost_enters_statistics_at_once_and_leaves_them(api: Api) -> None:
    advertiser, (pid, affiliate) = api.add_advertiser(), api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser)
    ids = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    load_clicks(api.deps, [new_click(1, **ids)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    [before] = rows(api.admin, "offer")
    margin = before["actions"]["confirmed"]["earning"]
    assert shown(before) == (0, margin, 0)
    api.admin.post("/3.1/adcosts", **cost(offer, pid, "4"))
    [after] = rows(api.admin, "offer")
    assert shown(after) == (4, margin - 4, round(100 * (margin - 4) / 4, 4))
    assert {**after, "cost": 0, "profit": margin, "roi": 0} == before
    for slices in (("year", "manager"), ("month",), ("advertiser",), ("affiliate", "offer"), ("quarter",)):
        assert [row["cost"] for row in rows(api.admin, *slices)] == [4]
    assert not {"cost", "profit", "roi"}.intersection(rows(api.admin, "country")[0])
    assert not {"cost", "profit", "roi"}.intersection(rows(api.admin, "offer", **{"filter[country]": "DE"})[0])
    assert not {"cost", "profit", "roi"}.intersection(rows(affiliate, "offer")[0])
    gone = {name: value for name, value in cost(offer, pid, "4").items() if name != "costs"}
    api.admin.call("DELETE", "/3.1/adcosts", params=gone)
    assert rows(api.admin, "offer") == [before]


def test_cost_belongs_to_its_day_in_every_zone(api: Api) -> None:
    offer, (pid, affiliate) = api.add_offer(), api.add_affiliate()
    api.admin.post("/3.1/adcosts", **cost(offer, pid, "0.0001"))
    api.admin.post("/3.1/adcosts", **cost(offer, pid, "0.0002", sub8="x"))
    for zone in ("UTC", "Pacific/Apia", "America/Los_Angeles"):
        [row] = rows(api.admin, "day", timezone=zone)
        assert (row["slice"]["day"], row["cost"], row["profit"], row["roi"]) == (15, 0.0003, -0.0003, -100)
        [row] = rows(api.admin, "day", timezone=zone, **{"filter[sub8]": "x"})
        assert row["cost"] == 0.0002
    assert rows(affiliate, "day") == []
    assert rows(api.admin, "day", **{"filter[nonzero]": 1}) == []


def test_rows_are_ordered_by_cost_and_profit(api: Api) -> None:
    offers, (pid, _) = [api.add_offer() for _ in range(3)], api.add_affiliate()
    for offer, amount in zip(offers, ("2", "7", "5"), strict=True):
        api.admin.post("/3.1/adcosts", **cost(offer, pid, amount))
    by_cost = rows(api.admin, "offer", **{"order[]": "cost"}, orderType="desc")
    assert [row["cost"] for row in by_cost] == [7, 5, 2]
    assert [row["cost"] for row in rows(api.admin, "offer", **{"order[]": "profit"})] == [7, 5, 2]
    file = api.admin.call("GET", "/3.1/stats/custom", params=PERIOD | {"slice[]": "offer", "format": "csv"}).text
    header, first, *_ = (line.split(",") for line in file.splitlines())
    assert dict(zip(header, first, strict=True))["cost"] == "2"
    refused = api.admin.call("GET", "/3.1/stats/custom", params=PERIOD | {"slice[]": "country", "order[]": "cost"})
    assert list(refused.json()["fields"]) == ["order"]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"offer_id": 987654}, "An offer 987654 does not exist."),
        ({"affiliate_id": 987654}, "An affiliate 987654 does not exist."),
        ({"date": "2501-01-01"}, "Send a day from 1970-01-01 to 2148-12-31."),
        ({"costs": "-1"}, "This value must be a decimal number, 0 or more."),
    ],
)
def test_wrong_cost_is_refused_with_its_field(api: Api, wrong: dict[str, Any], fault: str) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    refused = api.admin.call("POST", "/3.1/adcosts", data=cost(offer, pid, "1") | wrong)
    assert refused.status_code == 400
    assert refused.json()["fields"] == {next(iter(wrong)): [fault]}


def test_managers_see_costs_in_their_scope_alone(api: Api) -> None:
    seller, sales = api.add_staff(Role.MANAGER_SALES)
    keeper, affiliates = api.add_staff(Role.MANAGER_AFFILIATE)
    own = api.add_offer(advertiser=api.add_advertiser(manager=seller))
    foreign = api.add_offer()
    pid, _ = api.add_affiliate(manager_id=keeper)
    other, _ = api.add_affiliate()
    for offer in (own, foreign):
        for each in (pid, other):
            api.admin.post("/3.1/adcosts", **cost(offer, each, "1"))
    assert sales.post("/3.1/adcosts", **cost(own, pid, "3"))["status"] == 1
    refused = sales.call("POST", "/3.1/adcosts", data=cost(foreign, pid, "3"))
    assert refused.json()["fields"] == {"offer_id": [f"An offer {foreign} does not exist."]}
    assert sales.get("/3.1/adcosts", offer_id=foreign)["costs"] == []
    assert [row["cost"] for row in rows(sales, "year")] == [4]
    assert [each["affiliate_id"] for each in affiliates.get("/3.1/adcosts", offer_id=own)["costs"]] == [pid]
    assert [row["cost"] for row in rows(affiliates, "year")] == [4]
    assert affiliates.call("POST", "/3.1/adcosts", data=cost(own, pid, "3")).status_code == 403


def test_cost_of_clicks_without_sub8_is_sent_as_such(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    place = {name: value for name, value in cost(offer, pid, "4").items() if name != "sub8"}
    assert api.admin.call("POST", "/3.1/adcosts", data=place).json()["fields"].keys() == {"sub8"}
    both = api.admin.call("POST", "/3.1/adcosts", data=cost(offer, pid, "4", no_sub8=1))
    assert (both.status_code, both.json()["fields"].keys()) == (400, {"no_sub8"})
    api.admin.post("/3.1/adcosts", **place, no_sub8=1)
    [listed] = api.admin.get("/3.1/adcosts", offer_id=offer)["costs"]
    assert (listed["sub8"], listed["costs"]) == ("", 4)
    [row] = rows(api.admin, "offer", **{"filter[offer]": offer})
    assert row["cost"] == 4
    gone = {name: value for name, value in place.items() if name != "costs"} | {"no_sub8": 1}
    assert api.admin.call("DELETE", "/3.1/adcosts", params=gone).status_code == 200


def test_costs_make_no_row_for_those_who_do_not_see_them(api: Api) -> None:
    advertiser, (pid, affiliate) = api.add_advertiser(), api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser)
    cost = {"offer_id": offer, "affiliate_id": pid, "sub8": "banner", "date": "2023-11-10", "costs": "2"}
    api.admin.post("/3.1/adcosts", **cost)
    days = {"date_from": "2023-11-10", "date_to": "2023-11-10"}
    filters = {f"filter[{name}]": value for name, value in days.items()}
    assert len(api.admin.get("/3.1/stats/custom", **{"slice[]": ["day"]}, **filters)["stats"]) == 1
    assert affiliate.get("/3.1/stats/custom", **{"slice[]": ["day"]}, **filters)["stats"] == []
    owner = api.advertiser_client(advertiser)
    slices = ("day", "month", "offer")
    assert [owner.get("/3.1/advertiser/stats", **{"slice[]": [each]}, **days)["stats"] for each in slices] == [
        [],
        [],
        [],
    ]


def test_visibility_of_costs_is_declared_for_each_scope() -> None:
    sees = (Scope.everything(), Scope.of_affiliate(1), Scope.of_advertiser("a" * 24), Scope.nothing())
    assert [each.sees_costs for each in sees] == [True, False, False, False]
