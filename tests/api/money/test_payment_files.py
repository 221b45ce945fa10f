"""Files of payments, their results, and bad runs: nothing is paid twice, and nothing is lost.

See docs/spec/money.md#files-of-payments.
"""

import csv
import io
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from tests.api.money.test_affiliate_payments import earn
from tests.api.money.test_held_changes import strict
from tests.api.money.test_payment_runs import check_books
from tests.support.api import Api, installed
from trackyard.actions.money import affiliate_payments
from trackyard.actions.money.payment_results import apply_results
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.money.payment_results import ResultLine, ResultStatus
from trackyard.domain.people.callers import Access
from trackyard.domain.people.roles import Permission
from trackyard.store.engine.database import Database
from trackyard.store.engine.types import Amount
from trackyard.store.money import affiliate_payments as stored
from trackyard.store.tables import ledger

FILE, RESULTS, RUN = "/3.1/admin/payments/file", "/3.1/admin/payments/results", "/3.1/admin/payments"
IBANS = ("DE02120300000000202051", "GB82WEST12345698765432", "DE75512108001245126199")
SEPA = "{urn:iso:std:iso:20022:tech:xsd:pain.001.001.09}"
DEBTOR = {"template": "sepa", "debtor_name": "Net & Söhne", "debtor_iban": IBANS[0]}


class RunKilled(BaseException):
    """The end of the process in the middle of a run."""


@pytest.fixture
def network(database: Database, analytics: Analytics) -> Api:
    """An installation on either engine, which pays EUR too."""
    return ready(installed(database, analytics))


def ready(api: Api) -> Api:
    """Add EUR, and a payment system with an IBAN and an e-mail address."""
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.5")
    fields = {"fields[0][lang_label]": "IBAN", "fields[1][lang_label]": "E-mail"}
    api.admin.post("/3.1/admin/payment_systems", lang_label="Bank", **fields)
    return api


def payee(api: Api, iban: str = IBANS[1], email: str = "ann@shop.example", **params: Any) -> int:
    """A new affiliate that is paid by the payment system."""
    system = api.admin.get("/3.1/admin/payment_systems")["payment_systems"][0]["id"]
    chosen = {"system_id": system, "fields][1": iban, "fields][2": email}
    return api.add_affiliate(**{f"payment_systems[0][{name}]": value for name, value in chosen.items()}, **params)[0]


def paid(api: Api, *payouts: str, currency: str = "EUR", **params: Any) -> list[int]:
    """The numbers of payments to new affiliates."""
    pids = []
    for payout in payouts:
        pids.append(payee(api, **params))
        earn(api, pids[-1], payout, currency=currency)
    return [each["id"] for each in api.admin.post(RUN, **{"pid[]": pids})["payments"]]


def file_of(api: Api, numbers: list[int], **params: Any) -> Any:
    """The file of payments."""
    return api.admin.get(FILE, **{"id[]": numbers, "template": "paypal"} | params)["file"]


def fault(api: Api, numbers: list[int], **params: Any) -> Any:
    """The fields of a refused file."""
    answer = api.admin.call("GET", FILE, params={"id[]": numbers, "template": "paypal"} | params)
    assert answer.status_code == 400, answer.text
    return answer.json()["fields"]


def statuses(api: Api) -> list[str]:
    """The states of the payments, the oldest first."""
    return [each["status"] for each in api.admin.get(RUN)["payments"]][::-1]


def lines(*results: tuple[int, str], **more: str) -> dict[str, Any]:
    """The parameters of a file of results."""
    sent: dict[str, Any] = {}
    for place, (number, status) in enumerate(results):
        values = {"payment": number, "status": status, "line": place + 2} | more
        sent |= {f"results[{place}][{name}]": value for name, value in values.items()}
    return sent


def in_ledger(api: Api, numbers: list[int]) -> Decimal:
    """What payments took out of what is available."""
    with api.deps.database.read() as conn:
        own = (ledger.c.kind == "payment", ledger.c.source_id.in_([str(each) for each in numbers]))
        return -Decimal(conn.execute(select(func.sum(ledger.c.available, type_=Amount)).where(*own)).scalar_one())


