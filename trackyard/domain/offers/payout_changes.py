"""Changes of payouts for affiliates (docs/spec/events.md#changes-of-offers). Pure."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from trackyard.base.money import ZERO
from trackyard.domain.offers.goals import DEFAULT_GOAL, goal_key, is_same_goal
from trackyard.domain.offers.offers import Offer, OfferPayment
from trackyard.domain.offers.payments import PaymentType, payment_name
from trackyard.domain.offers.visibility import payments_for
from trackyard.domain.platform.mails.values import MailPayout, PayoutChange

_ByGoal = dict[str, list[OfferPayment]]


def compare_payouts(before: Iterable[OfferPayment], after: Iterable[OfferPayment]) -> tuple[PayoutChange, ...]:
    """Return the goals with other payouts, or other conditions, than before. Charges do not count."""
    old, new = _by_goal(before), _by_goal(after)
    return tuple(
        PayoutChange(
            _name([*new.get(key, ()), *old.get(key, ())]), _payouts(old.get(key, ())), _payouts(new.get(key, ()))
        )
        for key in dict.fromkeys([*new, *old])
        if _terms(old.get(key, ())) != _terms(new.get(key, ()))
    )


def find_own_changes(before: Offer, after: Offer) -> Iterator[tuple[int, tuple[PayoutChange, ...]]]:
    """Yield the affiliates with payouts of their own, before or after, and what changes for each."""
    payments = (*before.partner_payments, *after.partner_payments)
    for affiliate_id in sorted({each for payment in payments for each in payment.partners}):
        changes = compare_payouts(payments_for(before, affiliate_id), payments_for(after, affiliate_id))
        if changes:
            yield affiliate_id, changes


def own_payees(offer: Offer) -> frozenset[int]:
    """Return the affiliates with payouts of their own."""
    return frozenset(each for payment in offer.partner_payments for each in payment.partners)


def _by_goal(payments: Iterable[OfferPayment]) -> _ByGoal:
    found: _ByGoal = {}
    for payment in payments:
        found.setdefault(goal_key(payment.goal), []).append(payment)
    return found


def _terms(payments: Sequence[OfferPayment]) -> list[OfferPayment]:
    """Return the payments as affiliates see them, without other affiliates."""
    return [
        msgspec.structs.replace(each, total=ZERO, partners=(), title="", goal_alias="", goal="") for each in payments
    ]


def _payouts(payments: Sequence[OfferPayment]) -> tuple[MailPayout, ...]:
    made = (MailPayout(each.revenue, each.currency, each.type is PaymentType.PERCENT) for each in payments)
    return tuple(dict.fromkeys(made))


def _name(payments: Sequence[OfferPayment]) -> str:
    """Return the name of a goal; "" for the one goal of offers that have no others."""
    unnamed = "" if is_same_goal(payments[0].goal, DEFAULT_GOAL) else payments[0].goal
    return next((name for each in payments if (name := payment_name(each.title, each.goal_alias))), unnamed)
