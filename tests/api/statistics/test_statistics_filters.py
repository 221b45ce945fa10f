"""Filters, order and periods of statistics reports over the API."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.people.roles import Role

DAY = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}


@dataclass(frozen=True)
class FilterTraffic:
    """A click each of three offers: 1 (Zoo's, DE), 2 (apple's, FR), 3 (Mango's, NP), of two affiliates."""

    api: Api
    advertisers: tuple[str, ...]
    offers: tuple[int, ...]
    affiliates: tuple[int, int]
    managers: tuple[str, str]
    client: ApiClient

    def raw(self, report: str = "custom", client: ApiClient | None = None, **params: Any) -> set[str]:
        """Return the countries of the clicks that a report counts."""
        asked = DAY | ({"slice[]": "country"} if report == "custom" else {}) | params
        body = (client or self.api.admin).get(f"/3.1/stats/{report}", **asked)
        return {row["slice"]["country"] for row in body["stats"]}

    def order(self, name: str, **params: Any) -> list[Any]:
        """The values of a slice in the order of their titles."""
        body = self.api.admin.get("/3.1/stats/custom", **DAY | {"slice": name, "order": name} | params)
        return [row["slice"][name] for row in body["stats"]]


@pytest.fixture
def traffic(api: Api) -> FilterTraffic:
    (manager, _), (seller, _) = api.add_staff(Role.MANAGER_AFFILIATE), api.add_staff(Role.MANAGER_SALES)
    api.admin.post(f"/3.0/admin/user/{manager}", first_name="Zoe")
    advertisers = (
        api.add_advertiser(title="Zoo", tags="gold", manager=seller),
        api.add_advertiser(title="apple"),
        api.add_advertiser(title="Mango"),
    )
    titles = ("shoes", "Boots", "Sandals")
    offers = tuple(
        api.add_offer(advertiser=owner, title=title, tags=title)
        for owner, title in zip(advertisers, titles, strict=True)
    )
    first, client = api.add_affiliate(manager_id=manager, tags="vip", name="walter")
    second, _ = api.add_affiliate(name="Anna")
    owners, countries = (first, first, second), ("DE", "FR", "NP")
    load_clicks(
        api.deps,
        [
            new_click(
                number, offer=offers[number], advertiser=advertisers[number], affiliate=owners[number],
                country=countries[number], smart_id=("5" * 24, "6" * 24, "")[number],
            )
            for number in range(3)
        ],
    )  # fmt: skip
    return FilterTraffic(api, advertisers, offers, (first, second), (manager, seller), client)


# --- filters that leave out -----------------------------------------------------------------------------------


def test_statistics_not_filters_exclude_named_values(traffic: FilterTraffic) -> None:
    advertisers, offers, (first, second), (manager, seller) = (
        traffic.advertisers, traffic.offers, traffic.affiliates, traffic.managers,
    )  # fmt: skip
    cases: list[tuple[dict[str, Any], set[str]]] = [
        ({"filter[not_offer_id]": offers[0]}, {"FR", "NP"}),
        ({"filter[not_offer_id][]": offers[:2]}, {"NP"}),
        ({"filter[not_advertiser_id][]": [advertisers[0].upper(), advertisers[2]]}, {"FR"}),
        ({"filter[not_affiliate_id][]": first}, {"NP"}),
        ({"filter[not_affiliate_id]": [first, second]}, set()),
        ({"filter[not_affiliate_manager_id][]": manager}, {"NP"}),
        ({"filter[not_advertiser_manager_id][]": seller}, {"FR", "NP"}),
        ({"filter[not_smartlink_id][]": ["5" * 24, "6" * 24]}, {"NP"}),
        ({"filter[not_country][]": ["de", "NP"]}, {"FR"}),
        ({"filter[not_advertiser_tag]": "gold"}, {"FR", "NP"}),
        ({"filter[not_affiliate_tag]": "vip,other"}, {"NP"}),
        ({"filter[not_offer_tag]": "shoes,Boots"}, {"NP"}),
        ({"filter[not_country]": "XX", "filter[not_affiliate_id]": "nobody"}, {"DE", "FR", "NP"}),
        ({"filter[not_offer_id]": offers[0], "filter[country][]": ["DE", "FR"]}, {"FR"}),
        ({"filter[not_affiliate_tag]": "vip", "filter[not_affiliate_id]": second}, set()),
    ]
    for params, wanted in cases:
        for report in ("custom", "getbycountries"):
            assert (params, traffic.raw(report, **params)) == (params, wanted)


@pytest.mark.parametrize("name", ["affiliate_tag", "not_affiliate_tag", "offer_tag", "not_offer_tag"])
def test_statistics_tag_of_others_runs_the_report_of_a_tag_of_none(
    traffic: FilterTraffic, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ran: list[str] = []
    query = Analytics._raw_query
    monkeypatch.setattr(
        Analytics,
        "_raw_query",
        lambda self, sql, *rest: ran.append(sql.split(", log_comment")[0]) or query(self, sql, *rest),
    )
    foreign = {"affiliate_tag": "rival", "offer_tag": "Sandals"}[name.removeprefix("not_")]
    traffic.api.admin.post(f"/3.0/admin/partner/{traffic.affiliates[1]}", tags="rival")
    traffic.api.admin.post(f"/3.0/admin/offer/{traffic.offers[2]}", privacy="private")
    answers = [
        traffic.client.get("/3.1/stats/getbydate", **DAY, **{f"filter[{name}]": tag}) for tag in (foreign, "none")
    ]
    assert answers[0] == answers[1]
    first, second = ran[: len(ran) // 2], ran[len(ran) // 2 :]
    assert first == second


def test_statistics_not_filters_exclude_conversions_and_rejected_clicks(traffic: FilterTraffic) -> None:
    api, (offer, other, _) = traffic.api, traffic.offers
    load_clicks(api.deps, [new_click(9, offer=offer, affiliate=traffic.affiliates[0], reason="inactive-offer")])
    add_conversion(api.deps, 9, offer_id=offer, affiliate_id=traffic.affiliates[0])
    asked = DAY | {"filter[not_offer_id]": offer}
    assert api.admin.get("/3.1/stats/getbytrafficback", **asked)["stats"] == []
    assert api.admin.get("/3.1/stats/getbygoal", **asked)["stats"] == []
    asked = DAY | {"filter[not_offer_id]": other}
    assert len(api.admin.get("/3.1/stats/getbytrafficback", **asked)["stats"]) == 1
    assert len(api.admin.get("/3.1/stats/getbygoal", **asked)["stats"]) == 1


def test_statistics_staff_filters_from_affiliate_are_ignored_with_warning(traffic: FilterTraffic) -> None:
    names = (
        "advertiser", "advertiser_manager_id", "advertiser_tag", "affiliate_tag", "not_advertiser_id",
        "not_advertiser_manager_id", "not_advertiser_tag", "not_affiliate_id", "not_affiliate_tag", "partner",
    )  # fmt: skip
    sent = DAY | {f"filter[{name}]": "x" for name in names}
    for report, more in (("getbycountries", {}), ("custom", {"slice": "country"})):
        response = traffic.client.call("GET", f"/3.1/stats/{report}", params=sent | more)
        assert response.headers["x-ignored-parameters"] == ",".join(f"filter[{name}]" for name in names)
        assert response.json()["warnings"] == [
            f"filter[{name}] is a parameter for staff only. It was ignored." for name in names
        ]
        assert {row["slice"]["country"] for row in response.json()["stats"]} == {"DE", "FR"}


def test_statistics_offer_tag_of_hidden_offer_finds_nothing_for_affiliate(traffic: FilterTraffic) -> None:
    """The tags of an offer are shown with it, so a filter must not show them without it."""
    api, client, hidden = traffic.api, traffic.client, traffic.offers[0]

    def countries(of: ApiClient, **params: str) -> set[str]:
        rows = of.get("/3.1/stats/getbycountries", **DAY | params)["stats"]
        return {row["slice"]["country"] for row in rows}

    chosen, rest = {"filter[offer_tag]": "shoes"}, {"filter[not_offer_tag]": "shoes"}
    assert (countries(client, **chosen), countries(client, **rest)) == ({"DE"}, {"FR"})
    api.admin.post(f"/3.0/admin/offer/{hidden}", privacy="private")
    assert (countries(client, **chosen), countries(client, **rest)) == (set(), {"DE", "FR"})
    assert countries(api.admin, **chosen) == {"DE"}
    api.admin.post("/3.0/offer/enable-affiliate", pid=traffic.affiliates[0], offer_id=hidden)
    assert countries(client, **chosen) == {"DE"}


def test_statistics_unknown_filter_is_ignored_with_warning(traffic: FilterTraffic) -> None:
    response = traffic.api.admin.call("GET", "/3.1/stats/getbyos", params=DAY | {"filter[colour]": "red"})
    assert response.headers["x-ignored-parameters"] == "filter[colour]"
    assert "filter[colour]" in response.json()["warnings"][0]


# --- lists ----------------------------------------------------------------------------------------------------


def test_statistics_smartlink_filter_accepts_list(traffic: FilterTraffic) -> None:
    asked = DAY | {"slice[]": ["smart_id", "country"]}
    for sent, wanted in (
        ({"filter[smart_id]": "5" * 24}, {"DE"}),
        ({"filter[smart_id][]": ["5" * 24, "6" * 24]}, {"DE", "FR"}),
        ({"filter[smart_id]": ["5" * 24, "6" * 24]}, {"DE", "FR"}),
        ({"filter[smart_id]": "7"}, set()),
    ):
        assert traffic.raw(**asked | sent) == wanted


@pytest.mark.parametrize(
    "name", ["country", "os", "device", "goal", "sub1", "partner", "offer", "advertiser", "manager"]
)
def test_statistics_repeated_filter_matches_any_value(traffic: FilterTraffic, name: str) -> None:
    values = {
        "country": ["DE", "FR"], "partner": traffic.affiliates, "offer": traffic.offers[:2],
        "advertiser": traffic.advertisers[:2], "manager": [traffic.managers[0], "x"],
        "os": ["iOS", "none"], "device": ["mobile", "none"], "goal": ["1", "2"], "sub1": ["", "none"],
    }[name]  # fmt: skip
    each: set[str] = set()
    for value in values:
        each |= traffic.raw(**{f"filter[{name}]": value}) if value != "" else set()
    assert each <= traffic.raw(**{f"filter[{name}]": list(values)})
    assert traffic.raw(**{f"filter[{name}]": list(values)}) == traffic.raw(**{f"filter[{name}][]": list(values)})


# --- order ----------------------------------------------------------------------------------------------------


def test_statistics_order_by_advertiser_uses_shown_title(traffic: FilterTraffic) -> None:
    assert [each["title"] for each in traffic.order("advertiser")] == ["apple", "Mango", "Zoo"]
    assert [each["title"] for each in traffic.order("advertiser", orderType="desc")] == ["Zoo", "Mango", "apple"]


def test_statistics_order_by_manager_uses_shown_title(traffic: FilterTraffic) -> None:
    assert [each["title"] for each in traffic.order("manager")] == ["Undefined", "Zoe Manager"]
    assert [each["title"] for each in traffic.order("manager", orderType="desc")] == ["Zoe Manager", "Undefined"]


def test_statistics_order_by_offer_and_affiliate_uses_shown_title(traffic: FilterTraffic) -> None:
    assert [each["title"] for each in traffic.order("offer")] == ["Boots", "Sandals", "shoes"]
    assert [each["name"] for each in traffic.order("affiliate")] == ["Anna", "walter"]


def test_statistics_order_by_title_keeps_pages_disjoint(api: Api) -> None:
    offer = api.add_offer()
    owners = [api.add_advertiser(title=("Same", "other", "same")[number % 3]) for number in range(9)]
    pid, _ = api.add_affiliate()
    clicks = [
        new_click(number, offer=offer, affiliate=pid, advertiser=owners[number % 9], country=("DE", "FR")[number % 2])
        for number in range(18)
    ]
    load_clicks(api.deps, clicks)
    asked = DAY | {"slice[]": ["advertiser", "country"], "order[]": ["advertiser", "country"]}
    for direction in ("asc", "desc"):
        whole = api.admin.get("/3.1/stats/custom", **asked, orderType=direction)["stats"]
        assert len(whole) == 18
        pages = [
            row
            for page in range(1, 7)
            for row in api.admin.get("/3.1/stats/custom", **asked, orderType=direction, limit=3, page=page)["stats"]
        ]
        assert pages == whole
        keys = [(row["slice"]["advertiser"]["title"].lower(), row["slice"]["country"]) for row in whole]
        assert keys == sorted(keys, reverse=direction == "desc")


# --- names ----------------------------------------------------------------------------------------------------


def test_statistics_offer_url_is_shown_to_staff_only(traffic: FilterTraffic) -> None:
    for report, more in (("getbyprogram", {}), ("custom", {"slice": "offer"})):
        [first, *_] = traffic.api.admin.get(f"/3.1/stats/{report}", **DAY | more)["stats"]
        assert first["slice"]["offer"]["url"] == "https://shop.example/"
        for row in traffic.client.get(f"/3.1/stats/{report}", **DAY | more)["stats"]:
            assert set(row["slice"]["offer"]) == {"id", "offer_id", "title"}


def test_statistics_manager_slices_have_a_title(traffic: FilterTraffic) -> None:
    admin = traffic.api.admin
    rows = admin.get("/3.1/stats/getbyaffiliatemanager", **DAY)["stats"]
    assert {row["slice"]["affiliate_manager_id"]["title"] for row in rows} == {"Undefined", "Zoe Manager"}
    rows = admin.get("/3.1/stats/getbyaccountmanager", **DAY)["stats"]
    assert {row["slice"]["advertiser_manager_id"]["title"] for row in rows} == {"Undefined", "Mia Manager"}


def test_statistics_custom_slices_include_requested_name(traffic: FilterTraffic) -> None:
    rows = traffic.api.admin.get("/3.1/stats/custom", **DAY, **{"slice[]": ["manager", "country"]})["stats"]
    assert len(rows) == 3
    for row in rows:
        assert set(row["slice"]) == {"manager", "affiliate_manager_id", "country"}
        assert row["slice"]["manager"] == row["slice"]["affiliate_manager_id"]


# --- periods --------------------------------------------------------------------------------------------------

LONG = {"filter[date_from]": "2015-01-01", "filter[date_to]": "2035-12-31"}


def test_statistics_long_period_with_few_days_of_data_succeeds(traffic: FilterTraffic) -> None:
    for report, more in (("getbydate", {}), ("getbyhour", {}), ("getbycities", {}), ("custom", {"slice": "country"})):
        found = traffic.api.admin.get(f"/3.1/stats/{report}", **LONG | more)["stats"]
        assert sum(int(row["traffic"]["raw"]) for row in found) == 3
    days = {"date_from": "2010-01-01", "date_to": "2040-01-01"}
    offer = traffic.offers[0]
    assert len(traffic.api.admin.get("/3.1/stats/clicks", **days)["clicks"]) == 3
    assert traffic.api.admin.get("/3.1/stats/serverpostbacks", **days)["postbacks"] == []
    timed = traffic.api.admin.get("/3.1/stats/time-to-action", **days, offer_id=offer, timezone="UTC")["data"]
    assert [row["clicks"] for row in timed] == [1]
    cohorts = {"offer": offer, "base_event": "install", "events": "sale"}
    assert traffic.api.admin.get("/3.1/stats/retentionrate", **days, **cohorts) == []


def test_statistics_long_period_without_traffic_is_empty(api: Api) -> None:
    assert api.admin.get("/3.1/stats/getbydate", **LONG)["stats"] == []
    assert api.admin.get("/3.1/stats/getbyos", **LONG)["stats"] == []


def test_statistics_long_period_outside_days_with_data_is_empty(traffic: FilterTraffic) -> None:
    for first, last in (("2010-01-01", "2020-12-31"), ("2025-01-01", "2040-12-31")):
        asked = {"filter[date_from]": first, "filter[date_to]": last}
        assert traffic.api.admin.get("/3.1/stats/getbydate", **asked)["stats"] == []


OLD = int(datetime(2020, 1, 1, 12, tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize(
    ("report", "more"),
    [("getbydate", {}), ("getbycities", {}), ("custom", {"slice": "sub1"}), ("custom", {"slice[]": ["os", "day"]})],
)
def test_statistics_over_366_days_with_data_are_rejected(
    traffic: FilterTraffic, report: str, more: dict[str, Any]
) -> None:
    load_clicks(traffic.api.deps, [new_click(20, offer=traffic.offers[0], time=OLD)])
    response = traffic.api.admin.call("GET", f"/3.1/stats/{report}", params=LONG | more)
    assert response.status_code == 400
    assert response.json()["fields"] == {"filter[date_to]": ["The period may have at most 366 days with data here."]}


def test_statistics_over_ten_years_with_data_are_rejected(traffic: FilterTraffic) -> None:
    load_clicks(traffic.api.deps, [new_click(20, offer=traffic.offers[0], time=OLD - 5 * 365 * 86_400_000)])
    assert traffic.api.admin.call("GET", "/3.1/stats/getbyos", params=LONG).status_code == 200
    traffic.api.clock.advance(3 * 366 * 86_400_000)
    for report in ("getbyos", "getbytrafficback"):
        response = traffic.api.admin.call("GET", f"/3.1/stats/{report}", params=LONG)
        assert response.json()["fields"] == {"filter[date_to]": ["The period may have at most 10 years with data."]}


def test_exclusions_outside_of_filter_equal_those_inside(traffic: FilterTraffic) -> None:
    shoes, _, sandals = traffic.offers
    for name, values, kept in (
        ("not_offer_id", [shoes, sandals], {"FR"}),
        ("not_country", ["DE"], {"FR", "NP"}),
        ("not_advertiser_id", traffic.advertisers[0], {"FR", "NP"}),
        ("not_affiliate_id", traffic.affiliates[1], {"DE", "FR"}),
        ("not_offer_tag", "shoes,Boots", {"NP"}),
        ("not_affiliate_manager_id", traffic.managers[0], {"NP"}),
    ):
        is_list = isinstance(values, list)
        inside, outside = (f"filter[{name}]", name) if not is_list else (f"filter[{name}][]", f"{name}[]")
        assert traffic.raw(**{inside: values}) == traffic.raw(**{outside: values}) == kept
    twice = DAY | {"slice[]": "country", "not_country[]": "DE", "filter[not_country][]": "FR"}
    refused = traffic.api.admin.call("GET", "/3.1/stats/custom", params=twice)
    assert refused.json()["fields"] == {"parameters": ["Send not_country once, in filter or outside of it."]}
    assert traffic.raw(client=traffic.client, **{"not_country[]": "DE"}) == {"DE", "FR"}


HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("first", "last", "zone", "found"),
    [
        ("", "", "UTC", {"C8", "C12", "C18"}),
        ("9", "", "UTC", {"C12", "C18"}),
        ("", "11", "UTC", {"C8"}),
        ("12", "12", "UTC", {"C12"}),
        ("13", "13", "Europe/Berlin", {"C12"}),
        ("19", "0", "UTC", set()),
    ],
)
def test_statistics_hours_narrow_the_first_and_last_day(
    api: Api, first: str, last: str, zone: str, found: set[str]
) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    hours = (8, 12, 18)
    load_clicks(
        api.deps,
        [new_click(n, offer=offer, affiliate=pid, country=f"C{n}", time=NOON + (n - 12) * HOUR_MS) for n in hours],
    )
    sent = DAY | {"slice[]": "country", "timezone": zone}
    sent |= {f"filter[{name}_hour]": text for name, text in (("from", first), ("to", last)) if text}
    response = api.admin.call("GET", "/3.1/stats/custom", params=sent)
    if found:
        assert {row["slice"]["country"] for row in response.json()["stats"]} == found
    else:
        assert response.json()["fields"] == {"filter[to_hour]": ["This hour must not lie before the first."]}