def test_file_of_paypal_has_a_line_for_each_payment(network: Api) -> None:
    first, second = paid(network, "12.5051", "7", company="=Shop")
    file = file_of(network, [first, second])
    assert (file["name"], file["media_type"]) == (f"payments-paypal-{first}-{second}.csv", "text/csv")
    assert (file["payments"], file["amount"], file["currency"]) == (2, 19.5, "EUR")
    rows = list(csv.reader(io.StringIO(file["content"])))
    assert rows[0] == ["ann@shop.example", "12.50", "EUR", str(first), f"Payment {first}", "PAYPAL"]
    assert [row[1] for row in rows] == ["12.50", "7.00"]
    wise = list(csv.reader(io.StringIO(file_of(network, [first], template="wise")["content"])))
    assert wise[0][:3] == ["name", "recipientEmail", "paymentReference"]
    assert wise[1][0] == "'=Shop", "a spreadsheet calculates nothing"
    crypto = list(csv.DictReader(io.StringIO(file_of(network, [first], template="crypto")["content"])))
    assert crypto == [
        {"Address": IBANS[1], "Tag": "", "Currency": "EUR", "Amount": "12.50", "Note": f"Payment {first}"}
    ]
    listed = network.admin.get("/3.1/admin/payments/file-templates")["templates"]
    assert [each["template"] for each in listed] == ["paypal", "wise", "crypto", "sepa"]
    assert all(each["page"].startswith("https://") for each in listed if each["form"] == "csv")


def test_file_of_a_bank_is_valid_and_the_same_each_time(network: Api) -> None:
    first, second = paid(network, "12.5", "7", company="Müller & Söhne")
    file = file_of(network, [first, second], **DEBTOR)
    assert file["name"].endswith(".xml") and file == file_of(network, [second, first], **DEBTOR)
    tree = ElementTree.fromstring(file["content"])
    text = {
        name: [each.text for each in tree.iter(f"{SEPA}{name}")] for name in ("InstdAmt", "EndToEndId", "Nm", "IBAN")
    }
    assert text["InstdAmt"] == ["12.50", "7.00"] and text["EndToEndId"] == [str(first), str(second)]
    assert set(text["Nm"]) == {"Net . Sohne", "Muller . Sohne"} and text["IBAN"] == [IBANS[0], IBANS[1], IBANS[1]]
    assert [each.text for each in tree.iter(f"{SEPA}CtrlSum")] == ["19.50", "19.50"]
    assert [each.text for each in tree.iter(f"{SEPA}NbOfTxs")] == ["2", "2"]


