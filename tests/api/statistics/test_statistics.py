"""Statistics over the API: who sees what, in which form."""

import csv
import io
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.store.tables import conversion

DAY = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}


@dataclass(frozen=True)
class StatisticsTraffic:
    """Traffic of two affiliates on offers of two advertisers.

    The first has 3 clicks and 2 conversions, the second 1 click.
    """

    api: Api
    advertiser: str
    first_offer: int
    second_offer: int
    first: int
    second: int
    affiliate: ApiClient


@pytest.fixture
def traffic(api: Api) -> StatisticsTraffic:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    advertiser, other = api.add_advertiser(tags="gold"), api.add_advertiser()
    first_offer, second_offer = api.add_offer(advertiser=advertiser, tags="hot"), api.add_offer(advertiser=other)
    first, affiliate = api.add_affiliate(manager_id=manager)
    second, _ = api.add_affiliate()
    load_clicks(
        api.deps,
        [
            new_click(1, offer=first_offer, affiliate=first, advertiser=advertiser, sub1="a"),
            new_click(2, offer=first_offer, affiliate=first, advertiser=advertiser, uniq=0, country="FR"),
            new_click(3, offer=first_offer, affiliate=first, advertiser=advertiser, time=NOON + 86_400_000),
            new_click(4, offer=second_offer, affiliate=second, advertiser=other),
            new_click(5, offer=second_offer, affiliate=second, advertiser=other, reason="inactive-offer"),
        ],
    )
    own = {"offer_id": first_offer, "affiliate_id": first, "advertiser_id": advertiser}
    add_conversion(api.deps, 1, **own, click={"sub1": "a"})
    add_conversion(api.deps, 2, **own, status=Status.NOT_FOUND)
    return StatisticsTraffic(api, advertiser, first_offer, second_offer, first, second, affiliate)


def rows(client: ApiClient, path: str, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(path, **DAY | params)["stats"]
    return found


def test_statistics_by_date_show_traffic_actions_and_rates(traffic: StatisticsTraffic) -> None:
    body = traffic.api.admin.get("/3.1/stats/getbydate", **DAY | {"filter[offer][]": traffic.first_offer})
    [row] = body["stats"]
    assert row["slice"] == {"year": 2023, "month": 11, "day": 15}
    assert row["traffic"] == {"raw": "2", "uniq": "1"}
    money = {"revenue": 10, "charge": 10, "earning": 3, "payouts": 7, "null": 0, "count": 1}
    assert row["actions"]["confirmed"] == row["actions"]["declined"] == money
    assert row["actions"]["total"]["count"] == 2
    assert "not_found" not in row["actions"]
    assert (row["ratio"], row["epc"]) == ("1:1", 3.5)
    assert row["cr"] == {"total": 100, "confirmed": 50, "pending": 0, "declined": 50, "hold": 0}
    assert body["currency"] == "USD"
    assert body["pagination"] == {"per_page": 100, "total_count": 1, "page": 1}


def test_statistics_count_not_found_separately_under_3_0(traffic: StatisticsTraffic) -> None:
    [row] = rows(traffic.affiliate, "/3.0/stats/getbydate")
    assert (row["actions"]["not_found"]["count"], row["cr"]["not_found"]) == (1, 50)
    assert row["actions"]["declined"]["count"] == 0


def test_statistics_show_affiliate_own_rows_without_charges(traffic: StatisticsTraffic) -> None:
    params = {"filter[partner]": traffic.second, "filter[advertiser]": "x"}
    [row] = rows(traffic.affiliate, "/3.1/stats/getbydate", **params)
    assert row["traffic"]["raw"] == "2"
    assert row["actions"]["total"] == {"revenue": 14, "charge": 0, "earning": 0, "payouts": 14, "null": 0, "count": 2}
    response = traffic.affiliate.call("GET", "/3.1/stats/getbydate", params=DAY | params)
    assert response.headers["x-ignored-parameters"] == "filter[advertiser],filter[partner]"
    assert response.json()["warnings"] == [
        f"filter[{name}] is a parameter for staff only. It was ignored." for name in ("advertiser", "partner")
    ]
    assert traffic.affiliate.call("GET", "/3.1/stats/getbyadvertiser", params=DAY).status_code == 403
    refused = traffic.affiliate.call("GET", "/3.1/stats/getbytrafficback", params=DAY)
    assert (refused.status_code, refused.json()["code"]) == (403, "stats.slice-trafficback_reason")


FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({}, 3),
    ({"filter[country]": "fr"}, 1),
    ({"filter[country]": "XX"}, 0),
    ({"filter[sub1]": "a"}, 1),
    ({"filter[partner]": "nobody"}, 0),
    ({"filter[offer_tag]": "hot,cold"}, 2),
    ({"filter[advertiser_tag]": "gold"}, 2),
    ({"filter[affiliate_tag]": "none"}, 0),
    ({"timezone": "Pacific/Auckland"}, 0),
]


