"""Money that leaves the house is of whole units, through each door (docs/spec/money.md#units)."""

import csv
import io
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from sqlalchemy import update

from tests.api.money.test_affiliate_payments import earn
from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import NOON
from tests.support.models.history import add_conversion
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.domain.money.units import unit_of
from trackyard.store.money.ledger import list_balances
from trackyard.store.tables import payment_request

CURRENCIES = ("USD", "EUR", "JPY", "KWD", "CLP", "BHD")
_numbers: Iterator[int] = iter(count(500_000))


@pytest.fixture
def network(api: Api) -> Api:
    """An installation with currencies of 0, 2 and 3 places."""
    for code in CURRENCIES[1:]:
        api.admin.post("/3.1/admin/currencies", code=code, rate="1.25")
    return api


class Account:
    """An affiliate that earned 1102.7549 in a currency."""

    def __init__(self, api: Api, currency: str) -> None:
        self.api, self.admin, self.currency = api, api.admin, currency
        self.unit = unit_of(currency)
        self.fine = str(5 + self.unit / 10)
        self.pid, self.client = api.add_affiliate()
        earn(api, self.pid, "1000.0049", currency=currency)
        earn(api, self.pid, "102.75", currency=currency)

    @property
    def available(self) -> Decimal:
        with self.api.deps.database.read() as conn:
            [found] = list_balances(conn, [self.pid])
        return found.available

    def payments(self) -> list[Decimal]:
        """Return the amounts of the payments, as the file of payments has them."""
        answer = self.admin.call("GET", "/3.1/admin/payments", params={"pid[]": self.pid, "format": "csv"})
        return [Decimal(each["amount"]) for each in csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff")))]

    def ask(self, amount: str, client: ApiClient | None = None) -> Any:
        body = {"currency": self.currency, "amount": amount}
        return (client or self.client).call("POST", "/3.1/partner/payments/request", data=body)


def _by_payments(account: Account) -> None:
    account.admin.post("/3.1/admin/payments", **{"pid[]": account.pid})


def _by_run(account: Account) -> None:
    account.admin.post("/3.1/payments/generate", aid=account.pid)


def _by_request(account: Account) -> None:
    """Accept a request that was stored before amounts had to be of whole units."""
    made = account.ask("1100").json()["payment_request"]["id"]
    with account.api.deps.database.write() as conn:
        conn.execute(update(payment_request).where(payment_request.c.id == made).values(amount=Decimal("1102.7548")))
    account.admin.post(f"/3.1/admin/payment-requests/{made}/accept")


def _by_whole_request(account: Account) -> None:
    made = account.ask("1100").json()["payment_request"]["id"]
    with account.api.deps.database.write() as conn:
        conn.execute(update(payment_request).where(payment_request.c.id == made).values(amount=account.available))
    account.admin.post(f"/3.1/admin/payment-requests/{made}/accept")


ROUNDING: tuple[Callable[[Account], None], ...] = (_by_payments, _by_run, _by_request, _by_whole_request)


def test_payments_are_rounded_down_and_the_rest_stays_available(network: Api) -> None:
    seen = 0
    for currency in CURRENCIES:
        for door in ROUNDING:
            account = Account(network, currency)
            before = account.available
            door(account)
            [paid] = account.payments()
            assert paid % account.unit == 0 and paid <= before < paid + account.unit, (currency, door.__name__)
            assert account.available == before - paid
            assert account.admin.get("/3.1/admin/payments/due", **{"pid[]": account.pid})["due"] == []
            account.admin.post("/3.1/admin/payments", **{"pid[]": account.pid})
            assert account.payments() == [paid]  # the rest is less than a unit
            seen += 1
    assert seen == 24
    assert [each for each in reconcile(network.deps).differences if "payment" in each.what] == []


def _exact(account: Account) -> Any:
    body = {"aid": account.pid, "sum": account.fine, "currency": account.currency}
    return account.admin.call("POST", "/3.1/payments/create-for-affiliate", data=body), "sum"


def _request(account: Account) -> Any:
    return account.ask(account.fine), "amount"


def _correction(account: Account) -> Any:
    [made] = account.admin.post("/3.1/payments/generate", aid=account.pid)["payments"]
    body = {"revenue": account.fine, "comment": "corrected"}
    return account.admin.call("POST", f"/3.1/payments/{made}/add-correction", data=body), "revenue"


def _invoice(account: Account) -> dict[str, Any]:
    advertiser = account.api.add_advertiser()
    offer = account.api.add_offer(advertiser=advertiser)
    line = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": account.fine}
    return {"supplier_id": advertiser, "currency": account.currency, **line}


def _new_invoice(account: Account) -> Any:
    answer = account.admin.call("POST", "/3.0/admin/advertiser-invoice", data=_invoice(account))
    return answer, "detail[0][amount]"


def _edited_invoice(account: Account) -> Any:
    given = _invoice(account)
    number = account.admin.post("/3.0/admin/advertiser-invoice", **given | {"detail[0][amount]": "5"})["number"]
    given.pop("currency")
    answer = account.admin.call("POST", f"/3.0/admin/advertiser-invoice/{number}", data=given)
    return answer, "detail[0][amount]"


REFUSING: tuple[Callable[[Account], Any], ...] = (_exact, _request, _correction, _new_invoice, _edited_invoice)


def test_sent_sums_finer_than_the_unit_are_refused(network: Api) -> None:
    seen = 0
    for currency in CURRENCIES:
        for door in REFUSING:
            account = Account(network, currency)
            answer, field = door(account)
            sentence = f"This is finer than {account.unit} {currency}, the smallest amount that can be transferred."
            assert (answer.status_code, answer.json()["fields"]) == (400, {field: [sentence]}), door.__name__
            seen += 1
    assert seen == 30


def test_payment_below_the_unit_is_not_made_and_the_reason_is_named(network: Api) -> None:
    pid, client = network.add_affiliate()
    earn(network, pid, "0.0049")
    for path, field in (("/3.1/admin/payments", "pid[]"), ("/3.1/payments/generate", "include_aids[]")):
        made = network.admin.post(path, **{field: pid})
        assert made["payments"] == []
        reason = "0.0049 is less than 0.01 USD, the smallest amount that can be transferred"
        assert [each["reason"] for each in made["skipped"]] == [reason]
    refused = client.call("POST", "/3.1/partner/payments/request", data={"currency": "USD", "amount": "0.0049"})
    assert refused.status_code == 400
    earn(network, pid, "0.0051")
    assert [each["amount"] for each in network.admin.post("/3.1/admin/payments", pid=pid)["payments"]] == [0.01]


def test_changed_payment_keeps_whole_units(network: Api) -> None:
    pid, _ = network.add_affiliate()
    small = earn(network, pid, "1.0049")
    earn(network, pid, "2.0049")
    [number] = network.admin.post("/3.1/payments/generate", aid=pid)["payments"]

    def amount() -> str:
        revenue: str = network.admin.get(f"/3.1/payments/{number}")["payment"]["revenue"]
        return revenue

    assert amount() == "3.00000000"
    network.admin.post(f"/3.1/payments/{number}/add-correction", revenue="0.5", comment="more")
    assert amount() == "3.50000000"
    network.admin.post(f"/3.1/payments/{number}/conversions/delete", **{"conversion_ids[]": small.id})
    assert amount() == "2.50000000"  # 2.0049 and the correction: what the first rounding left is not left twice
    network.admin.post(f"/3.1/payments/delete/{number}")
    with network.deps.database.read() as conn:
        assert [each.available for each in list_balances(conn, [pid])] == [Decimal("3.0098")]
    assert [each for each in reconcile(network.deps).differences if "payment" in each.what] == []


def test_computed_lines_of_invoices_are_of_whole_units(network: Api) -> None:
    advertiser = network.add_advertiser()
    pid, _ = network.add_affiliate()
    for payout in ("10.0049", "7.0077"):
        offer = network.add_offer(advertiser=advertiser)
        sold = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser, "charge": Decimal(payout)}
        add_conversion(network.deps, next(_numbers), **sold, created_at=NOON)
    given = {"supplier_id": advertiser, "currency": "USD", "start_date": "2023-11-15", "end_date": "2023-11-16"}
    number = network.admin.post("/3.0/admin/advertiser-invoice", **given)["number"]
    detail = network.admin.get(f"/3.0/admin/advertiser-invoice/{number}")["message"]["detail"]
    sums = [Decimal(str(each["amount"])) for each in detail if each["amount"]]
    assert len(sums) == 2
    assert (sum(sums), all(each % Decimal("0.01") == 0 for each in sums)) == (Decimal("17.01"), True)
