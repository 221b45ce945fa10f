"""Payments to affiliates: within the available amount, each entry once.

See docs/spec/money.md#payments-to-affiliates.
"""

import csv
import io
import threading
from collections.abc import Iterator
from decimal import Decimal
from importlib import import_module
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from tests.support.api import NOW, Api, installed
from tests.support.events import make_notices
from tests.support.models.history import add_conversion
from tests.support.pages import Visitor, console_app
from trackyard.actions.money import affiliate_payments as actions
from trackyard.actions.money.documents.drawing import DocumentDrawer
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.money import ZERO
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import LedgerEntry, ledger_entries_of
from trackyard.domain.people.roles import Role
from trackyard.jobs.delivery.mail import Mailer
from trackyard.outbound.mail import MailMessage
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger
from trackyard.store.platform.personal_data import redact_account

_numbers: Iterator[int] = iter(range(1, 10**6))
DAY = 86_400_000


@pytest.fixture
def network(database: Database, analytics: Analytics) -> Api:
    """An installation on either engine."""
    return installed(database, analytics)


def earn(api: Api, pid: int, payout: str, **fields: Any) -> Conversion:
    """A conversion of an affiliate with its entry in the ledger."""
    made = add_conversion(api.deps, next(_numbers), offer_id=1, affiliate_id=pid, payout=Decimal(payout), **fields)
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, ledger_entries_of(ConversionChange(None, made, "test")))
    return made


def differ(api: Api, made: Conversion, available: str, version: int = 2, at: int = NOW) -> None:
    """A later change of what a conversion is worth."""
    entry = LedgerEntry(
        made.affiliate_id, "change", made.id, version, made.currency, Decimal(0), Decimal(available), at
    )
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])


def pay(api: Api, **params: Any) -> dict[str, Any]:
    """Makes payments."""
    made: dict[str, Any] = api.admin.post("/3.1/admin/payments", **params)
    return made


def test_payment_takes_available_amount_without_hold(network: Api) -> None:
    pid, _ = network.add_affiliate()
    earn(network, pid, "7")
    earn(network, pid, "2.5")
    earn(network, pid, "4", status=Status.HOLD)
    made = pay(network, **{"pid[]": pid, "comment": "November"})
    assert made["skipped"] == []
    [payment] = made["payments"]
    assert (payment["pid"], payment["amount"], payment["currency"]) == (pid, 9.5, "USD")
    assert (payment["status"], payment["comment"], payment["paid_at"]) == ("created", "November", None)
    entries = network.admin.get(f"/3.1/admin/payments/{payment['id']}/entries")
    assert [entry["amount"] for entry in entries["entries"]] == [7, 2.5]
    assert network.admin.get("/3.1/admin/payments/due", **{"pid[]": pid})["due"] == []


def test_payment_pays_each_entry_once(network: Api) -> None:
    pid, _ = network.add_affiliate()
    earn(network, pid, "7")
    assert len(pay(network, **{"pid[]": pid})["payments"]) == 1
    again = pay(network, **{"pid[]": pid})
    assert again["payments"] == []
    assert again["skipped"] == [{"pid": pid, "currency": "", "reason": "nothing is available"}]
    earn(network, pid, "3")
    assert [item["amount"] for item in pay(network, **{"pid[]": pid})["payments"]] == [3]


def test_payment_cancelled_releases_entries_and_executed_keeps_them(network: Api) -> None:
    pid, _ = network.add_affiliate()
    conversion = earn(network, pid, "7")
    [first] = pay(network, **{"pid[]": pid})["payments"]
    cancelled = network.admin.post(f"/3.1/admin/payments/{first['id']}", status="cancelled")["payment"]
    assert (cancelled["status"], cancelled["amount"]) == ("cancelled", 7)
    assert network.admin.get(f"/3.1/admin/payments/{first['id']}/entries")["entries"] == []
    [second] = pay(network, **{"pid[]": pid})["payments"]
    assert second["amount"] == 7
    paid = network.admin.post(f"/3.1/admin/payments/{second['id']}", status="paid")["payment"]
    assert paid["paid_at"] is not None
    refused = network.admin.call("POST", f"/3.1/admin/payments/{second['id']}", data={"status": "cancelled"})
    assert (refused.status_code, refused.json()["fields"]) == (409, {"status": ["The payment is paid."]})
    assert network.admin.call("POST", f"/3.1/admin/payments/{first['id']}", data={"status": "paid"}).status_code == 409
    day = {"date_from": "2023-11-01", "date_to": "2023-11-30", "partner[]": pid}
    [shown] = network.admin.get("/3.0/stats/conversions", **day)["conversions"]
    assert (shown["id"], shown["payment_status"], shown["is_paid"]) == (conversion.id, "closed", "2")