def test_statistics_filters_select_matching_clicks(traffic: StatisticsTraffic) -> None:
    for filters, raw in FILTERS:
        found = rows(traffic.api.admin, "/3.1/stats/getbydate", **filters)
        assert (filters, sum(int(row["traffic"]["raw"]) for row in found)) == (filters, raw)


def test_statistics_ids_match_in_any_case(traffic: StatisticsTraffic) -> None:
    admin, shouted = traffic.api.admin, traffic.advertiser.upper()
    [row] = rows(admin, "/3.1/stats/getbyadvertiser", **{"filter[advertiser]": shouted})
    assert row["slice"]["advertiser"]["id"] == traffic.advertiser
    [managed] = rows(admin, "/3.1/stats/getbyaffiliatemanager", **{"filter[partner]": traffic.first})
    manager = managed["slice"]["affiliate_manager_id"]["id"]
    assert rows(admin, "/3.1/stats/getbyaffiliatemanager", **{"filter[manager]": manager.upper()}) == [managed]
    period = {"date_from": "2023-11-14", "date_to": "2023-11-16"}
    clicks = admin.get("/3.1/stats/clicks", **period, advertiser=shouted)["clicks"]
    assert {click["partner_id"] for click in clicks} == {str(traffic.first)}
    found = admin.get("/3.1/stats/conversions", **period, advertiser=shouted)["conversions"]
    assert len(found) == 2
    [one] = admin.get("/3.1/stats/conversions", **period, clickid=found[0]["clickid"].upper())["conversions"]
    assert one["id"] == found[0]["id"]


def test_statistics_show_managers_own_records_only(traffic: StatisticsTraffic) -> None:
    api = traffic.api
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    assert rows(client, "/3.0/stats/getbydate") == []
    pid, _ = api.add_affiliate(manager_id=manager)
    load_clicks(api.deps, [new_click(9, offer=traffic.first_offer, affiliate=pid)])
    [row] = rows(client, "/3.0/stats/getbydate")
    assert row["traffic"]["raw"] == "1"


def test_statistics_rows_have_names_of_grouped_records(traffic: StatisticsTraffic) -> None:
    admin = traffic.api.admin
    first, second = rows(admin, "/3.0/stats/getbyprogram")
    assert (first["slice"]["offer"]["id"], first["slice"]["offer"]["title"]) == (traffic.first_offer, "Shoes")
    assert len(second["slice"]["offer"]["offer_id"]) == 24
    assert {row["slice"]["advertiser"]["title"] for row in rows(admin, "/3.0/stats/getbyadvertiser")} == {"Shop"}
    assert [row["slice"]["affiliate"]["id"] for row in rows(admin, "/3.0/stats/getbypartner")] == [
        traffic.first, traffic.second,
    ]  # fmt: skip
    [refused] = rows(admin, "/3.0/stats/getbytrafficback")
    assert (refused["slice"], refused["actions"], refused["trafficback"]) == (
        {"trafficback_reason": "inactive-offer"}, [], 1,
    )  # fmt: skip


