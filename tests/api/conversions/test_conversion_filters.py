"""Filters of the list of conversions, and its form for affiliates."""

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import update

from tests.api.statistics.test_exports import csv_rows, parquet_table
from tests.support.api import Api, installed
from tests.support.client import ApiClient
from tests.support.models.events import NOON
from tests.support.models.history import add_conversion
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger
from trackyard.store.tables import conversion

PERIOD = {"date_from": "2023-11-14", "date_to": "2023-11-17"}
DAY = 86_400_000
SMART = "c" * 24


def fill(api: Api) -> tuple[int, ApiClient, int, str]:
    """Four conversions; the affiliate, its client, the offer and the advertiser."""
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, url="https://shop.example/?c={clickid}")
    pid, affiliate = api.add_affiliate()
    of: dict[str, Any] = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser}
    subs = {f"sub{number}": f"a{number}" for number in range(1, 9)}
    fields = {str(number): f"x{number}" for number in range(1, 8)}
    click = {"os": "iOS", "browser": "Safari", "device": "mobile", "smart_id": SMART, "landing": 3} | subs
    add_conversion(
        api.deps, 1, **of, click=click, custom_fields=fields, action_id="A1", comment="Good lead", updated_at=NOON + DAY
    )
    click = {"os": "Android", "browser": "Chrome", "device": "tablet"}
    more: dict[str, Any] = {"goal": "sale", "action_id": "A2", "status": Status.DECLINED, "comment": "Cap is reached"}
    add_conversion(api.deps, 2, **of, **more, click=click, payout=Decimal("2.5"), charge=Decimal(4), currency="EUR")
    more = {"goal": "lead", "action_id": "A3", "comment": "Cap is reached", "updated_at": NOON + DAY // 2 + 1}
    add_conversion(api.deps, 3, **of, **more, click={"country": "NP"}, payout=Decimal(0), charge=Decimal(1))
    add_conversion(api.deps, 4, **of, status=Status.NOT_FOUND, comment="100% fraud", currency="JPY")
    return pid, affiliate, offer, advertiser


FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({"goal": "sale"}, [2]),
    ({"goal[]": ["sale", "lead"]}, [2, 3]),
    ({"goal": ["sale", "lead"]}, [2, 3]),
    ({"goal": "none"}, []),
    ({"goal_id": "sale"}, [2]),
    ({"goal_id[]": ["sale", "1"]}, [1, 2, 4]),
    ({"goal_id": "none"}, []),
    ({"goal": "SALE "}, [2]),
    ({"goal[]": ["Sale", " lead"]}, [2, 3]),
    ({"goal_id": "Sale"}, [2]),
    ({"os": "iOS"}, [1]),
    ({"os[]": ["iOS", "Android"]}, [1, 2]),
    ({"browser[0]": "Safari", "browser[1]": "Chrome"}, [1, 2]),
    ({"browser": "Opera"}, []),
    ({"device": "tablet"}, [2]),
    ({"device": ["tablet", "mobile"]}, [1, 2]),
    ({"device": "desktop"}, []),
    ({"action_id": "A1"}, [1]),
    ({"action_id": "A1 "}, [1]),
    ({"action_id": "a1"}, []),
    ({"action_id": ["A1", "A3", "none"]}, [1, 3]),
    ({"clickid": f"{NOON // 1000:08x}01{2:014x}"}, [2]),
    ({"clickid[]": [f"{NOON // 1000:08X}01{number:014X}" for number in (2, 3)]}, [2, 3]),
    ({"clickid": "f" * 24}, []),
    ({"id": f"{2:024X}"}, [2]),
    ({"id[]": [f"{number:024x}" for number in (1, 3)]}, [1, 3]),
    ({"id": "f" * 24}, []),
    ({"status[]": [1, 3]}, [1, 2, 3]),
    ({"status[]": [4]}, [4]),
    ({"country[]": ["NP", "US"]}, [3]),
    ({"payouts": "2.5"}, [2]),
    ({"payouts[]": ["2.5", "0"]}, [2, 3]),
    ({"payouts_from": "2.5"}, [1, 2, 4]),
    ({"payouts_to": "2.5"}, [2, 3]),
    ({"payouts_from": "0.0001", "payouts_to": "6.9999"}, [2]),
    ({"revenue": "4"}, [2]),
    ({"revenue[]": ["4", "1"]}, [2, 3]),
    ({"revenue_from": "4"}, [1, 2, 4]),
    ({"revenue_to": "4"}, [2, 3]),
    ({"revenue_from": "11"}, []),
    ({"currency": "978"}, [2]),
    ({"currency[]": ["978", "840"]}, [1, 2, 3]),
    ({"currency": "999"}, []),
    *(({f"subid{number}": f"a{number}"}, [1]) for number in range(1, 9)),
    *(({f"subid{number}[]": [f"a{number}", "b"]}, [1]) for number in range(1, 9)),
    *(({f"custom_field_{number}": f"x{number}"}, [1]) for number in range(1, 8)),
    *(({f"custom_field_{number}[]": [f"x{number}", "b"]}, [1]) for number in range(1, 8)),
    ({"custom_field_1": "b"}, []),
    ({"smart_id": SMART}, [1]),
    ({"smart_id[]": [SMART.upper(), "d" * 24]}, [1]),
    ({"smart_id": "d" * 24}, []),
    ({"decline_reason": "Cap is reached"}, [2]),
    ({"decline_reason": "cap is reached"}, [2]),
    ({"decline_reason[]": ["Cap is reached", "100% fraud"]}, [2, 4]),
    ({"decline_reason": "Cap"}, []),
    ({"comment": "lead"}, [1]),
    ({"comment[]": ["lead", "0% F"]}, [1, 4]),
    ({"comment": "%"}, [4]),
    ({"comment": "_"}, []),
    ({"payment_status": "opened"}, [1, 2, 3, 4]),
    ({"payment_status": "1"}, [1, 2, 3, 4]),
    ({"payment_status[]": ["closed", "3"]}, []),
    ({"update_from_date": "2023-11-16"}, [1, 3]),
    ({"update_from_date": "2023-11-16", "update_from_hour": "1"}, [1]),
    ({"update_to_date": "2023-11-15"}, [2, 4]),
    ({"update_to_date": "2023-11-16"}, [1, 2, 3, 4]),
    ({"update_to_date": "2023-11-16", "update_to_hour": "11"}, [2, 3, 4]),
    ({"update_to_date": "2023-11-15", "update_to_hour": "11"}, []),
    ({"update_from_date": "2023-11-16", "update_to_date": "2023-11-16", "update_to_hour": "0"}, [3]),
]