def test_conversion_in_unexecuted_payment_is_pending(network: Api) -> None:
    pid, own = network.add_affiliate()
    earn(network, pid, "7")
    [payment] = pay(network, **{"pid[]": pid})["payments"]
    day = {"date_from": "2023-11-01", "date_to": "2023-11-30"}
    shown = own.get("/3.0/stats/conversions", **day)["conversions"][0]
    assert (shown["payment_status"], shown["is_paid"]) == ("pending", "3")
    network.admin.post(f"/3.1/admin/payments/{payment['id']}", status="cancelled")
    shown = own.get("/3.0/stats/conversions", **day)["conversions"][0]
    assert (shown["payment_status"], shown["is_paid"]) == ("opened", "1")


def test_payment_settles_later_change_of_paid_conversion(network: Api) -> None:
    pid, _ = network.add_affiliate()
    conversion = earn(network, pid, "7")
    [payment] = pay(network, **{"pid[]": pid})["payments"]
    network.admin.post(f"/3.1/admin/payments/{payment['id']}", status="paid")
    differ(network, conversion, "-7")
    assert pay(network, **{"pid[]": pid})["payments"] == []  # below 0
    earn(network, pid, "10")
    assert [item["amount"] for item in pay(network, **{"pid[]": pid})["payments"]] == [3]


def test_payment_up_to_a_day_is_limited_to_available_amount(network: Api) -> None:
    pid, _ = network.add_affiliate()
    conversion = earn(network, pid, "7")
    network.clock.advance(3 * DAY)
    differ(network, conversion, "-4", at=network.clock.now_ms())
    made = pay(network, **{"pid[]": pid, "date_to": "2023-11-15"})
    assert made["payments"] == []
    assert made["skipped"][0]["reason"] == "7.0000 is more than the 3.0000 that are available by now"
    earn(network, pid, "5", created_at=network.clock.now_ms())
    [payment] = pay(network, **{"pid[]": pid, "date_to": "2023-11-15"})["payments"]
    assert payment["amount"] == 7


def test_payment_due_list_respects_minimum_of_currency(network: Api) -> None:
    network.admin.post("/3.1/admin/currencies", code="EUR", rate="0.5", min_payment="50")
    poor, rich = network.add_affiliate()[0], network.add_affiliate()[0]
    earn(network, poor, "49.9999", currency="EUR")
    earn(network, rich, "50", currency="EUR")
    due = network.admin.get("/3.1/admin/payments/due", currency="EUR")["due"]
    assert [(item["pid"], item["amount"], item["min_payment"]) for item in due] == [(rich, 50, 50)]
    made = pay(network, currency="EUR")
    assert [item["pid"] for item in made["payments"]] == [rich]
    refused = pay(network, **{"pid[]": poor})
    assert refused["skipped"][0]["reason"] == "49.9900 is less than the least payment of 50.0000"
    assert refused["payments"] == []


def test_payment_without_ids_pays_every_due_affiliate_per_currency(network: Api) -> None:
    network.admin.post("/3.1/admin/currencies", code="EUR", rate="0.5")
    first, second = network.add_affiliate()[0], network.add_affiliate()[0]
    earn(network, first, "1")
    earn(network, first, "2", currency="EUR")
    earn(network, second, "3")
    made = pay(network)["payments"]
    assert {(item["pid"], item["currency"], item["amount"]) for item in made} == {
        (first, "USD", 1),
        (first, "EUR", 2),
        (second, "USD", 3),
    }
    listed = network.admin.get("/3.1/admin/payments", **{"pid[]": first, "status": "created"})
    assert {item["currency"] for item in listed["payments"]} == {"USD", "EUR"}
    assert listed["pagination"]["total_count"] == 2