def test_statistics_custom_report_slices_filters_and_orders(traffic: StatisticsTraffic) -> None:
    admin = traffic.api.admin
    params = {
        "slice[]": ["country", "offer"],
        "conversionTypes[]": ["confirmed"],
        "order[]": ["raw"],
        "orderType": "desc",
    }
    found = rows(admin, "/3.1/stats/custom", **params, **{"filter[nonzero]": 1})
    assert [row["slice"]["country"] for row in found] == ["DE"]
    assert set(found[0]["actions"]) == {"confirmed"}
    assert len(rows(admin, "/3.1/stats/custom", **params)) == 3


def test_statistics_manager_slices_use_current_managers(traffic: StatisticsTraffic) -> None:
    api, missing = traffic.api, {"id": "0", "first_name": "Undefined", "last_name": "Undefined"}
    missing["title"] = "Undefined"
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    other, _ = api.add_staff(Role.MANAGER_SALES)
    api.admin.post(f"/3.0/admin/advertiser/{traffic.advertiser}", manager=other)

    def shown(client: ApiClient, path: str, **params: Any) -> list[tuple[Any, str, int]]:
        return [
            (row["slice"], row["traffic"]["raw"], row["actions"]["total"]["count"])
            for row in rows(client, path, **params)
        ]

    by_account = shown(api.admin, "/3.0/stats/getbyaccountmanager")
    assert by_account == [
        ({"advertiser_manager_id": missing}, "1", 0),
        (
            {
                "advertiser_manager_id": {
                    "id": other,
                    "first_name": "Mia",
                    "last_name": "Manager",
                    "title": "Mia Manager",
                }
            },
            "2",
            2,
        ),
    ]
    api.admin.post(f"/3.0/admin/partner/{traffic.first}", manager_id=manager)  # another than when the clicks came
    mine = {"id": manager, "first_name": "Mia", "last_name": "Manager", "title": "Mia Manager"}
    wanted = [({"affiliate_manager_id": missing}, "1", 0), ({"affiliate_manager_id": mine}, "2", 2)]
    assert shown(api.admin, "/3.0/stats/getbyaffiliatemanager") == wanted
    both = [({"manager": each["affiliate_manager_id"]} | each, *rest) for each, *rest in wanted]
    assert shown(api.admin, "/3.1/stats/custom", slice="manager", order="manager", orderType="desc") == both
    assert shown(traffic.affiliate, "/3.0/stats/getbyaffiliatemanager") == wanted[1:]
    api.admin.post(f"/3.0/admin/partner/{traffic.second}", manager_id=manager)
    assert shown(api.admin, "/3.0/stats/getbyaffiliatemanager") == [({"affiliate_manager_id": mine}, "3", 2)]


def test_statistics_by_manager_are_denied_to_affiliates(traffic: StatisticsTraffic) -> None:
    assert traffic.affiliate.call("GET", "/3.1/stats/getbyaccountmanager", params=DAY).status_code == 403
    assert traffic.affiliate.call("GET", "/3.1/stats/custom", params=DAY | {"slice": "manager"}).status_code == 400


CUSTOM_REFUSED: list[tuple[dict[str, Any], Any]] = [
    ({}, "slice"),
    ({"slice": ""}, "slice"),
    ({"slice": "nothing"}, "slice[0]"),
    ({"slice": "day", "order": "offer"}, "order"),
    ({"slice": "day", "order": "nothing"}, "order[0]"),
    ({"slice": "day", "orderType": "up"}, "orderType"),
    ({"slice": "day", "filter[smart_id]": "1"}, "filter[smart_id]"),
    ({"slice": "day", "conversionTypes": "not_found"}, "conversionTypes[0]"),
    ({"slice": "day", "timezone": "Mars/Base"}, "timezone"),
    ({"slice": "day", "filter[date_to]": "2023-11-14"}, "filter[date_to]"),
    ({"slice": "day", "page": "-1"}, "page"),
]


