"""What becomes of an inbound call: pure, over what it is handed (docs/spec/conversions.md#inbound-postbacks).

`decide` reads top to bottom like the page: faults in their order, a repeat, a new conversion.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from trackyard.base.money import ZERO, converted, find_amount
from trackyard.domain.conversions.conversions import (
    CUSTOM_FIELDS,
    GOAL_LENGTH,
    SENT_STATUSES,
    CallFacts,
    Change,
    Conversion,
    Decline,
    Fault,
    Terms,
    goal_of,
    identity_of,
    is_out_of_range,
    traits_of,
)
from trackyard.domain.conversions.sessions import DAY_MS, span_ms
from trackyard.domain.conversions.statuses import Mover, Status, may_move
from trackyard.domain.offers.caps import is_reached
from trackyard.domain.offers.counters import Traits
from trackyard.domain.offers.payments import Amounts, Payment, amounts, find_payment
from trackyard.domain.offers.tiers import Modifier, modified, reached

_ONE: Final = Decimal(1)


def decide(
    call: CallFacts, click: Mapping[str, Any], terms: Terms, existing: Conversion | None, new_id: str
) -> Change | Fault:
    """What a call for an accepted click does: the change it makes, or the fault that stops it.

    existing: the conversion of its identity · new_id: the id a new conversion gets.
    """
    for check in FAULTS.values():
        fault = check(call, terms)
        if fault is not None:
            return fault
    return let_in(call, click, terms, existing, new_id)


def let_in(
    call: CallFacts, click: Mapping[str, Any], terms: Terms, existing: Conversion | None, new_id: str
) -> Change | Fault:
    """What a call does that no check of FAULTS stops."""
    after = create(call, click, terms, new_id) if existing is None else _repeat(call, existing, terms)
    if isinstance(after, Fault):
        return after
    if is_out_of_range(after):
        return Fault.WRONG_SUM
    return Change(existing, after, f"call:{call.id}")


# --- faults ---------------------------------------------------------------------------------------------


def _offer_fault(_call: CallFacts, terms: Terms) -> Fault | None:
    return Fault.OFFER_DISABLED if terms.offer.status == "stopped" else None


def _secure_fault(call: CallFacts, terms: Terms) -> Fault | None:
    code = terms.secure
    sent = call.params.get("secure", "")
    return Fault.ACCESS_DENIED if code and not hmac.compare_digest(code.encode(), sent.encode()) else None


def _address_fault(call: CallFacts, terms: Terms) -> Fault | None:
    permitted = terms.offer.callers.permits(call.ip) and terms.advertiser_callers.permits(call.ip)
    return None if permitted else Fault.ADDRESS_DENIED


def _status_fault(call: CallFacts, _terms: Terms) -> Fault | None:
    return None if call.params.get("status", "") in SENT_STATUSES else Fault.WRONG_STATUS


def _sum_fault(call: CallFacts, _terms: Terms) -> Fault | None:
    return Fault.WRONG_SUM if call.params.get("sum") and find_amount(call.params["sum"]) is None else None


def _currency_fault(call: CallFacts, terms: Terms) -> Fault | None:
    currency = call.params.get("currency", "").upper()
    return Fault.WRONG_CURRENCY if currency and currency not in terms.rates else None


FAULTS: Final[Mapping[str, Callable[[CallFacts, Terms], Fault | None]]] = {
    "offer": _offer_fault,
    "secure": _secure_fault,
    "address": _address_fault,
    "status": _status_fault,
    "sum": _sum_fault,
    "currency": _currency_fault,
}
"""What stops a call for an accepted click, in its order; none needs another."""


# --- a repeat -------------------------------------------------------------------------------------------


def _repeat(call: CallFacts, stored: Conversion, terms: Terms) -> Conversion | Fault:
    sent = SENT_STATUSES[call.params.get("status", "")]
    if sent is stored.sent_status:
        return Fault.EXISTS
    if not may_move(Mover.CALL, stored.status, sent):
        return Fault.NOT_PENDING
    status, hold_until = held(sent, terms.offer.hold_days, stored.created_at, call.time)
    after = replace(
        stored,
        version=stored.version + 1,
        status=status,
        sent_status=sent,
        hold_until=hold_until,
        comment=call.params.get("comment") or stored.comment,
        updated_at=max(call.time, stored.updated_at),
    )
    if stored.status not in terms.offer.caps.statuses and _is_over(terms, status, stored.traits):
        after = replace(after, status=Status.DECLINED, hold_until=None, comment=Decline.CAP_REACHED)
    if call.params.get("sum") or call.params.get("currency"):
        after = _priced(after, call.params, terms)
    return after


def held(sent: Status, hold_days: int, created_at: int, now_ms: int) -> tuple[Status, int | None]:
    """The status that a sent one leads to, and when a hold ends by itself."""
    until = created_at + hold_days * DAY_MS
    if hold_days > 0 and (sent is Status.HOLD or (sent is Status.CONFIRMED and until > now_ms)):
        return Status.HOLD, until
    return sent, None


# --- a new conversion -----------------------------------------------------------------------------------


def create(call: CallFacts, click: Mapping[str, Any], terms: Terms, new_id: str) -> Conversion | Fault:
    """The conversion that a call for an accepted click makes, declined on arrival or not."""
    params, offer = call.params, terms.offer
    goal, arrival = goal_of(params), arrival_of(call, click, terms)
    payment = arrival.payment
    if payment is not None and payment.currency not in terms.rates:
        return Fault.WRONG_CURRENCY
    decline = _decline_of(arrival)
    status, hold_until = (arrival.status, arrival.hold_until) if decline is None else (Status.DECLINED, None)
    modifiers = reached(offer.ladders, arrival.traits, terms.counts) if payment else ()
    currency = payment.currency if payment else terms.platform_currency
    rate = terms.rates[currency]
    worth = _worth(payment, modifiers, _sent_sum(params, ZERO, currency, rate, terms))
    return Conversion(
        id=new_id,
        offer_id=offer.id,
        goal=goal,
        identity=identity_of(params, click["id"]),
        version=1,
        action_id=params.get("action_id", "")[:GOAL_LENGTH],
        affiliate_id=click["affiliate"],
        advertiser_id=click["advertiser"],
        status=status,
        sent_status=arrival.sent,
        goal_title=((payment.title if payment else "") or goal)[:GOAL_LENGTH],
        comment=decline or params.get("comment", ""),
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
        custom_fields={str(n): params[f"custom_field{n}"] for n in CUSTOM_FIELDS if params.get(f"custom_field{n}")},
        click_id=click["id"],
        click_time=click["time"],
        click=click,
        call_ip=(params.get("ip") or call.ip)[:45],
        user_id=(params.get("user_id") or click["user_id"])[:GOAL_LENGTH],
        journal=call.journal,
        position=call.position,
        hold_until=hold_until,
        created_at=call.time,
        updated_at=call.time,
        referrer_id=terms.referral.referrer_id,
        referral_percent=terms.referral.percent,
    )


def _is_over(terms: Terms, status: Status, traits: Traits) -> bool:
    """Whether a cap refuses that a call brings a conversion into a status."""
    caps = terms.offer.caps
    return status in caps.statuses and is_reached(caps, traits, terms.counts)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A new conversion before it is decided whether it is declined. sent: the status meant · status, hold_until: what
    it is to have · payment: what it is to earn."""

    call: CallFacts
    click: Mapping[str, Any]
    terms: Terms
    payment: Payment | None
    sent: Status
    status: Status
    hold_until: int | None

    @property
    def traits(self) -> Traits:
        """Where it is to count."""
        return traits_of(self.call, self.click)

    @property
    def age_ms(self) -> int:
        """Time since the click; a negative one counts as 0."""
        return max(0, self.call.time - int(self.click["time"]))


