"""The money of an affiliate: its balance, requests and payments (docs/spec/console.md#portal)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import affiliate_payments, payment_requests
from trackyard.api.money.affiliate_payments import OwnPaymentView
from trackyard.api.money.payment_requests import OwnPaymentRequestView
from trackyard.api.people import affiliates, own_account
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame import shown
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.money_shown.words import ENTRY_KINDS, REQUEST_MARKS, REQUEST_STATUSES
from trackyard.console.portal.lists import FilterChoice, chosen_value, paged, set_filters

pages = Pages()

PATH: Final = "/portal/payments"
PER_PAGE: Final = 30
STATUSES: Final = {
    "created": lazy_gettext("Being paid"),
    "pending": lazy_gettext("Waiting"),
    "partly_paid": lazy_gettext("Partly paid"),
    "paid": lazy_gettext("Paid"),
    "cancelled": lazy_gettext("Cancelled"),
}
_IN_WORDS: Final = {
    "created": lazy_gettext("The payment is made, and the money is not sent yet."),
    "pending": lazy_gettext("The payment is made, and waits. The money is not sent yet."),
    "partly_paid": lazy_gettext("A part of the money was sent."),
    "paid": lazy_gettext("The money was sent."),
    "cancelled": lazy_gettext("The payment was cancelled: its amount is available again."),
}
_KINDS: Final = {
    "created": "pending",
    "pending": "pending",
    "partly_paid": "pending",
    "paid": "confirmed",
    "cancelled": "declined",
}
"""Status of a payment to the class of its mark."""
_STATUS: Final = FilterChoice("status", lazy_gettext("Status"), tuple(STATUSES.items()), is_fixed=True)
_MOST_CREATED: Final = 1000
_BEING_PAID: Final = ("created", "pending", "partly_paid")
_LATEST_REQUESTS: Final = 10


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


@pages.get(PATH, audience="affiliate", needs=(affiliates.show_balance, affiliate_payments.list_own))
def payments(request: PageRequest) -> PageAnswer:
    """Show what is available, on hold, requested and being paid, the latest requests, and the payments."""
    calls, address = request.calls, request.address
    sent = [("status[]", value) for value in (chosen_value(address, _STATUS),) if value]
    if (file := list_file(request, affiliate_payments.list_own, lambda answer: answer.payments, sent)) is not None:
        return file
    paging = [("limit", str(PER_PAGE)), ("page", str(address.page))]
    answer = calls.ask(affiliate_payments.list_own, [*sent, *paging])
    return request.page(
        "portal/payments.html",
        balances=_balances(request),
        requests=calls.ask(payment_requests.list_own, [("limit", str(_LATEST_REQUESTS))]).payment_requests,
        request_statuses=REQUEST_STATUSES,
        request_marks=REQUEST_MARKS,
        rows=answer.payments,
        statuses=STATUSES,
        kinds=_KINDS,
        chips=set_filters(address, (_STATUS,)),
        **paged(answer.pagination),
        systems=calls.ask(own_account.list_payment_systems).payment_systems,
        api_request_path=calls.address(affiliate_payments.list_own, sent),
    )


@pages.post(f"{PATH}/requests/{{id}}/withdraw", audience="affiliate", needs=(payment_requests.withdraw,))
def withdraw(request: PageRequest) -> PageAnswer:
    """Take a request back."""
    try:
        request.calls.ask(payment_requests.withdraw, path=request.path)
    except RequestError as refusal:
        if refusal.status != 409:
            raise
        return Redirect(PATH, gettext("The request is decided already."))
    return Redirect(PATH, gettext("The request is withdrawn."))


@pages.get(
    f"{PATH}/{{id}}", audience="affiliate", needs=(affiliate_payments.list_own, affiliate_payments.list_own_entries)
)
def payment(request: PageRequest) -> PageAnswer:
    """Show a payment, its state in words, and what it pays."""
    calls, number = request.calls, request.key
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise NotFound
    found = calls.ask(affiliate_payments.list_own, [("id[]", number)]).payments
    if not found:
        raise NotFound
    paging = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    answer = calls.ask(affiliate_payments.list_own_entries, paging, {"id": number})
    return request.page(
        "portal/payment.html",
        payment=found[0],
        state=STATUSES[found[0].status],
        kind=_KINDS[found[0].status],
        in_words=_IN_WORDS[found[0].status],
        rows=answer.entries,
        entry_kinds=ENTRY_KINDS,
        **paged(answer.pagination),
        systems=calls.ask(own_account.list_payment_systems).payment_systems,
        api_request_path=calls.address(affiliate_payments.list_own_entries, path={"id": number}),
    )


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


def _balances(request: PageRequest) -> list[OwnBalance]:
    """Return the sums of each currency, that of the platform first."""
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