def test_statistics_custom_report_with_invalid_parameter_is_rejected(api: Api) -> None:
    for params, name in CUSTOM_REFUSED:
        assert (params, *api.admin.refusal("GET", "/3.1/stats/custom", params=DAY | params)) == (params, 400, [name])


REFUSED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("getbydate", {}, ["filter[date_from]", "filter[date_to]"]),
    ("getbydate", {"filter": ""}, ["filter[date_from]", "filter[date_to]"]),
    ("getbydate", {"filter": "x"}, ["filter"]),
    ("getbysub", {"filter[date_from]": "2023-11-15"}, ["filter[date_to]", "filter[offer]"]),
    ("getbysub", DAY, ["filter[offer]"]),
    ("getbydate", {"filter[date_from]": "15-11-2023", "filter[date_to]": "2023-02-30"}, [*DAY]),
    ("getbyos", DAY | {"locale": "de"}, ["locale"]),
    ("getbyos", DAY | {"filter[currency]": "dollars"}, ["filter[currency][0]"]),
    ("getbyos", DAY | {"filter[offer]": "Shoes"}, ["filter[offer][0]"]),
    ("getbyos", DAY | {"limit": "0"}, ["limit"]),
]


def test_statistics_report_with_invalid_parameter_names_the_field(api: Api) -> None:
    for report, params, names in REFUSED:
        response = api.admin.call("GET", f"/3.1/stats/{report}", params=params)
        assert (report, params, response.status_code, list(response.json()["fields"])) == (report, params, 400, names)


def test_statistics_accept_period_of_ten_years(api: Api) -> None:
    assert rows(api.admin, "/3.1/stats/getbyos", **{"filter[date_to]": "2033-11-14"}) == []
    assert rows(api.admin, "/3.1/stats/getbydate", **{"filter[date_to]": "2024-11-14"}) == []


def test_statistics_by_advertiser_are_denied_to_affiliates(traffic: StatisticsTraffic) -> None:
    response = traffic.affiliate.call("GET", "/3.1/stats/custom", params=DAY | {"slice": "advertiser"})
    assert response.status_code == 400


PERIOD = {"date_from": "2023-11-15", "date_to": "2023-11-15"}


def test_conversion_list_shows_stored_fields(traffic: StatisticsTraffic) -> None:
    body = traffic.api.admin.get("/3.0/stats/conversions", **PERIOD)
    second, first = body["conversions"]
    assert (first["status"], second["status"]) == ("confirmed", "not_found")
    assert (first["revenue"], first["payouts"], first["earnings"], first["sum"]) == (10, 7, 3, 0)
    assert first["advertiser"] == {"id": traffic.advertiser, "title": "Shop"}
    assert (first["goal"], first["goal_value"], first["sub1"]) == ("Sale", "1", "a")
    assert first["offer"]["title"] == "Shoes"
    assert first["partner"]["id"] == first["partner_id"] == traffic.first
    assert (first["created_at"], first["click_time"]) == ("2023-11-15 12:00:01", "2023-11-15 12:00:00")
    assert body["pagination"]["total_count"] == 2


def test_conversion_list_of_affiliate_has_own_conversions_only(traffic: StatisticsTraffic) -> None:
    body = traffic.affiliate.get("/3.1/stats/conversions", **PERIOD, revenue=1, partner=traffic.second)
    assert [item["status"] for item in body["conversions"]] == ["declined", "confirmed"]
    _, stranger = traffic.api.add_affiliate()
    assert stranger.get("/3.1/stats/conversions", **PERIOD)["conversions"] == []


