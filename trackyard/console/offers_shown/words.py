"""Words of the pages of offers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.offers.view_parts import OfferPaymentView, SharedPaymentView
from trackyard.base.texts.marks import LazyText, gettext, lazy_gettext
from trackyard.console.frame import shown
from trackyard.domain.offers.choices import OFFER_STATUS_RULES

STATUSES: Final[Mapping[str, str]] = {status.value: LazyText(rule.label) for status, rule in OFFER_STATUS_RULES.items()}
"""The statuses of offers and their names."""
MARKS: Final[Mapping[str, str]] = {status.value: rule.mark for status, rule in OFFER_STATUS_RULES.items()}
"""Shape and colour of a status."""
PRIVACIES: Final[Mapping[str, str]] = {
    "public": lazy_gettext("Public"),
    "protected": lazy_gettext("Protected"),
    "private": lazy_gettext("Private"),
}
"""In the order of the numbers by which lists filter."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a sentence. strong: whether it is a value that people look for."""

    text: str
    strong: bool = False


Sentence = tuple[Phrase, ...]


def joined(values: Sequence[str], word: str = "and") -> str:
    """Return values as a sentence lists them: A, B and C."""
    last = gettext("or") if word == "or" else gettext("and")
    shown = [str(value) for value in values]
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}" if len(shown) > 1 else "".join(shown)


def amount(value: Decimal | int, kind: str, currency: str) -> str:
    """Return a payout or a charge of a payment: an amount, or a share of the sum.

    kind: fixed, percent, or mixed.
    """
    if kind == "percent":
        return shown.percent(Decimal(value) / 100)
    return shown.exact_money(value, currency)


def payout(payment: SharedPaymentView) -> str:
    """Return the amount that a payment gives the affiliate."""
    return amount(payment.revenue, payment.type, payment.currency)


def charge(payment: OfferPaymentView) -> str:
    """Return the amount that a payment takes from the advertiser; mixed ones take a share of the sum."""
    return amount(payment.total, "fixed" if payment.type == "fixed" else "percent", payment.currency)
