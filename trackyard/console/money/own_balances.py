"""The balances of an affiliate, on its own pages."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import affiliate_payments, payment_requests
from trackyard.api.money.affiliate_payments import OwnPaymentView
from trackyard.api.money.payment_requests import OwnPaymentRequestView
from trackyard.api.people import affiliates
from trackyard.console.frame import shown
from trackyard.console.frame.request import PageRequest

_MOST_CREATED: Final = 1000
_BEING_PAID: Final = ("created", "pending", "partly_paid")


@dataclass(frozen=True, slots=True)
class OwnBalance:
    """The sums of a currency in words.

    may_ask: whether the affiliate may ask to be paid what is available.
    """

    currency: str
    available: str
    hold: str
    requested: str
    being_paid: str
    may_ask: bool


def sums_being_paid(request: PageRequest) -> dict[str, Decimal]:
    """Return the sums of payments that are not executed yet, by currency."""
    asked = [*(("status[]", status) for status in _BEING_PAID), ("limit", str(_MOST_CREATED))]
    return _sums(request.calls.ask(affiliate_payments.list_own, asked).payments)


def requested_sums(request: PageRequest) -> dict[str, Decimal]:
    """Return the sums of open payment requests, by currency."""
    asked = [("status[]", "open"), ("limit", str(_MOST_CREATED))]
    return _sums(request.calls.ask(payment_requests.list_own, asked).payment_requests)


def _sums(rows: Iterable[OwnPaymentView | OwnPaymentRequestView]) -> dict[str, Decimal]:
    sums = defaultdict[str, Decimal](Decimal)
    for each in rows:
        sums[each.currency] += each.amount
    return dict(sums)


def own_balances(request: PageRequest) -> list[OwnBalance]:
    """Return the sums of each currency, the platform's first."""
    balance = request.calls.ask(affiliates.show_balance).balance
    requested, being_paid = requested_sums(request), sums_being_paid(request)
    sums = {
        "available": balance.available,
        "hold": balance.hold,
        "requested": requested,
        "being_paid": being_paid,
    }
    platform = request.deps.currency
    found = {code for each in sums.values() for code, value in each.items() if value} | {platform}
    codes = sorted(found, key=lambda code: (code != platform, code))
    return [
        OwnBalance(
            **{name: shown.money(each.get(code, Decimal(0)), code) for name, each in sums.items()},
            currency=code,
            may_ask=code not in requested and balance.available.get(code, 0) > 0,
        )
        for code in codes
    ]
