"""Invoices of advertisers, and balances of both sides."""

from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON
from tests.support.models.history import add_conversion
from tests.support.page_forms import read_form, send
from tests.support.pages import advertiser_visitor, staff_visitor
from tests.support.people_pages import HOSTILE, desk_of, earn, numbers
from trackyard.actions.money.documents.drawing import DocumentDrawer
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role

INVOICES, BALANCES = "/console/invoices", "/console/balances"


def add_invoice(api: Api, advertiser: str, offer: int, amount: str, **fields: Any) -> int:
    """The number of a new invoice with one line."""
    line = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": amount}
    sent = {"supplier_id": advertiser, "currency": "USD", **line, **fields}
    return int(api.admin.post("/3.1/admin/advertiser-invoice", **sent)["number"])


def test_invoices_are_listed_made_edited_and_marked(api: Api) -> None:
    visitor = staff_visitor(api)
    assert "There are no invoices yet." in visitor.read(INVOICES).text
    reef, bank = api.add_advertiser(title=HOSTILE), api.add_advertiser(title="Bank")
    offer = api.add_offer(advertiser=reef, title="Shoes")
    first = add_invoice(api, reef, offer, "120.50", comment=HOSTILE)
    form = read_form(visitor, f"{INVOICES}/new")
    made = send(visitor, f"{INVOICES}/new", form, supplier_id=bank, currency="USD", comment="By hand")
    second = int(made.headers["location"].rpartition("/")[2])
    assert numbers(visitor, INVOICES) == [str(second), str(first)]
    assert api.admin.get(f"/3.1/admin/invoices/{second}")["invoice"]["state"] == "draft"
    for query in (f"advertiser={reef}", f"status=unpaid&advertiser={reef}", "state=open"):
        assert numbers(visitor, f"{INVOICES}?{query}") == [str(first)], query
    page = f"{INVOICES}/{first}"
    assert "Shoes Conversions 0 $120.50" in visitor.read(page).text
    for path in (INVOICES, page, f"{page}/edit"):
        assert "<script>alert" not in visitor.get(path).text
    assert send(visitor, f"{page}/edit", read_form(visitor, f"{page}/edit"), comment="Sent").headers["location"] == page
    assert visitor.post(f"{page}/status", status="paid").headers["location"] == page
    stored = api.admin.get(f"/3.1/admin/advertiser-invoice/{first}")["message"]
    assert (stored["comment"], stored["status"], stored["detail"][0]["amount"]) == ("Sent", "paid", 120.5)
    assert "changed: status" in visitor.read(page).text.partition("Activity ")[2]
    refused = send(visitor, f"{INVOICES}/new", form, supplier_id=bank, start_date="2023-02-30", comment="kept words")
    assert refused.status_code == 400 and "kept words" in refused.text


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "Pacific/Honolulu"])
def test_invoice_is_issued_on_the_day_of_the_platform_in_every_zone(api: Api, zone: str) -> None:
    advertiser = api.add_advertiser()
    number = add_invoice(api, advertiser, api.add_offer(advertiser=advertiser), "1")
    api.admin.post("/3.1/admin/billing", legal_name="Network Ltd")
    issued = api.admin.post(f"/3.1/admin/invoices/{number}/issue")["invoice"]
    day, due = issued["issued_at"][:10], issued["due_date"]
    visitor = staff_visitor(api)
    assert f"issued {day} · due {due}" in visitor.read(f"{INVOICES}/{number}?tz={zone}").text
    assert f"Unpaid {day} {due}" in visitor.read(f"{INVOICES}?tz={zone}").text
    assert f"Date of issue {day}" in visitor.read(f"{INVOICES}/{number}/document?tz={zone}").text


def test_invoice_is_made_issued_and_taken_back_in_pages(api: Api) -> None:
    visitor = staff_visitor(api)
    reef = api.add_advertiser(title=HOSTILE, email="bills@reef.example")
    offer = api.add_offer(advertiser=reef, title="Shoes")
    form = read_form(visitor, f"{INVOICES}/new?advertiser={reef}")
    first = {"supplier_id": reef, "currency": "USD", "start_date": "2023-10-01", "end_date": "2023-10-31"}
    assert (first | {"invoice_status": "unpaid"}).items() <= dict(form.pairs).items()
    line = {"detail[0][offer_id]": str(offer), "detail[0][payout_type]": "RPA", "detail[0][amount]": "120.50"}
    made = send(visitor, f"{INVOICES}/new", form, **line)
    page = made.headers["location"]
    assert "Draft" in visitor.read(page).text
    refused = visitor.post(f"{page}/issue")
    assert refused.status_code == 409 and "/console/settings/documents" in refused.text
    settings = read_form(visitor, "/console/settings/documents")
    saved = send(visitor, "/console/settings/documents", settings, legal_name=HOSTILE.replace("<", "").replace(">", ""))
    assert saved.status_code == 303
    assert visitor.post(f"{page}/issue").headers["location"] == page
    shown = visitor.read(page)
    assert "INV-2023-0001" in shown.text and f"{page}/document" in shown.links
    document = visitor.get(f"{page}/document")
    assert "$120.50" in document.text and "<script>alert" not in document.text
    number, shop = page.rpartition("/")[2], api.advertiser_client(reef)
    assert visitor.post(f"{page}/delete").status_code == 409
    note = visitor.post(f"{page}/credit", comment="twice").headers["location"]
    assert "−$120.50" in visitor.read(note).text and page in visitor.read(note).links
    assert "Credited" in visitor.read(page).text and note in visitor.read(page).links
    assert visitor.post(f"{page}/credit").status_code == 409
    assert [each["number"] for each in shop.get("/3.1/advertiser/invoices")["invoices"]][1] == int(number)


