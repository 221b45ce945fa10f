"""Words of the pages of money."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeVar

from trackyard.actions.deps import Deps
from trackyard.api.money import currencies
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import total_of
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.staff.faults import fault_of
from trackyard.wire.endpoint import A, Endpoint

R = TypeVar("R")
PAYMENT_STATUSES: Final[Mapping[str, str]] = {
    "created": lazy_gettext("To be paid"),
    "pending": lazy_gettext("Waiting"),
    "partly_paid": lazy_gettext("Partly paid"),
    "paid": lazy_gettext("Paid"),
    "cancelled": lazy_gettext("Cancelled"),
}
PAYMENT_MARKS: Final[Mapping[str, str]] = {
    "created": "pending",
    "pending": "pending",
    "partly_paid": "pending",
    "paid": "confirmed",
    "cancelled": "declined",
}
INVOICE_STATUSES: Final[Mapping[str, str]] = {"unpaid": lazy_gettext("Unpaid"), "paid": lazy_gettext("Paid")}
INVOICE_MARKS: Final[Mapping[str, str]] = {"unpaid": "pending", "paid": "confirmed"}
HELD_STATES: Final[Mapping[str, str]] = {
    "waiting": lazy_gettext("Waiting"),
    "confirmed": lazy_gettext("Confirmed"),
    "refused": lazy_gettext("Refused"),
    "replaced": lazy_gettext("Replaced"),
}
HELD_MARKS: Final[Mapping[str, str]] = {
    "waiting": "pending",
    "confirmed": "confirmed",
    "refused": "declined",
    "replaced": "suspended",
}
Sums = Mapping[str, Decimal]
"""Amounts by currency."""


def currency_choices(request: PageRequest) -> Choices:
    """Return the currencies of the platform; its own alone where the person may not list them."""
    codes = {request.deps.currency}
    if request.calls.may(currencies.list_all):
        quotes = request.calls.ask(currencies.list_all).quotes
        codes |= set(quotes) if isinstance(quotes, dict) else {each.code for each in quotes}
    return tuple((code, code) for code in sorted(codes))


def sums_of(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Return the sum of amounts by currency."""
    found: dict[str, Decimal] = {}
    for currency, amount in amounts:
        found[currency] = found.get(currency, Decimal(0)) + amount
    return dict(sorted(found.items()))


def sums_text(sums: Sums) -> str:
    """Return amounts in all their currencies; an em dash without one."""
    return " + ".join(shown.money(amount, currency) for currency, amount in sums.items()) or "\N{EM DASH}"


def read_or_fault(
    request: PageRequest, method: Endpoint[Deps, A], rows: Callable[[A], Sequence[R]], sent: Sequence[Pair]
) -> tuple[Sequence[R], int, str]:
    """Return the rows of a list, their total, and why the API refused the filters.

    rows: returns the rows of an answer.
    """
    try:
        answer = request.calls.ask(method, sent)
    except RequestError as refusal:
        return [], 0, fault_of(refusal)
    return rows(answer), total_of(answer), ""