def test_conversion_by_id_respects_caller_scope(traffic: StatisticsTraffic) -> None:
    second, first = traffic.api.admin.get("/3.0/stats/conversions", **PERIOD)["conversions"]
    one = traffic.api.admin.get("/3.0/stats/conversionsbyid", id=first["id"])["conversion"]
    alike = {name: value for name, value in first.items() if name not in ("status", "partner", "landing_id", "origin")}
    assert {name: one[name] for name in alike} == alike
    assert (one["status"], one["charge"], one["earning"], one["currency_id"]) == (1, 10, 3, "840")
    assert (one["country_name"], one["createdAt"]) == ("Germany", "2023-11-15 12:00:01")
    assert one["offer"]["url"] == "https://shop.example/"
    assert one["partner"]["manager"]["first_name"] == "Mia" and one["partner"]["manager"]["api_key"] is None
    own = traffic.affiliate.get("/3.1/stats/conversionsbyid", id=second["id"])["conversion"]
    assert (own["status"], own["payouts"], "url" in own["offer"], own["charge"]) == (3, 7, False, None)
    assert traffic.api.admin.get("/3.0/stats/conversionsbyid", id=second["id"])["conversion"]["status"] == 4
    _, stranger = traffic.api.add_affiliate()
    for client, name in ((stranger, first["id"]), (traffic.api.admin, "f" * 24)):
        assert client.call("GET", "/3.1/stats/conversionsbyid", params={"id": name}).status_code == 404


CONVERSION_FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({"status": "1"}, 1),
    ({"status": "3"}, 0),
    ({"status": "4"}, 1),
    ({"status[]": ["1", "4"]}, 2),
    ({"subid1": "a"}, 1),
    ({"country": "de"}, 2),
    ({"country": "FR"}, 0),
    ({"payouts": "7"}, 2),
    ({"revenue": "7"}, 0),
    ({"currency": "840"}, 2),
    ({"currency": "978"}, 0),
    ({"currency": "1"}, 0),
    ({"hour": "12"}, 2),
    ({"hour": "13"}, 0),
    ({"goal": "1"}, 2),
    ({"custom_field_1": "x"}, 0),
    ({"action_id": "x"}, 0),
    ({"limit": "1"}, 1),
    ({"limit": "1", "page": "3"}, 0),
    ({"timezone": "Pacific/Auckland"}, 0),
    ({"update_from_date": "2023-11-15", "update_from_hour": "13"}, 0),
    ({"update_from_date": "2023-11-15", "update_from_hour": "12"}, 2),
]


def test_conversion_list_filters_select_matching_rows(traffic: StatisticsTraffic) -> None:
    for params, count in CONVERSION_FILTERS:
        found = traffic.api.admin.get("/3.0/stats/conversions", **PERIOD | params)["conversions"]
        assert (params, len(found)) == (params, count)


def test_conversion_status_not_found_is_filtered_as_declined_under_3_1(traffic: StatisticsTraffic) -> None:
    assert len(traffic.api.admin.get("/3.1/stats/conversions", **PERIOD, status=3)["conversions"]) == 1


def test_conversion_list_defaults_to_last_week(traffic: StatisticsTraffic) -> None:
    traffic.api.clock.advance(2 * 86_400_000)
    assert len(traffic.api.admin.get("/3.0/stats/conversions")["conversions"]) == 2
    traffic.api.clock.advance(8 * 86_400_000)
    assert traffic.api.admin.get("/3.0/stats/conversions")["conversions"] == []
    assert len(traffic.api.admin.get("/3.0/stats/conversions", update_from_date="2023-11-15")["conversions"]) == 2


def test_conversion_raw_export_omits_names(traffic: StatisticsTraffic) -> None:
    first = traffic.api.admin.get("/3.1/stats/conversions", **PERIOD, raw_export=1)["conversions"][0]
    assert (first["offer"], first["partner"], first["advertiser"]) == (None, None, None)
    assert first["offer_id"] == traffic.first_offer


