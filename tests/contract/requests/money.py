"""Requests for methods of requests to be paid, corrections and statements."""

from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.base.ids import new_id
from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.money.payment_requests import PaymentRequest, PaymentRequestFilter, PaymentRequestStatus
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.scope import Scope
from trackyard.store.money import ledger, payment_requests

_PAID = f"{7:024x}"
"""The conversion of which every payment of these requests pays an entry."""
_versions = count(2)
_ASKED = {"currency": "USD", "amount": "5"}


def good_params(pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    return {
        "admin.correction.add": {"pid": str(pid), "currency": "USD", "amount": "-2.5", "comment": "Fee of the bank"},
        "admin.payment-request.reject": {"reason": "The account number is wrong."},
        "payments.list": {"date_from": "2023-11-01", "date_to": "2023-11-30"},
        "payment.correction.add": {"revenue": "2.5", "comment": "Bonus"},
        "payments.remove": {"ids[]": "1"},
        "payment.conversions.remove": {"conversion_ids[]": _PAID},
        "balance.statement": {"pid": str(pid), "date_from": "2023-11-01", "date_to": "2023-11-30"},
        "partner.payment-request.add": _ASKED,
    }


def path_subjects(api: Api) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods."""
    methods = ("admin.payment-request.accept", "admin.payment-request.reject")
    made = dict.fromkeys(methods, lambda: add_request(api, earner(api, api.admin)))
    changes = ("get", "edit", "remove", "remove-by-post", "correction.add", "conversions.remove")
    made |= dict.fromkeys((f"payment.{what}" for what in changes), lambda: add_payment(api))
    return made | {"payment.correction.remove": lambda: add_correction(api, add_payment(api))}


def own_params(api: Api) -> dict[str, Callable[[ApiClient], dict[str, Any]]]:
    """Make the state with which each of these methods succeeds for a client."""

    def with_money(client: ApiClient) -> dict[str, Any]:
        earner(api, client)
        return {}

    return {"partner.payment-request.add": with_money}


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Subjects of the paths of these methods, which belong to the client."""

    def payment(client: ApiClient) -> int:
        made = api.admin.post("/3.1/admin/payments", **{"pid[]": earner(api, client)})
        return int(made["payments"][0]["id"])

    def paid(client: ApiClient) -> int:
        number = payment(client)
        api.admin.post(f"/3.1/admin/payments/{number}", status="paid")
        return number

    return {
        "partner.payment.document": paid,
        "partner.payment-request.withdraw": lambda client: add_request(api, earner(api, client)),
        "partner.payment.entries": payment,
    }


def made_params(api: Api) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds, which are made for every request."""

    def with_account() -> int:
        number = add_payment(api)
        api.admin.post(f"/3.1/payments/{number}", payment_account="PayPal: ann@shop.example")
        return number

    return {
        "admin.payments.file": {"template": "paypal", "id[]": with_account},
        "admin.payments.results": {"results[0][payment]": lambda: add_payment(api), "results[0][status]": "paid"},
    }


def add_payment(api: Api) -> int:
    """The number of a new payment of two entries, which staff may change."""
    pid, now = earner(api, api.admin), api.clock.now_ms()
    entry = LedgerEntry(pid, "change", _PAID, next(_versions), "USD", ZERO, Decimal(4), now)
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])
    return int(api.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"][0]["id"])


def add_correction(api: Api, number: int) -> int:
    """The number of a new correction of a payment."""
    api.admin.post(f"/3.1/payments/{number}/add-correction", revenue="1.5", comment="Bonus")
    made = api.admin.get(f"/3.1/payments/{number}")["payment"]["additional_payments"]
    return max(map(int, made))


def earner(api: Api, client: ApiClient) -> int:
    """The affiliate of a client, or a new one, with 5 that are available and without an open request."""
    caller, now = api.caller_of(client), api.clock.now_ms()
    pid = caller.id if isinstance(caller, AffiliateCaller) else api.add_affiliate()[0]
    entry = LedgerEntry(pid, "conversion", new_id(now), 1, "USD", ZERO, Decimal(5), now)
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])
        is_open = PaymentRequestFilter(affiliate_ids=[pid], statuses=[PaymentRequestStatus.OPEN])
        found, _ = payment_requests.list_requests(conn, Scope.everything(), is_open, page=1, limit=10)
        for each in found:
            payment_requests.edit_request(conn, each.id, {"status": PaymentRequestStatus.WITHDRAWN})
    return pid


def add_request(api: Api, pid: int) -> int:
    """The number of a new request of an affiliate."""
    now = api.clock.now_ms()
    new = PaymentRequest(
        affiliate_id=pid, currency="USD", amount=Decimal(5), system_id=None, comment="", created_at=now, updated_at=now
    )
    with api.deps.database.write() as conn:
        return payment_requests.add_request(conn, new).id