def test_file_is_refused_for_what_it_cannot_have(network: Api) -> None:
    [euros] = paid(network, "12.5")
    [dollars] = paid(network, "7", currency="USD")
    assert fault(network, [euros, dollars]) == {"id": ["A file has payments in one currency: choose the others apart."]}
    assert fault(network, [dollars], **DEBTOR) == {"id": ["A file of this template is in EUR."]}
    assert fault(network, [euros, 999]) == {"id": ["A payment 999 does not exist."]}
    [wrong] = paid(network, "5", iban="DE02120300000000202052", email="no address")
    assert fault(network, [euros, wrong], **DEBTOR) == {"id": [f"Payment {wrong}: its account has no valid IBAN."]}
    assert fault(network, [wrong]) == {"id": [f"Payment {wrong}: its account has no e-mail address."]}
    bad = DEBTOR | {"debtor_iban": "DE1", "debtor_bic": "x"}
    assert fault(network, [euros], **bad).keys() == {"debtor_iban", "debtor_bic"}
    [strange] = paid(network, "5", company="Магазин")
    assert "no Latin letter" in fault(network, [strange], **DEBTOR)["id"][0]
    pid, _ = network.add_affiliate()
    earn(network, pid, "3", currency="EUR")
    [unknown] = network.admin.post(RUN, **{"pid[]": pid})["payments"]
    assert (
        "A file has payments of one payment system: choose the others apart."
        in fault(network, [euros, unknown["id"]])["id"]
    )
    network.admin.post(f"{RUN}/{euros}", status="paid")
    assert fault(network, [euros]) == {"id": [f"Payment {euros} is paid."]}
    careful = strict(network)
    assert file_of(careful, [euros])["payments"] == 1, "with a second person, money goes once it is confirmed"
    assert fault(careful, [strange]) == {"id": [f"Payment {strange} is created."]}


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payouts=st.lists(st.decimals("0.0001", "5000", places=4), min_size=1, max_size=5))
def test_sum_of_the_files_equals_the_entries_of_the_ledger(shared_api: Api, payouts: list[Decimal]) -> None:
    api = shared_api
    if not api.admin.get("/3.1/admin/payment_systems")["payment_systems"]:
        ready(api)
    numbers = paid(api, *map(str, payouts))
    if not numbers:
        return
    entries = in_ledger(api, numbers)
    paypal, sepa = file_of(api, numbers), file_of(api, numbers, **DEBTOR)
    written = sum(Decimal(row[1]) for row in csv.reader(io.StringIO(paypal["content"])))
    tree = ElementTree.fromstring(sepa["content"])
    transferred = sum(Decimal(each.text or "") for each in tree.iter(f"{SEPA}InstdAmt"))
    whole = sum(each.quantize(Decimal("0.01"), rounding="ROUND_DOWN") for each in payouts)
    assert written == transferred == entries == whole == Decimal(str(paypal["amount"])).quantize(Decimal("0.01"))
    check_books(api)


def test_results_pay_and_free_in_one_step_and_twice_alike(network: Api) -> None:
    first, second, third = paid(network, "12.5", "7", "3")
    sent = lines((first, "paid"), (second, "failed"), reason="account closed")
    preview = network.admin.post(RESULTS, **sent, preview="1")["results"]
    assert [(each["line"], each["effect"], each["fault"]) for each in preview] == [(2, "pays", ""), (3, "cancels", "")]
    assert statuses(network) == ["created"] * 3
    assert [each["effect"] for each in network.admin.post(RESULTS, **sent)["results"]] == ["pays", "cancels"]
    assert statuses(network) == ["paid", "cancelled", "created"]
    records = {each["id"]: each for each in network.admin.get(RUN)["payments"]}
    assert records[second]["note"] == "Failed: account closed"
    [freed] = network.admin.post(RUN, **{"pid[]": records[second]["pid"]})["payments"]
    assert freed["amount"] == 7, "what failed is available again"
    assert [each["effect"] for each in network.admin.post(RESULTS, **sent)["results"]] == ["none", "none"]
    after = {each["id"]: each for each in network.admin.get(RUN)["payments"]}
    assert {key: after[key] for key in records} == records and in_ledger(network, [first]) == Decimal("12.5")
    assert third in after
    check_books(network)


def test_one_refused_line_stops_the_whole_file(network: Api) -> None:
    first, second, third = paid(network, "12.5", "7", "3")
    network.admin.post(f"{RUN}/{third}", status="paid")
    for wrong, text in (
        (lines((first, "paid"), (999, "paid")), "Line 3: A payment 999 does not exist."),
        (lines((first, "paid"), (third, "failed")), "Line 3: The payment is paid."),
        (lines((first, "paid"), (first, "failed")), "Line 3: Line 2 has the same payment."),
        (lines((first, "paid"), (second, "paid"), amount="12.50"), "Line 3: The payment is of 7, not 12.5."),
        (lines((first, "paid"), currency="USD"), "Line 2: The payment is in EUR, not USD."),
    ):
        answer = network.admin.call("POST", RESULTS, data=wrong)
        assert (answer.status_code, answer.json()["fields"]) == (400, {"results": [text]})
        shown = network.admin.post(RESULTS, **wrong, preview="1")["results"]
        assert [each["fault"] for each in shown if each["fault"]] == [text.partition(": ")[2]]
    assert statuses(network) == ["created", "created", "paid"]
    assert network.admin.call("POST", RESULTS, data={}).status_code == 400