CONVERSIONS_REFUSED: list[tuple[dict[str, Any], Any]] = [
    ({"hour": "1", "date_to": "2023-11-16"}, "hour"),
    ({"update_from_hour": "1"}, "update_from_hour"),
    ({"status": "9"}, "status[0]"),
    ({"date_to": "2023-11-14"}, "date_to"),
]


def test_conversion_list_with_invalid_parameter_is_rejected(api: Api) -> None:
    for params, name in CONVERSIONS_REFUSED:
        response = api.admin.call("GET", "/3.1/stats/conversions", params=PERIOD | params)
        assert (params, response.status_code, list(response.json()["fields"])) == (params, 400, [name])


def test_click_list_filters_by_offer_country_and_hour(traffic: StatisticsTraffic) -> None:
    body = traffic.api.admin.get("/3.0/stats/clicks", **PERIOD, offer=traffic.first_offer, country="DE")
    [click] = body["clicks"]
    assert (click["offer"]["id"], click["partner_id"], click["uniq"]) == (traffic.first_offer, str(traffic.first), 1)
    assert click["offer"]["url"] == "https://shop.example/"
    assert "url" not in traffic.affiliate.get("/3.0/stats/clicks", **PERIOD)["clicks"][0]["offer"]
    assert click["conversion_id"] == f"{1:024x}"
    assert click["created_at"] == "2023-11-15 12:00:00"
    assert len(traffic.affiliate.get("/3.0/stats/clicks", **PERIOD)["clicks"]) == 2
    assert len(traffic.api.admin.get("/3.0/stats/clicks", **PERIOD)["clicks"]) == 3
    assert traffic.api.admin.get("/3.0/stats/clicks", **PERIOD, hour=3)["clicks"] == []
    assert len(traffic.api.admin.get("/3.0/stats/clicks", **PERIOD, advertisers=traffic.advertiser)["clicks"]) == 2


def test_click_list_of_staff_has_rejected_clicks_that_are_asked_for(traffic: StatisticsTraffic) -> None:
    api, own = traffic.api, {"offer": traffic.first_offer, "affiliate": traffic.first}
    bot = new_click(91, reason="bot", **own)
    abroad = new_click(92, reason="mistargeting-country", detail="PT", sub1="feed", time=NOON + 1000, **own)
    load_clicks(api.deps, [bot, abroad])

    def listed(client: Any, **params: Any) -> list[str]:
        found = client.get("/3.1/stats/clicks", **PERIOD | params)
        assert found["pagination"]["total_count"] == len(found["clicks"])
        return [each["id"] for each in found["clicks"]]

    accepted = listed(api.admin)
    rejected = listed(api.admin, verdict="rejected")
    assert bot.id not in accepted and listed(api.admin, verdict="accepted") == accepted
    assert rejected[0] == abroad.id and bot.id in rejected and not {*rejected} & {*accepted}
    assert set(listed(api.admin, verdict="all")) == {*accepted, *rejected}
    assert listed(api.admin, **{"reason[]": "bot"}) == [bot.id]
    assert listed(api.admin, verdict="rejected", sub1="feed") == [abroad.id]
    assert listed(api.admin, verdict="rejected", hour=3) == []
    [shown] = api.admin.get("/3.1/stats/clicks", **PERIOD, **{"reason[]": "mistargeting-country"})["clicks"]
    assert (shown["reason"], shown["detail"]) == ("mistargeting-country", "PT")
    file = api.admin.call("GET", "/3.1/stats/clicks", params=PERIOD | {"verdict": "rejected", "format": "csv"})
    rows = csv.DictReader(io.StringIO(file.content.decode("utf-8-sig")))
    in_file = {row["id"]: (row["reason"], row["detail"]) for row in rows}
    assert list(in_file) == rejected
    assert (in_file[abroad.id], in_file[bot.id]) == (("mistargeting-country", "PT"), ("bot", ""))
    assert abroad.id not in listed(traffic.affiliate, verdict="rejected"), "affiliates get accepted clicks alone"
    assert api.admin.call("GET", "/3.1/stats/clicks", params=PERIOD | {"verdict": "lost"}).status_code == 400


