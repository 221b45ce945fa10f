"""Lists of the console as files."""

import csv
from io import StringIO
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor, affiliate_visitor, staff_visitor
from trackyard.console import list_files
from trackyard.console.lists import files
from trackyard.domain.people.roles import Role


def read_file(visitor: Visitor, address: str) -> list[dict[str, str]]:
    """Return the rows of a file by the names of its columns."""
    answer = visitor.get(address)
    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.content.startswith(b"\xef\xbb\xbf"), "spreadsheets need the mark"
    return list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))


def test_list_of_offers_as_a_file_has_every_row_that_meets_the_filters(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_AT_ONCE", 2)
    titles = ["=1+1", 'Boots, "red"', "Shoes", "Hats"]
    offers = [api.add_offer(title=title, tags=("new", "sale")) for title in titles]
    stopped = api.add_offer(title="Old", status="stopped")
    staff = staff_visitor(api)
    assert "/console/offers?status=active&format=csv" in staff.read("/console/offers?status=active&page=1").links
    rows = read_file(staff, "/console/offers?status=active&sort=id&format=csv&fields=all")
    assert [row["id"] for row in rows] == [str(each) for each in offers]
    assert [row["title"] for row in rows] == ["'=1+1", *titles[1:]]
    assert {row["tags"] for row in rows} == {"new, sale"} and stopped not in {int(row["id"]) for row in rows}


def test_list_that_is_too_long_for_a_file_says_how_to_narrow_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "MOST_ROWS", 1)
    for _ in range(2):
        api.add_offer()
    answer = staff_visitor(api).get("/console/offers?format=csv")
    assert answer.status_code == 400 and "narrow it with filters" in answer.text


@pytest.mark.parametrize(
    ("path", "column"),
    [
        ("/console/affiliates", "login"),
        ("/console/advertisers", "title"),
        ("/console/staff", "email"),
    ],
)
def test_list_as_a_file_has_the_fields_of_the_api(api: Api, path: str, column: str) -> None:
    offer, (_, affiliate) = api.add_offer(privacy="protected"), api.add_affiliate(name="Harbor")
    affiliate.post("/3.1/partner/activation/offer", offer_id=offer, comment="push traffic")
    staff = staff_visitor(api)
    links, link = staff.read(path).links, f"{path}?format=csv"
    assert link in links
    link = f"{link}&fields=all" if f"{link}&fields=all" in links else link
    assert column in read_file(staff, link)[0]


def test_requests_as_files_have_the_columns_of_the_page_and_the_fields_of_the_api(api: Api) -> None:
    offer, (_, affiliate) = api.add_offer(title="Boots", privacy="protected"), api.add_affiliate(name="Harbor")
    affiliate.post("/3.1/partner/activation/offer", offer_id=offer, comment="push traffic")
    staff = staff_visitor(api)
    links = staff.read("/console/requests").links
    shown, fields = "/console/requests?format=csv", "/console/requests?format=csv&fields=all"
    assert {shown, fields} <= set(links)
    assert [row["partner.name"] for row in read_file(staff, fields)] == ["Harbor"]
    [row] = read_file(staff, shown)
    assert "Harbor" in row.values() and "Boots" in row.values() and "partner.name" not in row
    assert read_file(staff, "/console/requests?tab=closed&format=csv&fields=all") == []


@pytest.mark.parametrize(
    "path", ["payments", "invoices", "balances/corrections", "payments/requests", "rules/firings", "rules"]
)
def test_empty_list_is_an_empty_file_without_a_link(api: Api, path: str) -> None:
    staff = staff_visitor(api)
    assert not any("format=csv" in link for link in staff.read(f"/console/{path}").links)
    assert read_file(staff, f"/console/{path}?format=csv") == []


def test_file_of_a_manager_has_own_affiliates_alone(api: Api) -> None:
    api.add_affiliate(name="Of others")
    manager = staff_visitor(api, Role.MANAGER_AFFILIATE)
    found: list[dict[str, Any]] = read_file(manager, "/console/affiliates?format=csv")
    assert found == []


def test_balances_as_files_have_a_line_for_each_currency(api: Api) -> None:
    advertiser = api.add_advertiser(title="Reef")
    pid, _ = api.add_affiliate(name="Harbor")
    api.admin.post("/3.1/admin/corrections", pid=pid, currency="USD", amount="12.5", comment="bonus")
    line = {"detail[0][offer_id]": api.add_offer(advertiser=advertiser), "detail[0][payout_type]": "RPA"}
    invoice = {"supplier_id": advertiser, "currency": "USD", **line, "detail[0][amount]": "7"}
    api.admin.post("/3.1/admin/advertiser-invoice", **invoice)
    staff = staff_visitor(api)
    assert "/console/balances?format=csv" in staff.read("/console/balances").links
    rows = read_file(staff, "/console/balances?format=csv")
    assert [(row["ID"], row["Currency"], row["Available"]) for row in rows] == [(str(pid), "USD", "12.5")]
    [row] = read_file(staff, "/console/balances?format=csv&fields=all")
    assert row["balance.USD.available"] == "12.5"
    rows = read_file(staff, "/console/balances/advertisers?format=csv")
    assert [row["Invoices unpaid"] for row in rows if row["ID"] == advertiser and row["Currency"] == "USD"] == ["7"]


def test_settings_and_programs_as_files_have_the_fields_of_the_api(api: Api) -> None:
    api.admin.post("/3.1/admin/domains", url="go.example")
    api.admin.post("/3.0/admin/smartlink/category", name="=1+1")
    api.admin.post("/3.0/admin/category", title="Games")
    staff = staff_visitor(api)
    for path, column, text in (
        ("domains", "url", "go.example"),
        ("smartlinks", "name", "'=1+1"),
        ("settings/categories", "title", "Games"),
    ):
        assert f"/console/{path}?format=csv" in staff.read(f"/console/{path}").links
        assert [row[column] for row in read_file(staff, f"/console/{path}?format=csv&fields=all")] == [text]


def test_lists_of_an_affiliate_as_files_have_its_own_rows_alone(api: Api) -> None:
    pid, affiliate = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    seen, hidden = api.add_offer(title="Boots"), api.add_offer(title="Secret", privacy="private")
    for each in (pid, other):
        api.admin.post("/3.1/admin/corrections", pid=each, currency="USD", amount="9", comment="bonus")
        api.admin.post("/3.1/admin/payments", pid=[each])
    assert "/portal/offers?format=csv" in affiliate.read("/portal/offers").links
    found = {int(row["id"]) for row in read_file(affiliate, "/portal/offers?format=csv&fields=all")}
    assert seen in found and hidden not in found
    assert "/portal/payments?format=csv" in affiliate.read("/portal/payments").links
    for query, column in (("", "Amount"), ("&fields=all", "amount")):
        assert [row[column] for row in read_file(affiliate, f"/portal/payments?format=csv{query}")] == ["9"]
    for path in ("/portal/requests", "/portal/referrals"):
        assert read_file(affiliate, f"{path}?format=csv") == []