def test_results_are_held_for_a_second_person(network: Api) -> None:
    first, second = paid(network, "12.5", "7")
    careful = strict(network)
    sent = lines((first, "paid"), (second, "failed"))
    answer = careful.admin.post(RESULTS, **sent)
    assert "warnings" in answer and statuses(network) == ["created", "cancelled"]
    assert len(careful.admin.get("/3.1/admin/held-changes", state="waiting")["held_changes"]) == 1
    careful.admin.post(RESULTS, **sent)
    assert len(careful.admin.get("/3.1/admin/held-changes", state="waiting")["held_changes"]) == 1


def dying_after(calls: int, real: Callable[..., Any]) -> Callable[..., Any]:
    """A function that works some times, then ends the process."""
    left = [calls]

    def called(*args: Any, **kwargs: Any) -> Any:
        if not left[0]:
            raise RunKilled
        left[0] -= 1
        return real(*args, **kwargs)

    return called


@pytest.mark.parametrize("step", ["settle_amount", "add_payment", "set_status", "set_texts", "get_payment"])
@pytest.mark.parametrize("calls", [0, 1, 2])
def test_kill_in_the_middle_pays_nothing_twice_and_loses_nothing(
    network: Api, monkeypatch: pytest.MonkeyPatch, step: str, calls: int
) -> None:
    pids = [payee(network) for _ in range(3)]
    for pid in pids:
        earn(network, pid, "10.0051", currency="EUR")
    access = Access(network.caller_of(network.admin), Permission.PAYMENTS_WRITE)
    run = affiliate_payments.PaymentRun(affiliate_ids=pids)
    with monkeypatch.context() as patch, pytest.raises(RunKilled):
        patch.setattr(stored, step, dying_after(calls, getattr(stored, step)))
        affiliate_payments.add_payments(network.deps, access, run)
        results_of(network, access, ("paid", "failed", "paid"))
    check_books(network)
    affiliate_payments.add_payments(network.deps, access, run)
    made = network.admin.get(RUN)["payments"]
    assert sorted(each["amount"] for each in made) == [10, 10, 10], "each is paid once"
    results_of(network, access, ("paid", "failed", "paid"))
    results_of(network, access, ("paid", "failed", "paid"))
    assert sorted(statuses(network)) == ["cancelled", "paid", "paid"]
    assert in_ledger(network, [each["id"] for each in made]) == 20
    check_books(network)


def results_of(api: Api, access: Access, found: tuple[str, ...]) -> None:
    """Apply results to the payments, the oldest first."""
    numbers = sorted(each["id"] for each in api.admin.get(RUN)["payments"])
    sent = [
        ResultLine(line=place, payment_id=number, status=ResultStatus(status))
        for place, (number, status) in enumerate(zip(numbers, found, strict=True), 2)
    ]
    apply_results(api.deps, access, sent)


def at_once(acts: list[Callable[[], Any]]) -> None:
    """Do all of them at the same time."""
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_runs_and_the_same_results_at_once_pay_once(network: Api) -> None:
    pids = [payee(network) for _ in range(3)]
    for pid in pids:
        earn(network, pid, "10", currency="EUR")
    seen = {"pid[]": pids, "amounts[]": ["10"] * 3, "currency": "EUR"}
    at_once([lambda: network.admin.post(RUN, **seen)] * 3)
    numbers = sorted(each["id"] for each in network.admin.get(RUN)["payments"])
    assert len(numbers) == 3 and in_ledger(network, numbers) == 30
    sent = lines((numbers[0], "paid"), (numbers[1], "failed"), (numbers[2], "paid"))
    answers: list[int] = []
    at_once([lambda: answers.append(network.admin.call("POST", RESULTS, data=sent).status_code)] * 3)
    assert answers == [200] * 3 and statuses(network) == ["paid", "cancelled", "paid"]
    assert in_ledger(network, numbers) == 20
    check_books(network)