def test_accepted_click_that_statistics_leave_out_is_in_the_list_of_all_clicks(traffic: StatisticsTraffic) -> None:
    api, own = traffic.api, {"offer": traffic.first_offer, "affiliate": traffic.first}

    def asked(**params: Any) -> set[str]:
        return {each["id"] for each in api.admin.get("/3.1/stats/clicks", **PERIOD | params)["clicks"]}

    def counted() -> list[Any]:
        reports = ("getbydate", "getbyprogram", "getbytrafficback")
        return [api.admin.get(f"/3.0/stats/{report}", **DAY)["stats"] for report in reports]

    before, rows = asked(), counted()
    again = new_click(93, reason="not-counted", detail="the visitor was seen", **own)
    load_clicks(api.deps, [again])
    assert counted() == rows, "it is neither a click nor a rejected click of statistics"
    assert asked() == before and again.id not in asked(verdict="rejected")
    assert again.id in asked(verdict="all") and asked(**{"reason[]": "not-counted"}) == {again.id}


def test_click_transit_page_is_its_prelanding(api: Api) -> None:
    pages = {
        f"landings[{place}][{name}]": "https://page.example/"
        for place in (0, 1)
        for name in ("title", "url", "url_preview")
    }
    offer = api.add_offer(privacy="public", **pages, **{"landings[1][type]": "transit"})
    pid, _ = api.add_affiliate()
    own = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": "a" * 24}
    for number, visited in ((1, {"landing": 1}), (2, {"prelanding": 2}), (3, {})):
        load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, **visited)])
        add_conversion(api.deps, number, **own, click=visited)
    clicks = {click["id"]: click for click in api.admin.get("/3.1/stats/clicks", **PERIOD)["clicks"]}
    shown = [clicks[new_click(number).id] for number in (1, 2, 3)]
    page = {"title": "https://page.example/", "url": "https://page.example/"}
    assert [each["landing"] for each in shown] == [{"id": 1} | page, None, None]
    assert [each["prelanding"] for each in shown] == [None, {"id": 2} | page, None]
    ids = [f"{number:024x}" for number in (1, 2, 3)]
    made = [api.admin.get("/3.1/stats/conversionsbyid", id=each)["conversion"] for each in ids]
    assert [each["prelanding_id"] for each in made] == [None, 2, None]
    assert [each["landing_id"] or 0 for each in made] == [1, 0, 0]
    explained = api.admin.get(f"/3.1/admin/click/{shown[1]['id']}/explain")
    assert (explained["click"]["landing_id"], explained["click"]["prelanding_id"]) == (0, 2)
    assert explained["today"]["target"] == "https://page.example/"


def test_conversion_stored_before_transit_pages_has_no_prelanding(traffic: StatisticsTraffic) -> None:
    with traffic.api.deps.database.write() as conn:
        stored = conn.execute(select(conversion.c.click).where(conversion.c.id == f"{1:024x}")).scalar_one()
        old = {name: value for name, value in stored.items() if name != "prelanding"}
        conn.execute(update(conversion).where(conversion.c.id == f"{1:024x}").values(click=old))
    one = traffic.api.admin.get("/3.1/stats/conversionsbyid", id=f"{1:024x}")["conversion"]
    assert one["prelanding_id"] is None


def test_click_list_pages_are_disjoint(traffic: StatisticsTraffic) -> None:
    pages = [traffic.api.admin.get("/3.0/stats/clicks", **PERIOD, limit=1, page=page) for page in (1, 2, 3, 4)]
    ids = [click["id"] for page in pages for click in page["clicks"]]
    assert len(ids) == len(set(ids)) == 3
    assert [page["pagination"].get("next_page") for page in pages] == [2, 3, None, None]
