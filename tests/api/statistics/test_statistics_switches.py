"""The compatibility switches of statistics over the API (docs/compatibility.md)."""

import csv
import io
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import UNBOUNDED, Api
from tests.support.client import ApiClient
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.api.app import build
from trackyard.commands.export import ExportRequest
from trackyard.domain.people.roles import Role

DAY = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
SETTINGS = "/3.1/admin/settings"


@pytest.fixture
def filled(api: Api) -> Api:
    """Add two clicks and a conversion of the first affiliate, and a click of another advertiser.

    The charge is 10, the payout 7.
    """
    offer, other = api.add_offer(title="Shoes"), api.add_offer(title="Boots")
    first, _ = api.add_affiliate(email="first@affiliate.example")
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=first), new_click(2, offer=offer, affiliate=first)])
    load_clicks(api.deps, [new_click(3, offer=other, affiliate=first, reason="inactive-offer")])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=first)
    return api


def row(client: ApiClient, report: str = "getbydate", version: str = "3.1", **params: Any) -> dict[str, Any]:
    """The one row of a report."""
    [found] = client.get(f"/{version}/stats/{report}", **DAY | params)["stats"]
    return dict(found)


def money(client: ApiClient) -> tuple[Any, ...]:
    """Revenue, charge, earning and payouts."""
    action = row(client)["actions"]["total"]
    return tuple(action.get(name) for name in ("revenue", "charge", "earning", "payouts"))


def test_statistics_revenue_defaults_to_charge(filled: Api) -> None:
    assert filled.admin.get(SETTINGS)["settings"]["statistics_revenue"] == "advertiser"
    assert money(filled.admin) == (10, 10, 3, 7)


def test_statistics_revenue_payout_shows_payouts_as_revenue(filled: Api) -> None:
    shown = filled.admin.post(SETTINGS, statistics_revenue="payout")["settings"]
    assert shown["statistics_revenue"] == "payout"
    assert money(filled.admin) == (7, 10, 3, 7)
    assert filled.admin.post(SETTINGS, statistics_revenue="")["settings"]["statistics_revenue"] == "advertiser"
    assert money(filled.admin) == (10, 10, 3, 7)


def test_statistics_revenue_hides_charges_from_affiliate(filled: Api) -> None:
    offer, (pid, client) = filled.add_offer(), filled.add_affiliate()
    load_clicks(filled.deps, [new_click(9, offer=offer, affiliate=pid)])
    add_conversion(filled.deps, 9, offer_id=offer, affiliate_id=pid)
    for revenue in ("advertiser", "payout"):
        filled.admin.post(SETTINGS, statistics_revenue=revenue)
        assert money(client) == (7, 0, 0, 7)


def test_statistics_switches_of_a_staff_user_override_the_platform(filled: Api) -> None:
    staff_id, client = filled.add_staff(Role.ADMIN)
    path = f"/3.0/admin/user/{staff_id}"
    user = filled.admin.post(path, statistics_revenue="payout", statistics_rows="plain")["user"]
    assert (user["statistics_revenue"], user["statistics_rows"]) == ("payout", "plain")
    assert filled.admin.get(path)["user"]["statistics_rows"] == "plain"
    assert money(client) == (7, 10, 3, None)
    assert money(filled.admin) == (10, 10, 3, 7)
    user = filled.admin.post(path, statistics_revenue="", statistics_rows="")["user"]
    assert (user["statistics_revenue"], user["statistics_rows"]) == ("", "")
    assert money(client) == (10, 10, 3, 7)


def test_statistics_switches_of_new_staff_user_apply_at_once(filled: Api) -> None:
    given = {"email": "new@staff.example", "password": "long-enough", "first_name": "A", "last_name": "B"}
    given |= {"roles[]": "ROLE_ADMIN", "statistics_revenue": "payout"}
    user = filled.admin.post("/3.0/admin/user", **given)["user"]
    assert (user["statistics_revenue"], user["statistics_rows"]) == ("payout", "")
    assert money(filled.admin.with_key(user["api_key"]))[0] == 7