def numbers_of(answer: Any) -> list[int]:
    """The numbers of the conversions of an answer, which has them all."""
    assert answer["pagination"]["total_count"] == len(answer["conversions"])
    return sorted(int(item["id"], 16) for item in answer["conversions"])


def test_conversion_filters_match_any_of_their_values(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    fill(api)
    for params, numbers in FILTERS:
        answer = api.admin.get("/3.0/stats/conversions", **PERIOD | params)
        assert (params, numbers_of(answer), answer.get("warnings")) == (params, numbers, None)
        rows = csv_rows(api.admin, "/3.0/stats/conversions", **PERIOD | params)
        assert (params, sorted(int(row["id"], 16) for row in rows)) == (params, numbers)


def test_conversion_amount_filters_for_staff_are_ignored_from_an_affiliate(api: Api) -> None:
    _, affiliate, _, _ = fill(api)
    answer = affiliate.get("/3.1/stats/conversions", **PERIOD, revenue_from=100, revenue_to=1, payouts_from="2.5")
    assert len(answer["conversions"]) == 3
    assert [sentence.partition(" ")[0] for sentence in answer["warnings"]] == ["revenue_from", "revenue_to"]


def test_conversion_filter_by_id_without_date_from_selects_conversions_of_any_age(api: Api) -> None:
    fill(api)
    api.clock.advance(90 * DAY)
    assert numbers_of(api.admin.get("/3.1/stats/conversions", id=f"{3:024x}")) == [3]


def test_conversion_filter_update_to_without_date_from_selects_by_change_time(api: Api) -> None:
    fill(api)
    api.clock.advance(90 * DAY)
    assert numbers_of(api.admin.get("/3.1/stats/conversions", update_to_date="2023-11-15")) == [2, 4]
    assert numbers_of(api.admin.get("/3.1/stats/conversions")) == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"update_to_hour": "1"}, "update_to_hour"),
    ({"update_to_date": "2023-11-15", "update_to_hour": "24"}, "update_to_hour"),
    ({"update_from_date": "2023-11-16", "update_to_date": "2023-11-15"}, "update_to_date"),
    ({"payouts_from": "x"}, "payouts_from"),
    ({"payment_status": "unpaid"}, "payment_status"),
    ({"device[]": ["tablet", "fridge"]}, "device"),
    ({"hour": ["1", "2"], "date_to": "2023-11-14"}, "hour"),
    ({"page": ["1", "2"]}, "page"),
]


@pytest.mark.parametrize(("params", "name"), REFUSED)
def test_conversion_filter_with_invalid_value_is_rejected(shared_api: Api, params: dict[str, Any], name: str) -> None:
    response = shared_api.admin.call("GET", "/3.0/stats/conversions", params=PERIOD | params)
    assert (response.status_code, [each.partition("[")[0] for each in response.json()["fields"]]) == (400, [name])


