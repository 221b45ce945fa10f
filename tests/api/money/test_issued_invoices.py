"""Drafts, issued invoices with documents, credit notes (docs/spec/money.md#issued-invoices)."""

import threading
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader
from sqlalchemy import select

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import Visitor, console_app
from trackyard.actions.money.documents import drawing
from trackyard.actions.money.documents.drawing import DocumentDrawer
from trackyard.base.zones import local_day
from trackyard.documents.pdf.process import PdfFault
from trackyard.domain.conversions.statuses import Status
from trackyard.jobs.delivery.mail import DOCUMENT_WAIT_MS, Mailer
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.outbound.mail import MailMessage
from trackyard.store.tables import document, event, invoice

INVOICES = "/3.1/admin/invoices"
BILLING = {
    "legal_name": "Сеть & Partners GmbH",
    "address": "Street 1\n10115 Berlin",
    "tax_number": "DE123456789",
    "payment_details": "IBAN DE02 1203 0000 0000 2020 51\nBIC BYLADEM1001",
    "tax_name": "VAT",
    "tax_percent": "19",
    "due_days": "14",
}
PERIOD = {"start_date": "2023-11-01", "end_date": "2023-11-30"}


class OpenServer:
    """A mail server that takes each mail."""

    def __init__(self) -> None:
        self.taken: list[MailMessage] = []

    def send(self, message: MailMessage) -> None:
        """Take a mail."""
        self.taken.append(message)

    def close(self) -> None:
        """Hold nothing."""


@dataclass
class Books:
    """An advertiser with three confirmed conversions of 10.3333 each, one on hold, and one declined."""

    api: Api
    shop: str
    offer: int

    def draft(self, **params: Any) -> dict[str, Any]:
        sent = {"supplier_id": self.shop, "currency": "USD"} | PERIOD | params
        made: dict[str, Any] = self.api.admin.post(INVOICES, **sent)["invoice"]
        return made

    def issue(self, number: int) -> dict[str, Any]:
        issued: dict[str, Any] = self.api.admin.post(f"{INVOICES}/{number}/issue")["invoice"]
        return issued

    def issued(self, **params: Any) -> dict[str, Any]:
        return self.issue(self.draft(**params)["number"])

    def own(self) -> ApiClient:
        return self.api.advertiser_client(self.shop)

    def draw(self) -> int:
        drawer, drawn = DocumentDrawer(self.api.deps), 0
        while drawer.draw_one():
            drawn += 1
        return drawn

    def deliver(self) -> list[MailMessage]:
        make_notices(self.api.deps.database, self.api.clock.now_ms())
        server = OpenServer()
        mailer = Mailer(self.api.deps.database, self.api.clock, server, files=self.api.deps.files)
        while mailer.send_one():
            pass
        return [each for each in server.taken if each.recipient == "bills@shop.example"]


@pytest.fixture
def books(api: Api) -> Books:
    api.admin.post("/3.1/admin/billing", **BILLING)
    shop = api.add_advertiser(title="Winter Boots Ltd", email="bills@shop.example", vat_code="GB77", city="Leeds")
    offer = api.add_offer(title="Boots", advertiser=shop)
    pid, _ = api.add_affiliate()
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=pid, advertiser=shop)])
    for number, status in enumerate((Status.CONFIRMED,) * 3 + (Status.HOLD, Status.DECLINED), 1):
        who = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": shop}
        add_conversion(api.deps, number, charge=Decimal("10.3333"), status=status, **who)
    api.advertiser_client(shop)
    return Books(api, shop, offer)