def test_draft_is_deleted_in_pages(api: Api) -> None:
    visitor, reef = staff_visitor(api), api.add_advertiser()
    made = send(visitor, f"{INVOICES}/new", read_form(visitor, f"{INVOICES}/new"), supplier_id=reef)
    page = made.headers["location"]
    assert visitor.post(f"{page}/delete").headers["location"] == INVOICES
    assert visitor.get(page).status_code == 404


def test_advertiser_reads_its_invoices_and_no_others(api: Api) -> None:
    api.admin.post("/3.1/admin/billing", legal_name="Network Ltd")
    reef, shop = advertiser_visitor(api, title="Reef")
    _, other = advertiser_visitor(api, title="Mall")
    number = add_invoice(api, reef, api.add_offer(advertiser=reef, title="Shoes"), "120.50")
    assert "There are no invoices yet." in shop.read("/advertiser/invoices").text
    api.admin.post(f"/3.1/admin/invoices/{number}/issue")
    path = f"/advertiser/invoices/{number}"
    assert path in shop.read("/advertiser/invoices").links
    text = shop.read(path).text
    assert "Invoice INV-2023-0001" in text and "Shoes · Conversions" in text and "being made" in text
    DocumentDrawer(api.deps).draw_one()
    [link] = [each for each in shop.read(path).links if "/files/" in each]
    assert shop.client.get(link.removeprefix(api.deps.api_url)).content.startswith(b"%PDF-")
    assert other.get(path).status_code == 404 and path not in other.read("/advertiser/invoices").links


def test_invoices_of_a_sales_manager_are_those_of_own_advertisers(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_SALES)
    own, foreign = api.add_advertiser(title="Own", manager=desk.manager), api.add_advertiser(title="Foreign")
    mine = add_invoice(api, own, api.add_offer(advertiser=own), "1")
    theirs = add_invoice(api, foreign, api.add_offer(advertiser=foreign), "2")
    assert numbers(desk.visitor, INVOICES) == [str(mine)]
    assert desk.visitor.get(f"{INVOICES}/{theirs}").status_code == 404
    text = desk.visitor.read(f"{BALANCES}/advertisers").text
    assert "Own" in text and "Foreign" not in text
    assert desk.visitor.get(BALANCES).status_code == 403
    assert staff_visitor(api, Role.MANAGER_AFFILIATE).get(INVOICES).status_code == 403


def test_balances_show_sums_of_the_api(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    visitor = staff_visitor(api)
    reef = api.add_advertiser(title="Royal Reef")
    offer = api.add_offer(advertiser=reef)
    pid, _ = api.add_affiliate(name=HOSTILE, email="ann@a.example")
    earn(api, pid, "12.50")
    [payment] = api.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    api.admin.post(f"/3.1/admin/payments/{payment['id']}", status="paid")
    earn(api, pid, "4.00")
    api.admin.post("/3.1/admin/payments", **{"pid[]": pid})
    earn(api, pid, "2.00", hold="1.00")
    shown = visitor.read(BALANCES).text
    assert "ann@a.example" in shown and " $2.00 $1.00 $3.00 $4.00 $12.50" in shown
    assert "<script>alert" not in visitor.get(BALANCES).text
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=reef)
    add_invoice(api, reef, offer, "120.50")
    add_invoice(api, reef, offer, "30", status="paid")
    page = visitor.read(f"{BALANCES}/advertisers")
    assert "Royal Reef $10.00 $120.50 $30.00" in page.text
    assert f"/console/invoices?advertiser={reef}&status=paid" in page.links
    assert BALANCES in page.links


def test_sum_of_an_invoice_is_found_in_the_report_that_its_page_leads_to(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    visitor, reef = staff_visitor(api), api.add_advertiser(title="Reef")
    offer, (pid, _) = api.add_offer(advertiser=reef, title="Shoes"), api.add_affiliate()
    who = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": reef}
    for number, status in enumerate((Status.CONFIRMED, Status.CONFIRMED, Status.HOLD, Status.PENDING), 1):
        add_conversion(api.deps, number, charge=Decimal("12.25"), status=status, **who)
    days = {"start_date": "2023-11-01", "end_date": "2023-11-30"}
    made = api.admin.post("/3.1/admin/invoices", supplier_id=reef, currency="USD", **days)["invoice"]
    assert made["total"] == 24.5
    page = visitor.read(f"{INVOICES}/{made['number']}")
    [report] = [each for each in page.links if each.startswith("/console/reports?")]
    text = visitor.read(report).text
    assert "$24.50" in text and "$49.00" not in text
    [listed] = [each for each in page.links if each.startswith("/console/conversions?")]
    assert visitor.read(listed).text.count("$12.25") >= 2 and "2 conversions" in visitor.read(listed).text
    manager = staff_visitor(api, Role.SECTION_PAYMENT)
    assert not [each for each in manager.read(f"{INVOICES}/{made['number']}").links if "/console/reports" in each]
