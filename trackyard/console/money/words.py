"""Words of the pages of money, for staff and affiliates."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final, TypeVar

from trackyard.api.money import currencies
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame import shown
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices

R = TypeVar("R")
PAYMENT_STATUSES: Final[Mapping[str, str]] = {
    "created": lazy_gettext("To be paid"),
    "pending": lazy_gettext("Waiting"),
    "partly_paid": lazy_gettext("Partly paid"),
    "paid": lazy_gettext("Paid"),
    "cancelled": lazy_gettext("Cancelled"),
}
OWN_PAYMENT_STATUSES: Final[Mapping[str, str]] = {**PAYMENT_STATUSES, "created": lazy_gettext("Being paid")}
"""Statuses of payments in the words of affiliates."""
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
ENTRY_KINDS: Final[Mapping[str, str]] = {
    "conversion": lazy_gettext("Conversion"),
    "change": lazy_gettext("Later change"),
    "relabel": lazy_gettext("Change of the currency"),
    "referral": lazy_gettext("Referral share"),
    "referral_relabel": lazy_gettext("Change of the currency of a share"),
    "correction": lazy_gettext("Correction"),
    "advance": lazy_gettext("Paid ahead of later conversions"),
}
"""What a payment pays, in words."""
OTHER_ENTRIES: Final = ("correction", "advance")
"""Kinds that come from no conversion."""
PROPOSAL_REASONS: Final[Mapping[str, str]] = {
    "debt": lazy_gettext("It owes money: the next conversions settle it."),
    "nothing_due": lazy_gettext("Nothing is available."),
    "not_yet_due": lazy_gettext("Its payment terms have not passed yet."),
    "below_unit": lazy_gettext("It is less than the currency can transfer."),
    "below_minimum": lazy_gettext("It is less than the least payment."),
    "inactive": lazy_gettext("The affiliate is not active."),
    "suspected": lazy_gettext("Health has findings about its traffic."),
    "findings_unread": lazy_gettext("The findings about its traffic cannot be read now."),
    "no_payee": lazy_gettext("It has not said how it wants to be paid in this currency."),
    "payee_changed": lazy_gettext("Its payment systems changed in the last 24 hours."),
}
"""Why a run does not propose an affiliate, in words."""
REQUEST_STATUSES: Final[Mapping[str, str]] = {
    "open": lazy_gettext("Waits for a decision"),
    "accepted": lazy_gettext("Accepted"),
    "rejected": lazy_gettext("Rejected"),
    "withdrawn": lazy_gettext("Withdrawn"),
}
REQUEST_MARKS: Final[Mapping[str, str]] = {
    "open": "pending",
    "accepted": "confirmed",
    "rejected": "declined",
    "withdrawn": "suspended",
}
Sums = Mapping[str, Decimal]
"""Amounts by currency."""


def currency_choices(request: PageRequest) -> Choices:
    """Return the currencies of payments, the platform's first.

    There is no other for people who may not list them.
    """
    quotes = request.calls.ask(currencies.list_all).quotes if request.calls.may(currencies.list_all) else {}
    others = sorted(quotes if isinstance(quotes, dict) else (each.code for each in quotes))
    return tuple((code, code) for code in dict.fromkeys((request.deps.currency, *others)))


def sums_of(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Return the sum of amounts by currency."""
    found: dict[str, Decimal] = {}
    for currency, amount in amounts:
        found[currency] = found.get(currency, Decimal(0)) + amount
    return dict(sorted(found.items()))


def sums_text(sums: Sums) -> str:
    """Return amounts in all their currencies; an em dash without one."""
    return " + ".join(shown.money(amount, currency) for currency, amount in sums.items()) or "\N{EM DASH}"