def test_draft_is_for_staff_alone_and_in_no_method_of_the_specification(books: Books) -> None:
    made = books.draft()
    assert (made["state"], made["document_number"], made["net"], made["total"]) == ("draft", "", 30.99, 36.88)
    assert made["taxes"] == [{"name": "VAT", "percent": 19, "amount": 5.89}]
    [line] = [each for each in made["detail"] if each["amount"]]
    assert (line["actions"], line["unit_price"]) == (3, 10.33)
    api, number = books.api, made["number"]
    assert api.admin.get("/3.0/admin/advertiser-invoices")["message"] == []
    assert api.admin.get(f"/3.0/admin/advertiser-invoice/{number}", status=404)
    edited = api.admin.call("POST", f"/3.0/admin/advertiser-invoice/{number}", data={"supplier_id": books.shop})
    assert edited.status_code == 404
    assert books.own().get("/3.1/advertiser/invoices")["invoices"] == []
    assert books.own().get(f"/3.1/advertiser/invoices/{number}", status=404)
    assert api.admin.call("GET", f"{INVOICES}/{number}/document").status_code == 404
    assert books.draw() == 0 and books.deliver() == []


def test_draft_changes_and_is_deleted(books: Books) -> None:
    number = books.draft()["number"]
    taxes = {
        "taxes[0][name]": "VAT",
        "taxes[0][percent]": "7.5",
        "taxes[1][name]": "City tax",
        "taxes[1][percent]": "1",
    }
    edited = books.api.admin.post(f"{INVOICES}/{number}", due_date="2024-02-01", notes="Order 7", **taxes)["invoice"]
    assert [each["amount"] for each in edited["taxes"]] == [2.32, 0.31]
    assert (edited["total"], edited["due_date"], edited["notes"]) == (33.62, "2024-02-01", "Order 7")
    assert books.api.admin.call("DELETE", f"{INVOICES}/{number}").json()["number"] == number
    assert books.api.admin.get(f"{INVOICES}/{number}", status=404)


def test_issued_invoice_has_a_number_a_document_and_a_mail_with_its_file(books: Books) -> None:
    issued = books.issued()
    day = local_day(books.api.clock.now_ms(), books.api.deps.zone)
    assert issued["document_number"] == f"INV-{day.year}-0001"
    assert issued["due_date"] == str(day + timedelta(days=14))
    assert issued["url"] == "", "the file is made a moment later"
    assert books.deliver() == [], "the mail waits for the file"
    assert books.draw() == 1 and books.draw() == 0
    books.api.clock.advance(3_000)
    [mail] = books.deliver()
    assert mail.subject == f"Invoice INV-{day.year}-0001 over $36.88"
    [(name, kind, content)] = mail.files
    assert (name, kind) == (f"invoice-INV-{day.year}-0001.pdf", "application/pdf")
    text = PdfReader(BytesIO(content)).pages[0].extract_text()
    wanted = ("Сеть & Partners GmbH", "Street 1", "10115 Berlin", "DE123456789", "Winter Boots Ltd", "Leeds", "GB77")
    wanted += (f"INV-{day.year}-0001", "2023-11-01 – 2023-11-30", "Boots · Conversions", "$10.33", "$30.99", "19%")
    assert [each for each in (*wanted, "$5.89", "$36.88", "IBAN DE02 1203 0000") if each not in text] == []


def test_document_is_the_same_as_page_and_file_and_never_changes(books: Books) -> None:
    number = books.issued()["number"]
    books.draw()
    before = books.api.admin.get(f"{INVOICES}/{number}/document")["document"]
    assert before["tables"][0]["sums"][-1] == {"label": "Total", "value": "$36.88"}
    books.api.admin.post("/3.1/admin/billing", legal_name="Another Ltd", tax_percent="5")
    books.api.admin.post(f"/3.0/admin/advertiser/{books.shop}", title="Renamed")
    after = books.api.admin.get(f"{INVOICES}/{number}/document")["document"]
    assert after | {"url": ""} == before | {"url": ""}
    got = Visitor(console_app(books.api)).client.get(before["url"].removeprefix(books.api.deps.api_url))
    text = PdfReader(BytesIO(got.content)).pages[0].extract_text()
    texts = [*before["parties"][1]["lines"], *(sum_["value"] for sum_ in before["tables"][0]["sums"])]
    assert [each for each in texts if each not in text] == []
    assert got.headers["content-disposition"].startswith("attachment")