def arrival_of(call: CallFacts, click: Mapping[str, Any], terms: Terms) -> Arrival:
    """What a call, whose status is one, is to make."""
    offer, sent = terms.offer, SENT_STATUSES[call.params.get("status", "")]
    payment = find_payment(offer.payments, offer.personal_payments, click["affiliate"], goal_of(call.params), click)
    status, hold_until = held(sent, offer.hold_days, call.time, call.time)
    return Arrival(call, click, terms, payment, sent, status, hold_until)


def _affiliate_decline(arrival: Arrival) -> Decline | None:
    status = arrival.terms.affiliate_status
    if status == "active":
        return None
    return Decline.PARTNER_BANNED if status == "banned" else Decline.PARTNER_DISABLED


def _session_decline(arrival: Arrival) -> Decline | None:
    return Decline.SESSION_OVER if arrival.age_ms > span_ms(arrival.terms.offer.session) else None


def _min_session_decline(arrival: Arrival) -> Decline | None:
    return Decline.SESSION_TOO_YOUNG if arrival.age_ms < span_ms(arrival.terms.offer.min_session) else None


def _address_decline(arrival: Arrival) -> Decline | None:
    return Decline.SAME_ADDRESS if arrival.terms.offer.unique_ip and arrival.terms.converted else None


def _payment_decline(arrival: Arrival) -> Decline | None:
    return Decline.NO_PAYMENT if arrival.payment is None else None


def _cap_decline(arrival: Arrival) -> Decline | None:
    return Decline.CAP_REACHED if _is_over(arrival.terms, arrival.status, arrival.traits) else None


DECLINES: Final[Mapping[str, Callable[[Arrival], Decline | None]]] = {
    "affiliate": _affiliate_decline,
    "click session": _session_decline,
    "minimal click session": _min_session_decline,
    "ip duplicate": _address_decline,
    "payment": _payment_decline,
    "caps": _cap_decline,
}
"""Why a new conversion is declined on arrival: the first reason counts."""


def _decline_of(arrival: Arrival) -> Decline | None:
    for check in DECLINES.values():
        decline = check(arrival)
        if decline is not None:
            return decline
    return None


def _priced(conversion: Conversion, params: Mapping[str, str], terms: Terms) -> Conversion:
    """The conversion with the amounts that the sum of a call gives it: the payment and the rate stay its own."""
    sent = _sent_sum(params, conversion.sum, conversion.currency, conversion.rate, terms)
    worth = _worth(conversion.payment, conversion.modifiers, sent)
    return replace(
        conversion,
        sum=worth.sum,
        charge=worth.charge,
        payout=worth.payout,
        charge_base=converted(worth.charge, conversion.rate, _ONE),
        payout_base=converted(worth.payout, conversion.rate, _ONE),
    )


def _sent_sum(params: Mapping[str, str], stored: Decimal, currency: str, rate: Decimal, terms: Terms) -> Decimal:
    """The sum that a call sends, in the currency of its conversion, whose rate is known; else the stored one."""
    if not params.get("sum"):
        return stored
    sent, named = find_amount(params["sum"]), params.get("currency", "").upper() or currency
    if sent is None:
        raise ValueError("the sum was not checked")
    return sent if named == currency else converted(sent, terms.rates[named], terms.rates.get(currency, rate))


def _worth(payment: Payment | None, modifiers: Sequence[Modifier], order_sum: Decimal) -> Amounts:
    worth = amounts(payment, order_sum) if payment else Amounts(order_sum, ZERO, ZERO)
    return modified(worth, modifiers)