def test_statistics_switches_of_an_affiliate_override_the_platform(filled: Api) -> None:
    offer, (pid, client) = filled.add_offer(), filled.add_affiliate(statistics_rows="plain")
    load_clicks(filled.deps, [new_click(9, offer=offer, affiliate=pid)])
    partner = filled.admin.get(f"/3.0/admin/partner/{pid}")["partner"]
    assert (partner["statistics_revenue"], partner["statistics_rows"]) == ("", "plain")
    assert "cr" not in row(client)
    filled.admin.post(SETTINGS, statistics_rows="plain")
    filled.admin.post(f"/3.0/admin/partner/{pid}", statistics_rows="full")
    assert "cr" in row(client)
    filled.admin.post(f"/3.0/admin/partner/{pid}", statistics_rows="")
    assert "cr" not in row(client)
    assert "statistics_rows" not in client.get("/3.1/partner/me")["user"]


def test_statistics_switches_reject_unknown_value(api: Api) -> None:
    pid, _ = api.add_affiliate()
    for path in (SETTINGS, f"/3.0/admin/partner/{pid}"):
        refused = api.admin.call("POST", path, data={"statistics_revenue": "net", "statistics_rows": "short"})
        assert refused.json()["fields"] == {
            "statistics_revenue": ["This value must be one of: advertiser, payout."],
            "statistics_rows": ["This value must be one of: full, plain."],
        }


def test_statistics_rows_plain_has_specified_fields_only(filled: Api) -> None:
    filled.admin.post(SETTINGS, statistics_rows="plain")
    action = {"revenue", "charge", "earning", "null", "count"}
    found = row(filled.admin, version="3.0")
    assert set(found) == {"slice", "traffic", "actions"}
    assert set(found["actions"]) == {"total", "confirmed", "pending", "declined", "hold", "not_found"}
    assert all(set(each) == action for each in found["actions"].values())
    assert set(row(filled.admin, "getbyconnectiontype")) == {"slice", "traffic", "actions", "epc", "ratio"}
    refused = row(filled.admin, "getbytrafficback")
    assert set(refused) == {"slice", "traffic", "actions", "views", "ctr", "trafficback"}
    assert set(row(filled.admin, "getbyprogram")["slice"]["offer"]) == {"id", "offer_id", "title"}
    manager = row(filled.admin, "getbyaffiliatemanager")["slice"]["affiliate_manager_id"]
    assert set(manager) == {"id", "first_name", "last_name"}


def test_statistics_rows_full_has_cr_by_conversion_type(filled: Api) -> None:
    assert row(filled.admin)["cr"] == {"total": 50, "confirmed": 50, "pending": 0, "declined": 0, "hold": 0}
    assert row(filled.admin, version="3.0")["cr"]["not_found"] == 0
    some = row(filled.admin, "custom", slice="day", **{"conversionTypes[]": ["confirmed", "hold"]})
    assert some["cr"] == {"confirmed": 50, "hold": 0}
    assert set(row(filled.admin, "getbytrafficback")["cr"].values()) == {0}


def header(client: ApiClient, **params: Any) -> tuple[list[str], dict[str, str]]:
    """The columns of a CSV export, and its first row."""
    text = client.call("GET", "/3.1/stats/custom", params=DAY | params | {"format": "csv"}).text
    reader = csv.DictReader(io.StringIO(text, newline=""))
    return list(reader.fieldnames or ()), next(reader)