def test_issued_invoice_keeps_all_but_its_status_and_comment_at_each_door(books: Books) -> None:
    issued = books.issued()
    number = issued["number"]
    changes: list[dict[str, Any]] = [
        {"start_date": "2023-11-02"},
        {"due_date": "2024-01-01"},
        {"notes": "x"},
        {"taxes[0][name]": "x", "taxes[0][percent]": "1"},
        {"detail[0][offer_id]": books.offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": "1"},
    ]
    for sent in changes:
        assert books.api.admin.call("POST", f"{INVOICES}/{number}", data=sent).status_code == 409, sent
    for sent in (changes[0], changes[4]):
        old = books.api.admin.call(
            "POST", f"/3.0/admin/advertiser-invoice/{number}", data={"supplier_id": books.shop} | sent
        )
        assert old.status_code == 409 and "issued" in old.text
    assert books.api.admin.call("DELETE", f"{INVOICES}/{number}").status_code == 409
    assert books.api.admin.call("POST", f"{INVOICES}/{number}/issue").status_code == 409
    kept = books.api.admin.post(
        f"/3.0/admin/advertiser-invoice/{number}", supplier_id=books.shop, status="paid", comment="by bank"
    )
    assert kept["number"] == number
    shown = books.api.admin.get(f"{INVOICES}/{number}")["invoice"]
    assert (shown["invoice_status"], shown["comment"], shown["total"]) == ("paid", "by bank", issued["total"])


def test_credit_note_takes_an_issued_invoice_back_once(books: Books) -> None:
    draft = books.draft()["number"]
    assert books.api.admin.call("POST", f"{INVOICES}/{draft}/credit").status_code == 409
    number = books.issue(draft)["number"]
    note = books.api.admin.post(f"{INVOICES}/{number}/credit", comment="wrong period")["invoice"]
    assert (note["kind"], note["credits"], note["total"], note["net"]) == ("credit note", number, -36.88, -30.99)
    assert note["document_number"].startswith("CN-") and note["document_number"].endswith("-0001")
    assert books.api.admin.get(f"{INVOICES}/{number}")["invoice"]["credited_by"] == note["number"]
    for path in (number, note["number"]):
        assert books.api.admin.call("POST", f"{INVOICES}/{path}/credit").status_code == 409
    spec = books.api.admin.get("/3.0/admin/advertiser-invoices")["message"]
    assert [each["number"] for each in spec] == [number], "old programs do not read credit notes as invoices"
    assert [each["number"] for each in books.own().get("/3.1/advertiser/invoices")["invoices"]] == [
        note["number"],
        number,
    ]
    assert books.draw() == 2
    first = books.api.admin.get(f"{INVOICES}/{number}")["invoice"]["document_number"]
    subjects = {mail.subject: len(mail.files) for mail in books.deliver()}
    assert subjects == {
        f"Invoice {first} over $36.88": 1,
        f"Credit note {note['document_number']} over −$36.88": 1,
    }


def test_document_numbers_have_no_gaps_and_are_given_once(books: Books) -> None:
    drafts = [books.draft()["number"] for _ in range(6)]
    broken = books.draft(start_date="2022-01-01", end_date="2022-01-02")["number"]  # has no lines
    failures: list[int] = []

    def issue(number: int) -> None:
        answer = books.api.admin.call("POST", f"{INVOICES}/{number}/issue")
        if answer.status_code != 200:
            failures.append(number)

    threads = [threading.Thread(target=issue, args=(each,)) for each in (*drafts, broken, *drafts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with books.api.deps.database.read() as conn:
        numbers = conn.execute(select(invoice.c.document_number).where(invoice.c.issued_at.is_not(None))).scalars()
        found = sorted(str(each)[-4:] for each in numbers)
        count = len(conn.execute(select(document.c.id)).all())
        events = len(conn.execute(select(event.c.id).where(event.c.kind == "invoice.issued")).all())
    assert found == [f"{number:04}" for number in range(1, 7)]
    assert (count, events, sorted(failures)) == (6, 6, sorted([broken, *drafts]))


def test_series_continue_with_a_number_of_staff_and_refuse_one_that_was_given(books: Books) -> None:
    books.api.admin.post("/3.1/admin/billing", invoice_series="A{year}/", invoice_next="120")
    year = local_day(books.api.clock.now_ms(), books.api.deps.zone).year
    assert books.issued()["document_number"] == f"A{year}/0120"
    refused = books.api.admin.call("POST", "/3.1/admin/billing", data={"invoice_next": "120"})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["invoice_next"])
    same = books.api.admin.call("POST", "/3.1/admin/billing", data={"credit_series": "A{year}/"})
    assert (same.status_code, list(same.json()["fields"])) == (400, ["credit_series"])


def test_invoice_needs_lines_and_the_legal_name_of_the_network(books: Books) -> None:
    empty = books.draft(start_date="2022-01-01", end_date="2022-01-02")
    answer = books.api.admin.call("POST", f"{INVOICES}/{empty['number']}/issue")
    assert (empty["detail"], answer.status_code, list(answer.json()["fields"])) == ([], 409, ["detail"])
    books.api.admin.post("/3.1/admin/billing", legal_name="")
    answer = books.api.admin.call("POST", f"{INVOICES}/{books.draft()['number']}/issue")
    assert answer.status_code == 409 and "legal name" in answer.text


def test_unpaid_invoice_is_overdue_once_after_its_due_date(books: Books) -> None:
    late, paid, credited = (books.issued()["number"] for _ in range(3))
    books.api.admin.post(f"{INVOICES}/{paid}", invoice_status="paid")
    books.api.admin.post(f"{INVOICES}/{credited}/credit")
    books.draw()
    books.deliver()
    scheduler = JobScheduler(books.api.deps.database, books.api.deps.zone, books.api.clock)
    books.api.clock.advance(14 * 86_400_000)
    assert scheduler.find_overdue() == 0, "the due date itself is in time"
    books.api.clock.advance(86_400_000)
    assert scheduler.find_overdue() == 1 and scheduler.find_overdue() == 0
    shown = books.own().get(f"/3.1/advertiser/invoices/{late}")["invoice"]
    assert shown["is_overdue"] is True and "comment" not in shown
    [mail] = books.deliver()
    assert mail.subject == f"Invoice {shown['document_number']} is overdue" and len(mail.files) == 1
    lines = [each["text"] for each in books.api.admin.get("/3.1/notices")["notices"]]
    assert f"Invoice {shown['document_number']} of Winter Boots Ltd is overdue" in str(lines)


def test_mail_goes_without_a_file_that_cannot_be_made(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise PdfFault("code 1: no font")

    monkeypatch.setattr(drawing, "pdf_of", broken)
    number = books.issued()["number"]
    assert books.draw() == 1 and books.draw() == 0, "it is tried again in a minute"
    assert books.deliver() == []
    books.api.clock.advance(DOCUMENT_WAIT_MS + 1_000)
    [mail] = books.deliver()
    assert mail.files == () and f"/advertiser/invoices/{number}" in mail.body
    assert books.api.admin.get(f"{INVOICES}/{number}/document")["document"]["url"] == ""


def test_other_advertisers_find_no_invoice_of_this_one(books: Books) -> None:
    number = books.issued()["number"]
    books.draw()
    other = books.api.advertiser_client(books.api.add_advertiser(title="Mall", email="mall@shop.example"))
    for path in (f"/3.1/advertiser/invoices/{number}", f"/3.1/advertiser/invoices/{number}/document"):
        assert other.get(path, status=404)
        assert books.own().get(path)
    url = books.own().get(f"/3.1/advertiser/invoices/{number}")["invoice"]["url"]
    bare = url.rpartition("/")[0].removeprefix(books.api.deps.api_url)
    assert Visitor(console_app(books.api)).client.get(bare).status_code == 404, "a link without its key opens nothing"


def test_sum_of_an_invoice_is_the_confirmed_charge_of_its_period_in_a_report(books: Books) -> None:
    made = books.draft()
    sent = {"slice[]": "offer", "filter[date_from]": PERIOD["start_date"], "filter[date_to]": PERIOD["end_date"]}
    [row] = books.api.admin.get("/3.0/stats/custom", **sent)["stats"]
    assert abs(Decimal(str(row["actions"]["confirmed"]["revenue"])) - Decimal(str(made["net"]))) < Decimal("0.01")