def test_conversion_payment_status_follows_payments(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    pid, _, offer, advertiser = fill(api)
    of: dict[str, Any] = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser}
    for number, created_at in ((5, NOON - 30 * DAY), (6, NOON - 20 * DAY)):
        made = add_conversion(api.deps, number, **of, created_at=created_at)
        with database.write() as conn:
            ledger.add_entries(conn, ledger_entries_of(ConversionChange(None, made, "test")))
    paid = api.admin.post("/3.1/admin/payments", pid=pid, currency="USD", date_to="2023-10-20")["payments"]
    api.admin.post(f"/3.1/admin/payments/{paid[0]['id']}", status="paid")
    api.admin.post("/3.1/admin/payments", pid=pid, currency="USD")

    def numbers(*statuses: str) -> list[int]:
        params = {"date_from": "2023-10-01", "date_to": "2023-11-17", "payment_status[]": list(statuses)}
        answer = api.admin.get("/3.1/stats/conversions", **params)
        names = {"1": "opened", "2": "closed", "3": "pending"}
        assert {item["payment_status"] for item in answer["conversions"]} == {
            names.get(each, each) for each in statuses
        }
        return numbers_of(answer)

    assert (numbers("closed"), numbers("pending"), numbers("opened")) == ([5], [6], [1, 2, 3, 4])
    assert (numbers("2"), numbers("3"), numbers("1", "closed")) == ([5], [6], [1, 2, 3, 4, 5])


HIDDEN = ("revenue", "earnings", "price", "advertiser", "supplier_id")


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_conversion_of_affiliate_has_null_in_staff_fields(api: Api, version: str) -> None:
    _, affiliate, _, _ = fill(api)
    [item, *_] = affiliate.get(f"/{version}/stats/conversions", **PERIOD)["conversions"]
    one = affiliate.get(f"/{version}/stats/conversionsbyid", id=item["id"])["conversion"]
    for shown in (item, one):
        assert [shown[name] for name in HIDDEN] == [None] * len(HIDDEN)
        assert "url" not in shown["offer"]
    assert (one["charge"], one["earning"], one["from_click_address"]) == (None, None, None)
    staffs = api.admin.get(f"/{version}/stats/conversions", **PERIOD)["conversions"][0]
    assert set(item) == set(staffs)
    assert set(one) == set(api.admin.get(f"/{version}/stats/conversionsbyid", id=item["id"])["conversion"])


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_conversion_export_of_affiliate_has_empty_staff_columns(api: Api, form: str) -> None:
    _, affiliate, _, _ = fill(api)
    read = {"csv": csv_rows, "parquet": lambda *asked, **more: parquet_table(*asked, **more).to_pylist()}[form]
    rows = read(affiliate, "/3.1/stats/conversions", **PERIOD)
    assert len(rows) == 4
    for row in rows:
        hidden = ("revenue", "earnings", "price", "advertiser.id", "advertiser.title", "supplier_id")
        assert [row[name] or None for name in hidden] == [None] * 6
        assert "offer.url" not in row and row["payouts"] is not None
    paged = read(affiliate, "/3.1/stats/conversions", **PERIOD, limit=4)
    assert paged == rows


def test_conversion_offer_has_url_for_staff(api: Api) -> None:
    fill(api)
    for item in api.admin.get("/3.1/stats/conversions", **PERIOD)["conversions"]:
        assert item["offer"]["url"] == "https://shop.example/?c={clickid}"
    assert (
        csv_rows(api.admin, "/3.1/stats/conversions", **PERIOD)[0]["offer.url"] == "https://shop.example/?c={clickid}"
    )


def test_conversion_by_id_has_numeric_landing_and_currency(api: Api) -> None:
    fill(api)

    def one(number: int) -> Any:
        return api.admin.get("/3.1/stats/conversionsbyid", id=f"{number:024x}")["conversion"]

    assert (one(1)["landing_id"], one(2)["landing_id"]) == (3, None)
    assert (one(1)["currency_id"], one(2)["currency_id"]) == ("840", "978")


def test_conversion_by_id_shows_staff_that_it_came_from_the_address_of_its_click(api: Api) -> None:
    fill(api)
    with api.deps.database.write() as conn:
        conn.execute(update(conversion).where(conversion.c.id == f"{1:024x}").values(from_click_address=True))
    marks = [api.admin.get("/3.1/stats/conversionsbyid", id=f"{number:024x}")["conversion"] for number in (1, 2)]
    assert [mark["from_click_address"] for mark in marks] == [True, False]