def test_export_columns_follow_statistics_switches_of_caller(filled: Api) -> None:
    columns, first = header(filled.admin, slice="offer")
    assert [name for name in columns if name.startswith("cr_")] == [
        "cr_total", "cr_confirmed", "cr_pending", "cr_declined", "cr_hold",
    ]  # fmt: skip
    assert "cr" not in columns and "offer.url" in columns
    assert (first["total.revenue"], first["cr_total"]) == ("10", "50")
    filled.admin.post(SETTINGS, statistics_rows="plain", statistics_revenue="payout")
    columns, first = header(filled.admin, slice="offer", **{"conversionTypes[]": "confirmed"})
    assert columns == [
        "offer.id", "offer.offer_id", "offer.title", "traffic.raw", "traffic.uniq", "confirmed.revenue",
        "confirmed.charge", "confirmed.earning", "confirmed.null", "confirmed.count", "currency",
    ]  # fmt: skip
    assert (first["confirmed.revenue"], first["confirmed.charge"]) == ("7", "10")


def test_export_command_uses_statistics_switches_of_administrator(filled: Api) -> None:
    filled.admin.post(SETTINGS, statistics_revenue="payout")
    asked = ExportRequest("custom", "2023-11-15", "2023-11-15", "csv", "-", slices=("day",)).params()
    text = filled.admin.call("GET", "/3.1/stats/custom", params=asked).text
    [found] = csv.DictReader(io.StringIO(text, newline=""))
    assert (found["total.revenue"], found["total.charge"]) == ("7", "10")


def test_statistics_order_by_revenue_follows_shown_revenue(filled: Api) -> None:
    cheap = filled.add_offer(title="Cheap")
    pid, _ = filled.add_affiliate()
    add_conversion(filled.deps, 5, offer_id=cheap, affiliate_id=pid, charge=Decimal(9), payout=Decimal(8))

    def titles(**params: Any) -> list[str]:
        body = filled.admin.get("/3.1/stats/custom", **DAY, slice="offer", order="total_revenue", **params)
        return [each["slice"]["offer"]["title"] for each in body["stats"]]

    assert titles() == ["Cheap", "Shoes"]
    filled.admin.post(SETTINGS, statistics_revenue="payout")
    assert titles() == ["Shoes", "Cheap"]
    assert titles(limit=1, page=2) == ["Cheap"]
    text = filled.admin.call(
        "GET", "/3.1/stats/custom", params=DAY | {"slice": "offer", "order": "total_revenue", "format": "csv"}
    ).text
    assert [each["offer.title"] for each in csv.DictReader(io.StringIO(text, newline=""))] == ["Shoes", "Cheap"]


def test_ticket_affiliate_has_no_statistics_switches(api: Api) -> None:
    offer, (pid, client) = api.add_offer(), api.add_affiliate(statistics_rows="plain")
    client.post("/3.0/partner/activation/offer", offer_id=offer, comment="please")
    [ticket] = api.admin.get("/3.0/admin/tickets")["tickets"]
    assert ticket["partner"]["id"] == pid
    assert "statistics_rows" not in ticket["partner"]


def test_statistics_warn_about_missing_address_database(filled: Api) -> None:
    get = filled.admin.get
    assert get("/3.1/stats/getbycities", **DAY)["warnings"] == [
        "No city database is configured (TRACKYARD_CITY_DATABASE): cities are not known."
    ]
    assert get("/3.1/stats/getbymobilecarrier", **DAY)["warnings"] == [
        "No ISP database is configured (TRACKYARD_ISP_DATABASE): providers are not known."
    ]
    assert "TRACKYARD_CONNECTION_DATABASE" in get("/3.1/stats/getbyconnectiontype", **DAY)["warnings"][0]
    assert "TRACKYARD_CITY_DATABASE" in get("/3.1/stats/custom", **DAY, slice="city")["warnings"][0]
    assert "warnings" not in get("/3.1/stats/getbyos", **DAY)


def test_statistics_do_not_warn_with_configured_address_database(filled: Api) -> None:
    deps = replace(filled.deps, address_databases=frozenset({"city", "isp", "connection"}))
    client = filled.admin.of(build(deps, limits=UNBOUNDED))
    for report in ("getbycities", "getbymobilecarrier", "getbyconnectiontype"):
        assert "warnings" not in client.get(f"/3.1/stats/{report}", **DAY)
