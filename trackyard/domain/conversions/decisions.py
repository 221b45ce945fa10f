"""Decides an inbound postback. Pure.

docs/spec/conversions.md#inbound-postbacks. `decide` has the order of the page: faults, a repeat, a new conversion.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from trackyard.base.money import ZERO, converted, converted_exactly, rounded
from trackyard.domain.conversions.conversions import (
    Conversion,
    ConversionChange,
    DecisionTerms,
    DeclineReason,
    OfferTerms,
    is_out_of_range,
)
from trackyard.domain.conversions.pixel_pages import is_on_page
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback
from trackyard.domain.conversions.sessions import duration_ms
from trackyard.domain.conversions.signatures import is_signature_of, is_timely
from trackyard.domain.conversions.statuses import ChangeOrigin, Status, is_transition_allowed
from trackyard.domain.offers.caps import is_reached
from trackyard.domain.offers.choices import QualityMode
from trackyard.domain.offers.counters import Traits
from trackyard.domain.offers.goals import GOAL_LENGTH
from trackyard.domain.offers.payments import Amounts, Payment, compute_amounts, find_payment
from trackyard.domain.offers.promo_codes import PromoCodeTerms
from trackyard.domain.offers.tiers import Modifier, apply_modifiers, reached_modifiers
from trackyard.domain.statistics.quality.conversion_signals import is_marking, signals_of
from trackyard.domain.statistics.quality.origins import is_marked
from trackyard.domain.tracking.near_misses import BLANKS

_ONE: Final = Decimal(1)


def decide(
    postback: ReceivedPostback, click: Mapping[str, Any], terms: DecisionTerms, existing: Conversion | None, new_id: str
) -> ConversionChange | PostbackError:
    """Return the change that a postback for an accepted click makes, or its fault.

    existing: the conversion of its identity.
    new_id: the id of a new conversion.
    """
    for check in POSTBACK_CHECKS.values():
        fault = check(postback, terms)
        if fault is not None:
            return fault
    return create_or_update(postback, click, terms, existing, new_id)


def create_or_update(
    postback: ReceivedPostback, click: Mapping[str, Any], terms: DecisionTerms, existing: Conversion | None, new_id: str
) -> ConversionChange | PostbackError:
    """Return the change of a postback that passes POSTBACK_CHECKS, or its fault."""
    if existing is None:
        after = create_conversion(postback, click, terms, new_id)
    elif is_announcement(postback, terms):
        return PostbackError.EXISTS
    else:
        after = _update_existing(postback, existing, terms)
    if isinstance(after, PostbackError):
        return after
    if is_out_of_range(after):
        return PostbackError.WRONG_SUM
    return ConversionChange(existing, after, f"call:{postback.id}")


def with_promo_code(change: ConversionChange, terms: PromoCodeTerms) -> ConversionChange | PostbackError:
    """Return the new conversion of a promo code, or why the code makes none."""
    if not terms.is_valid_at(change.after.created_at):
        return PostbackError.PROMO_CODE_OVER
    if terms.is_used_up:
        return PostbackError.PROMO_CODE_USED
    return replace(change, after=replace(change.after, promo_code=terms.promo_code.code))


def _check_offer(_postback: ReceivedPostback, terms: DecisionTerms) -> PostbackError | None:
    return PostbackError.OFFER_DISABLED if terms.offer.status.rule.is_over else None


def _check_pixel(postback: ReceivedPostback, terms: DecisionTerms) -> PostbackError | None:
    if postback.page is None:
        return None
    if not terms.offer.pixels:
        return PostbackError.PIXELS_OFF
    return None if is_on_page(postback.page, terms.offer.pixel_pages) else PostbackError.PAGE_DENIED


def _check_secure_code(postback: ReceivedPostback, terms: DecisionTerms) -> PostbackError | None:
    announces = is_announcement(postback, terms)
    code, sent = terms.offer.pixel_code if announces else terms.secure, postback.secure.strip(BLANKS)
    if not code:
        return PostbackError.ACCESS_DENIED if announces else None
    return None if hmac.compare_digest(code.strip(BLANKS).encode(), sent.encode()) else PostbackError.ACCESS_DENIED


def _check_signature(postback: ReceivedPostback, terms: DecisionTerms) -> PostbackError | None:
    secret = terms.signing_secret
    if secret is None or postback.page is not None:  # a pixel cannot keep a secret: it only announces
        return None
    if not is_signature_of(postback.signature, secret, postback.signed_text):
        return PostbackError.WRONG_SIGNATURE
    return None if is_timely(postback.ts, postback.time) else PostbackError.SIGNATURE_EXPIRED


def is_announcement(postback: ReceivedPostback, terms: DecisionTerms) -> bool:
    """Return whether a postback can make a pending conversion only.

    It is a pixel where postbacks need a code or a signature: every visitor knows the code of pixels.
    """
    return postback.page is not None and (terms.needs_code or terms.signing_secret is not None)


def _check_address(postback: ReceivedPostback, terms: DecisionTerms) -> PostbackError | None:
    permitted = terms.offer.address_lists.permits(postback.ip) and terms.advertiser_address_lists.permits(postback.ip)
    return None if permitted else PostbackError.ADDRESS_DENIED


def _check_parameter(fault: PostbackError) -> Callable[[ReceivedPostback, DecisionTerms], PostbackError | None]:
    return lambda postback, _terms: fault if fault in postback.faults else None


def _check_currency(postback: ReceivedPostback, terms: DecisionTerms) -> PostbackError | None:
    unknown = postback.currency and postback.currency not in terms.rates
    return PostbackError.WRONG_CURRENCY if unknown else None


POSTBACK_CHECKS: Final[Mapping[str, Callable[[ReceivedPostback, DecisionTerms], PostbackError | None]]] = {
    "offer": _check_offer,
    "pixel": _check_pixel,
    "secure": _check_secure_code,
    "signature": _check_signature,
    "address": _check_address,
    "status": _check_parameter(PostbackError.WRONG_STATUS),
    "sum": _check_parameter(PostbackError.WRONG_SUM),
    "currency": _check_currency,
}
"""The checks of a postback for an accepted click, in order; they are independent."""


def _update_existing(
    postback: ReceivedPostback, stored: Conversion, terms: DecisionTerms
) -> Conversion | PostbackError:
    sent = postback.status
    if sent is stored.sent_status:
        return PostbackError.EXISTS
    if not is_transition_allowed(ChangeOrigin.POSTBACK, stored.status, sent):
        return PostbackError.NOT_PENDING
    arrived = apply_hold(sent, terms.offer.hold_ms, stored.created_at, postback.time)
    status, hold_until, is_held = apply_quality(*arrived, terms.offer, is_suspicious(stored.click, stored.signals))
    after = replace(
        stored,
        version=stored.version + 1,
        status=status,
        sent_status=sent,
        hold_until=hold_until,
        quality_held=is_held,
        comment=DeclineReason.SUSPICIOUS if is_held else postback.comment or stored.comment,
        updated_at=max(postback.time, stored.updated_at),
    )
    if stored.status not in terms.offer.caps.statuses and _is_cap_reached(terms, status, stored.traits):
        after = replace(after, status=Status.DECLINED, hold_until=None, quality_held=False)
        after = replace(after, comment=DeclineReason.CAP_REACHED)
    if postback.sum is not None or postback.currency:
        after = _reprice(after, postback, terms)
    return after


def apply_hold(sent: Status, hold_ms: int, created_at: int, now_ms: int) -> tuple[Status, int | None]:
    """Return the status that follows from a sent one, and when a hold ends by itself."""
    until = created_at + hold_ms
    if hold_ms > 0 and (sent is Status.HOLD or (sent is Status.CONFIRMED and until > now_ms)):
        return Status.HOLD, until
    return sent, None


def apply_quality(
    status: Status, hold_until: int | None, offer: OfferTerms, is_suspect: bool
) -> tuple[Status, int | None, bool]:
    """Return the status, the end of its hold, and whether the quality holds it.

    What is not to be confirmed by itself waits for people anyway, and stays as it is.
    is_suspect: whether the conversion is suspicious.
    """
    if is_suspect and offer.quality is QualityMode.HOLD and (status is Status.CONFIRMED or hold_until is not None):
        return Status.HOLD, None, True
    return status, hold_until, False


def is_suspicious(click: Mapping[str, Any], signals: int) -> bool:
    """Return whether a conversion or its click has a suspicious signal; older records of clicks have none.

    signals: the conversion's signals.
    """
    return is_marked(click.get("origin", 0)) or is_marking(signals)


def create_conversion(
    postback: ReceivedPostback, click: Mapping[str, Any], terms: DecisionTerms, new_id: str
) -> Conversion | PostbackError:
    """Return the conversion that a postback for an accepted click makes, declined or not."""
    offer, arrival = terms.offer, draft_conversion(postback, click, terms)
    payment = arrival.payment
    if payment is not None and payment.currency not in terms.rates:
        return PostbackError.WRONG_CURRENCY
    decline = _find_decline(arrival)
    modifiers = reached_modifiers(offer.tier_groups, arrival.traits, terms.counts) if payment else ()
    rate = terms.rates[currency := payment.currency if payment else terms.platform_currency]
    worth = _compute_amounts(payment, modifiers, _sent_sum(postback, ZERO, currency, rate, terms))
    return Conversion(
        id=new_id,
        offer_id=offer.id,
        goal=postback.goal,
        identity=postback.identity_for(click["id"]),
        version=1,
        action_id=postback.action_id.strip()[:GOAL_LENGTH],
        affiliate_id=click["affiliate"],
        advertiser_id=click["advertiser"],
        sent_status=arrival.postback.status,
        goal_title=((payment.title if payment else "") or postback.goal)[:GOAL_LENGTH],
        payment=payment,
        modifiers=modifiers,
        payment_type=payment.type if payment else "fixed",
        currency=currency,
        rate=rate,
        sum=worth.sum,
        charge=worth.charge,
        payout=worth.payout,
        charge_base=converted(worth.charge, rate, _ONE),
        payout_base=converted(worth.payout, rate, _ONE),
        custom_fields=postback.custom_fields,
        click_id=click["id"],
        click_time=click["time"],
        click=click,
        **_caller_of(postback, click),
        **_state_of(arrival, decline),
        user_id=(postback.user_id or click["user_id"])[:GOAL_LENGTH],
        journal=postback.journal,
        position=postback.position,
        created_at=postback.time,
        updated_at=postback.time,
        referrer_id=terms.referral.referrer_id,
        referral_percent=terms.referral.percent,
        repeated=decline is DeclineReason.REPEATED,
        signals=arrival.signals,
        forgiven=postback.forgiven,
    )


def _state_of(arrival: "ConversionDraft", decline: DeclineReason | None) -> dict[str, Any]:
    if decline is not None:
        return {"status": Status.DECLINED, "comment": decline, "hold_until": None}
    held = {"hold_until": arrival.hold_until, "quality_held": arrival.quality_held}
    return {"status": arrival.status, "comment": arrival.comment, **held}


def _caller_of(postback: ReceivedPostback, click: Mapping[str, Any]) -> dict[str, Any]:
    """Return the caller's columns of a conversion; a pixel is expected at its click's IP address."""
    is_marked = postback.page is None and postback.ip != "" and postback.ip == click["ip"]
    return {"call_ip": (postback.reported_ip or postback.ip)[:45], "from_click_address": is_marked}


def _is_cap_reached(terms: DecisionTerms, status: Status, traits: Traits) -> bool:
    """Return whether a full cap rejects a change into a status."""
    caps = terms.offer.caps
    return status in caps.statuses and is_reached(caps, traits, terms.counts)


@dataclass(frozen=True, slots=True)
class ConversionDraft:
    """A new conversion before the checks that may decline it.

    status, hold_until: without a decline.
    quality_held: whether it is on hold because it is suspicious.
    payment: None = no payment matches.
    """

    postback: ReceivedPostback
    click: Mapping[str, Any]
    terms: DecisionTerms
    payment: Payment | None
    status: Status
    hold_until: int | None
    quality_held: bool
    signals: int

    @property
    def comment(self) -> str:
        """Return the comment without a decline."""
        is_named = self.terms.offer.quality is QualityMode.MARK and self.is_suspicious
        if self.quality_held or (is_named and not self.postback.comment):
            return DeclineReason.SUSPICIOUS
        return self.postback.comment

    @property
    def is_suspicious(self) -> bool:
        """Return whether it or its click has a suspicious signal."""
        return is_suspicious(self.click, self.signals)

    @property
    def traits(self) -> Traits:
        """Return the traits by which it counts."""
        return self.postback.traits_for(self.click)

    @property
    def age_ms(self) -> int:
        """Return the time since the click, at least 0."""
        return _age_ms(self.postback, self.click)


def draft_conversion(postback: ReceivedPostback, click: Mapping[str, Any], terms: DecisionTerms) -> ConversionDraft:
    """Return the conversion that a postback without faults is about to make."""
    offer = terms.offer
    if is_announcement(postback, terms):
        postback = replace(postback, status=Status.PENDING)
    payment = find_payment(offer.payments, offer.personal_payments, click["affiliate"], postback.goal, click)
    arrived = apply_hold(postback.status, offer.hold_ms, postback.time, postback.time)
    signals = signals_of(_age_ms(postback, click), terms.usual, terms.converted)
    state = apply_quality(*arrived, offer, is_suspicious(click, signals))
    return ConversionDraft(postback, click, terms, payment, *state, signals)


def _age_ms(postback: ReceivedPostback, click: Mapping[str, Any]) -> int:
    return max(0, postback.time - int(click["time"]))


def _check_affiliate(arrival: ConversionDraft) -> DeclineReason | None:
    status = arrival.terms.affiliate_status
    if status is None:
        return DeclineReason.PARTNER_DISABLED
    return DeclineReason(status.rule.decline_reason) if status.rule.decline_reason else None


def _check_session(arrival: ConversionDraft) -> DeclineReason | None:
    return DeclineReason.SESSION_OVER if arrival.age_ms > duration_ms(arrival.terms.offer.session) else None


def _check_min_session(arrival: ConversionDraft) -> DeclineReason | None:
    return DeclineReason.SESSION_TOO_YOUNG if arrival.age_ms < duration_ms(arrival.terms.offer.min_session) else None


def _check_repeat(arrival: ConversionDraft) -> DeclineReason | None:
    terms = arrival.terms
    return DeclineReason.REPEATED if terms.offer.once_per_click and terms.converted_by_click else None


def _check_unique_address(arrival: ConversionDraft) -> DeclineReason | None:
    return DeclineReason.SAME_ADDRESS if arrival.terms.offer.unique_ip and arrival.terms.converted else None


def _check_payment(arrival: ConversionDraft) -> DeclineReason | None:
    return DeclineReason.NO_PAYMENT if arrival.payment is None else None


def _check_quality(arrival: ConversionDraft) -> DeclineReason | None:
    is_rejected = arrival.terms.offer.quality is QualityMode.REJECT and arrival.is_suspicious
    return DeclineReason.SUSPICIOUS if is_rejected else None


def _check_caps(arrival: ConversionDraft) -> DeclineReason | None:
    return DeclineReason.CAP_REACHED if _is_cap_reached(arrival.terms, arrival.status, arrival.traits) else None


DECLINE_CHECKS: Final[Mapping[str, Callable[[ConversionDraft], DeclineReason | None]]] = {
    "affiliate": _check_affiliate,
    "click session": _check_session,
    "minimal click session": _check_min_session,
    "one conversion per click": _check_repeat,
    "ip duplicate": _check_unique_address,
    "payment": _check_payment,
    "quality": _check_quality,
    "caps": _check_caps,
}
"""The checks that decline a new conversion on arrival; the first reason counts."""


def _find_decline(arrival: ConversionDraft) -> DeclineReason | None:
    return next((decline for check in DECLINE_CHECKS.values() if (decline := check(arrival)) is not None), None)


def _reprice(conversion: Conversion, postback: ReceivedPostback, terms: DecisionTerms) -> Conversion:
    """Return the conversion with amounts by the sum of a postback; payment and rate stay."""
    sent = _sent_sum(postback, conversion.sum, conversion.currency, conversion.rate, terms)
    worth = _compute_amounts(conversion.payment, conversion.modifiers, sent)
    return replace(
        conversion,
        sum=worth.sum,
        charge=worth.charge,
        payout=worth.payout,
        charge_base=converted(worth.charge, conversion.rate, _ONE),
        payout_base=converted(worth.payout, conversion.rate, _ONE),
    )


def _sent_sum(
    postback: ReceivedPostback, stored: Decimal, currency: str, rate: Decimal, terms: DecisionTerms
) -> Decimal:
    """Return the sum of a postback in the currency of its conversion with all its places.

    By default it is the stored sum.
    """
    if postback.sum is None:
        return stored
    named = postback.currency or currency
    return (
        postback.sum
        if named == currency
        else converted_exactly(postback.sum, terms.rates[named], terms.rates.get(currency, rate))
    )


def _compute_amounts(payment: Payment | None, modifiers: Sequence[Modifier], order_sum: Decimal) -> Amounts:
    """Return the amounts of a conversion.

    order_sum: with all its places, so that a percentage rounds once.
    """
    worth = compute_amounts(payment, order_sum) if payment else Amounts(order_sum, ZERO, ZERO)
    return replace(apply_modifiers(worth, modifiers), sum=rounded(order_sum))
