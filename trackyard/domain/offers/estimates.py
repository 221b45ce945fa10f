"""What the terms of an offer make of recorded conversions (docs/spec/offers.md#estimates). Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.base.ids import names_no_click
from trackyard.base.money import ZERO, converted, converted_exactly
from trackyard.domain.conversions.conversions import DECLINED, Conversion, DeclineReason, OfferTerms
from trackyard.domain.conversions.decisions import apply_hold, apply_quality, is_suspicious
from trackyard.domain.conversions.sessions import duration_ms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.choices import QualityMode
from trackyard.domain.offers.payments import compute_amounts, find_payment
from trackyard.domain.offers.tiers import apply_modifiers

_ONE: Final = Decimal(1)
_RECONSIDERED: Final = (
    DeclineReason.SESSION_OVER,
    DeclineReason.SESSION_TOO_YOUNG,
    DeclineReason.NO_PAYMENT,
    DeclineReason.SUSPICIOUS,
)
"""The decline reasons that payments, session lengths and the quality decide."""


@dataclass(frozen=True, slots=True)
class TermsOutcome:
    """The result of terms for some conversions.

    conversions: number that count; declined: by the session length, the quality, or without a payment.
    on_hold: number of counting conversions that are on hold now.
    charge, payout: in the platform's currency.
    """

    conversions: int = 0
    declined: int = 0
    on_hold: int = 0
    charge: Decimal = ZERO
    payout: Decimal = ZERO


def is_decided_by_terms(conversion: Conversion) -> bool:
    """Return whether an edit of payments or session lengths can change the result of a conversion.

    It cannot when the conversion was declined for another reason.
    """
    return conversion.status not in DECLINED or conversion.comment in _RECONSIDERED


def sum_outcomes(outcomes: Iterable[TermsOutcome]) -> TermsOutcome:
    """Return the sum of outcomes."""
    total = TermsOutcome()
    for each in outcomes:
        total = TermsOutcome(
            total.conversions + each.conversions,
            total.declined + each.declined,
            total.on_hold + each.on_hold,
            total.charge + each.charge,
            total.payout + each.payout,
        )
    return total


def outcome_of(conversion: Conversion, terms: OfferTerms, rates: Mapping[str, Decimal], now_ms: int) -> TermsOutcome:
    """Return the outcome of terms for a recorded conversion.

    The conversion keeps its sent status, its sum and the tiers that it reached. rates: for the day of its postback.
    """
    age_ms = max(0, conversion.created_at - conversion.click_time)
    payment = find_payment(
        terms.payments, terms.personal_payments, conversion.affiliate_id, conversion.goal, conversion.click
    )
    rate = None if payment is None else rates.get(payment.currency)
    is_timed = not names_no_click(conversion.click_id)
    is_in_session = duration_ms(terms.min_session) <= age_ms <= duration_ms(terms.session)
    if payment is None or rate is None or (is_timed and not is_in_session):
        return TermsOutcome(declined=1)
    is_suspect = is_suspicious(conversion.click, conversion.signals)
    if is_suspect and terms.quality is QualityMode.REJECT:
        return TermsOutcome(declined=1)
    is_same = payment.currency == conversion.currency
    order_sum = conversion.sum if is_same else converted_exactly(conversion.sum, conversion.rate, rate)
    worth = apply_modifiers(compute_amounts(payment, order_sum), conversion.modifiers)
    arrived = apply_hold(conversion.sent_status, terms.hold_ms, conversion.created_at, now_ms)
    status, until, _ = apply_quality(*arrived, terms, is_suspect)
    return TermsOutcome(
        conversions=1,
        on_hold=int(status is Status.HOLD and (until is None or until > now_ms)),
        charge=converted(worth.charge, rate, _ONE),
        payout=converted(worth.payout, rate, _ONE),
    )