def test_payment_requests_in_parallel_pay_once(network: Api) -> None:
    pid, _ = network.add_affiliate()
    for _ in range(20):
        earn(network, pid, "1")
    made: list[dict[str, Any]] = []

    def try_it() -> None:
        made.extend(pay(network, **{"pid[]": pid})["payments"])

    threads = [threading.Thread(target=try_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [item["amount"] for item in made] == [20]


def test_payment_with_unknown_affiliate_is_rejected(network: Api) -> None:
    refused = network.admin.call("POST", "/3.1/admin/payments", data={"pid[]": 999})
    assert (refused.status_code, refused.json()["fields"]) == (400, {"pid": ["An affiliate 999 does not exist."]})
    days = {"date_from": "2023-11-15", "date_to": "2023-11-14"}
    assert network.admin.call("GET", "/3.1/admin/payments", params=days).status_code == 400


def test_affiliate_manager_may_not_create_payments(api: Api) -> None:
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    assert manager.call("GET", "/3.1/admin/payments/due").status_code == 403


def test_payment_export_lists_payments_and_entries(network: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "_PIECE", 2)  # read in pieces, without a row twice or left out
    numbers = []
    for _ in range(5):
        pid, _ = network.add_affiliate()
        conversions = [earn(network, pid, "1", created_at=NOW, updated_at=NOW) for _ in range(5)]
        numbers.append(pay(network, **{"pid[]": pid, "comment": "=cmd()"})["payments"][0]["id"])
    whole = network.admin.call("GET", "/3.1/admin/payments", params={"format": "csv", "limit": 1})
    rows = list(csv.DictReader(io.StringIO(whole.text)))
    assert [int(row["id"]) for row in rows] == sorted(numbers, reverse=True)
    assert {(row["amount"], row["currency"], row["comment"], row["paid_at"]) for row in rows} == {
        ("5", "USD", "'=cmd()", "")
    }
    chosen = network.admin.call("GET", "/3.1/admin/payments", params={"format": "csv", "pid[]": pid})
    assert chosen.text.count("\r\n") == 2
    entries = network.admin.call("GET", f"/3.1/admin/payments/{numbers[-1]}/entries", params={"format": "csv"})
    listed = network.admin.get(f"/3.1/admin/payments/{numbers[-1]}/entries")["entries"]
    read = list(csv.DictReader(io.StringIO(entries.text)))
    assert read == [{name: str(value) for name, value in entry.items()} for entry in listed]
    assert {row["conversion_id"] for row in read} == {made.id for made in conversions}
    days = {"date_from": "2023-11-15", "date_to": "2023-11-14", "format": "csv"}
    assert network.admin.call("GET", "/3.1/admin/payments", params=days).status_code == 400


def test_payment_replay_skips_unpayable_affiliates_and_returns_first_answer(network: Api) -> None:
    network.admin.post("/3.1/admin/currencies", code="EUR", rate="0.5", min_payment="50")
    poor, rich = network.add_affiliate()[0], network.add_affiliate()[0]
    earn(network, poor, "49.9999", currency="EUR")
    earn(network, rich, "50", currency="EUR")
    key = {"Idempotency-Key": "november"}
    first, again = (network.admin.call("POST", "/3.1/admin/payments", headers=key) for _ in range(2))
    assert first.status_code == 200
    assert [(item["pid"], item["amount"]) for item in first.json()["payments"]] == [(rich, 50)]
    assert again.json() == first.json()
    assert network.admin.get("/3.1/admin/payments")["pagination"]["total_count"] == 1


def test_payment_list_filters_by_several_currencies_and_statuses(api: Api) -> None:
    pid, _ = api.add_affiliate()
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    for currency in ("USD", "EUR"):
        entry = LedgerEntry(pid, "conversion", f"of {currency}", 1, currency, ZERO, Decimal(5), api.clock.now_ms())
        with api.deps.database.write() as conn:
            ledger.add_entries(conn, [entry])
    made = {item["currency"]: item["id"] for item in pay(api, **{"pid[]": pid})["payments"]}
    api.admin.post(f"/3.1/admin/payments/{made['EUR']}", status="paid")

    def found(**params: Any) -> set[str]:
        return {item["currency"] for item in api.admin.get("/3.1/admin/payments", **params)["payments"]}

    assert found(currency="eur") == found(status="paid") == {"EUR"}
    assert found(**{"currency[]": ["EUR", "USD"]}) == {"EUR", "USD"}
    assert (
        found(**{"status[]": ["paid", "created"]}) == {"EUR", "USD"} and found(currency="USD", status="paid") == set()
    )


def test_upgrade_counts_conversions_with_another_state_of_payment(network: Api) -> None:
    pid, _ = network.add_affiliate()
    earn(network, pid, "7")
    differ(network, earn(network, pid, "7"), "-7")  # named by the payment, and not paid
    differ(network, earn(network, pid, "7"), "-7")
    pay(network, **{"pid[]": pid})
    migration = import_module("trackyard.store.engine.migrations.versions.0041_columns_for_later_facts")
    with network.deps.database.read() as conn:
        assert conn.execute(migration._OTHER_STATES).scalar_one() == 2


def test_paid_payment_has_a_remittance_that_adds_up_to_it(network: Api) -> None:
    pid, ann = network.add_affiliate(name="Ann", email="ann@payee.example", company="Ann & Söhne KG", city="Wien")
    sale = earn(network, pid, "10.25")
    earn(network, pid, "5.5")
    differ(network, sale, "-2")
    network.admin.post("/3.1/admin/corrections", pid=pid, currency="USD", amount="1.25", comment="Bonus")
    [made] = pay(network, **{"pid[]": pid})["payments"]
    path = f"payments/{made['id']}/document"
    assert ann.get(f"/3.1/partner/{path}", status=404), "it is not paid yet"
    network.admin.post(f"/3.1/admin/payments/{made['id']}", status="paid", comment="November")
    shown = ann.get(f"/3.1/partner/{path}")["document"]
    [table] = shown["tables"]
    assert table["rows"] == [
        ["Later changes of conversions", "1", "−$2.00"],
        ["Conversions", "2", "$15.75"],
        ["Corrections", "1", "$1.25"],
    ]
    assert table["sums"] == [{"label": "Total", "value": "$15.00"}] and made["amount"] == 15
    assert shown["parties"][1]["lines"] == ["Ann & Söhne KG", "Wien"] and shown["notes"] == ["November"]
    assert network.admin.get(f"/3.1/admin/{path}")["document"]["title"] == f"Remittance {made['id']}"
    other = network.add_affiliate()[1]
    assert other.get(f"/3.1/partner/{path}", status=404)
    drawer = DocumentDrawer(network.deps)
    assert drawer.draw_one() and not drawer.draw_one()
    mailed = mailed_files(network, "ann@payee.example")
    text = PdfReader(BytesIO(mailed[f"remittance-{made['id']}.pdf"])).pages[0].extract_text()
    assert "Ann & Söhne KG" in text and "Total $15.00" in text


def mailed_files(api: Api, recipient: str) -> dict[str, bytes]:
    """The files of the mails to a recipient, by name."""
    found: dict[str, bytes] = {}

    class FileKeeper:
        """A mail server that keeps files."""

        def send(self, message: MailMessage) -> None:
            """Keep the files of a mail."""
            if message.recipient == recipient:
                found.update({name: content for name, _, content in message.files})

        def close(self) -> None:
            """Hold nothing."""

    make_notices(api.deps.database, api.clock.now_ms())
    mailer = Mailer(api.deps.database, api.clock, FileKeeper(), files=api.deps.files)
    while mailer.send_one():
        pass
    return found


def test_erased_affiliate_has_no_documents_any_more(network: Api) -> None:
    pid, _ = network.add_affiliate()
    earn(network, pid, "10")
    [made] = pay(network, **{"pid[]": pid})["payments"]
    network.admin.post(f"/3.1/admin/payments/{made['id']}", status="paid")
    DocumentDrawer(network.deps).draw_one()
    path = f"/3.1/admin/payments/{made['id']}/document"
    url = network.admin.get(path)["document"]["url"].removeprefix(network.deps.api_url)
    with network.deps.database.write() as conn:
        redact_account(conn, pid, "hash", network.clock.now_ms())
    assert network.admin.get(path, status=404)
    assert Visitor(console_app(network)).client.get(url).status_code == 404
