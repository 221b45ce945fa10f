"""What becomes of an inbound call: pure, over what it is handed (behaviour.md §5).

`decide` reads top to bottom like the page: parse, faults in their order, a repeat, a new conversion.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from trackyard.base.money import LIMIT, ZERO, converted, find_amount
from trackyard.domain.addresses import ANYONE, AddressLists
from trackyard.domain.caps import NO_CAPS, Caps, is_reached
from trackyard.domain.counters import Count, Traits
from trackyard.domain.payments import DEFAULT_GOAL, Amounts, Payment, amounts, find_payment
from trackyard.domain.referrals import NO_REFERRAL, Referral
from trackyard.domain.sessions import DAY_MS, span_ms
from trackyard.domain.statuses import Mover, Status, may_move
from trackyard.domain.tiers import Ladder, Modifier, modified, reached

GOAL_LENGTH: Final = 255
CUSTOM_FIELDS: Final = range(1, 8)


class Fault(StrEnum):
    """Why a call changes nothing: the text in the server postback log."""

    NO_CLICKID = "Missing mandatory parameter clickid"
    BROKEN_CLICKID = "Broken clickid"
    CLICK_FORGOTTEN = "Click session lifespan is expired"
    OFFER_DISABLED = "Offer disabled"
    ACCESS_DENIED = "Access denied"
    ADDRESS_DENIED = "Current IP-address is denied"
    WRONG_STATUS = "Wrong status"
    WRONG_SUM = "Wrong sum"
    WRONG_CURRENCY = "Wrong currency"
    EXISTS = "Conversion exists"
    NOT_PENDING = "Conversion status is not pending"
    NO_CONVERSION = "Conversion does not exist"
    NO_CHANGE = "Nothing to change"


class Decline(StrEnum):
    """Why a conversion is declined on arrival: its comment."""

    PARTNER_BANNED = "Partner is banned"
    PARTNER_DISABLED = "Partner is disabled"
    SESSION_OVER = "Click session lifespan is expired"
    SESSION_TOO_YOUNG = "Min click session lifespan is not reached"
    SAME_ADDRESS = "IP duplicate"
    NO_PAYMENT = "Payments not found"
    CAP_REACHED = "Cap is reached"


SENT_STATUSES: Final[Mapping[str, Status]] = {
    "": Status.CONFIRMED,
    "1": Status.CONFIRMED,
    "2": Status.PENDING,
    "3": Status.DECLINED,
    "4": Status.DECLINED,
    "5": Status.HOLD,
}
"""Status as sent → status meant; none = confirmed."""


@dataclass(frozen=True, slots=True)
class OfferTerms:
    """What a decision needs of an offer. `secure`: its own code or None · session, min_session: how old its clicks may
    and must be, as staff wrote it · unique_ip: whether a click's address converts once a goal."""

    id: int
    advertiser_id: str
    title: str
    status: str
    payments: tuple[Payment, ...]
    personal_payments: tuple[Payment, ...]
    hold_days: int
    secure: str | None
    callers: AddressLists = ANYONE
    caps: Caps = NO_CAPS
    ladders: tuple[Ladder, ...] = ()
    session: str = "1y"
    min_session: str = "0s"
    unique_ip: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """What a decision needs of the installation: codes, the affiliate, currency rates by code.

    rates: units of the currency for one of the platform's, at the day of the call; the platform's own is 1 · counts:
    by name, the counters of the offer's caps and ladders that the conversion may count in · converted: conversions of
    this offer and goal, not declined, from the address of the click; 0 where nobody asks.
    """

    offer: OfferTerms
    affiliate_status: str
    advertiser_secure: str | None
    platform_secure: str | None
    platform_currency: str
    rates: Mapping[str, Decimal]
    advertiser_callers: AddressLists = ANYONE
    counts: Mapping[str, Count] = field(default_factory=dict)
    referral: Referral = NO_REFERRAL
    converted: int = 0

    @property
    def secure(self) -> str | None:
        """The code that a call must carry: the most specific one that is set."""
        return self.offer.secure or self.advertiser_secure or self.platform_secure


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One inbound call. time: UTC ms, becomes the creation time · params: by canonical name."""

    id: str
    time: int
    ip: str
    params: Mapping[str, str]
    journal: str
    position: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion as it is stored. Times UTC ms · amounts in `currency`, *_base in the platform's at `rate` ·
    modifiers: the steps of commission tiers that were reached when it was made ·
    click: its click's record by column name · hold_until: when the hold ends by itself, None = never · referrer_id,
    referral_percent: who gets how much of its payouts on top, as it was when it was made; None = nobody."""

    id: str
    offer_id: int
    goal: str
    identity: str
    version: int
    action_id: str
    affiliate_id: int
    advertiser_id: str
    status: Status
    sent_status: Status
    goal_title: str
    comment: str
    payment: Payment | None
    modifiers: tuple[Modifier, ...]
    payment_type: str
    currency: str
    rate: Decimal
    sum: Decimal
    charge: Decimal
    payout: Decimal
    charge_base: Decimal
    payout_base: Decimal
    custom_fields: Mapping[str, str]
    click_id: str
    click_time: int
    click: Mapping[str, Any]
    call_ip: str
    user_id: str
    journal: str
    position: int
    hold_until: int | None
    created_at: int
    updated_at: int
    referrer_id: int | None = None
    referral_percent: Decimal = ZERO

    @property
    def traits(self) -> Traits:
        """What decides in which counters of caps and tiers it counts."""
        return Traits(self.goal, self.affiliate_id, self.click["country"][:2], self.created_at)


@dataclass(frozen=True, slots=True)
class Change:
    """A conversion before and after; before None = it is new. actor: who did it (tables.conversion_event)."""

    before: Conversion | None
    after: Conversion
    actor: str


def goal_of(params: Mapping[str, str]) -> str:
    """The goal value that a call names."""
    return params.get("goal", "")[:GOAL_LENGTH] or DEFAULT_GOAL


def identity_of(params: Mapping[str, str], click_id: str) -> str:
    """What makes a conversion of an offer and goal one: the action id when one is sent, else the click."""
    action_id = params.get("action_id", "")
    if not action_id:
        return f"c:{click_id}"
    if len(action_id) > GOAL_LENGTH:  # longer than its column: the digest keeps different ones apart
        return f"h:{hashlib.sha256(action_id.encode()).hexdigest()}"
    return f"a:{action_id}"


def find_early_fault(
    params: Mapping[str, str], click: Mapping[str, Any] | None, *, forgotten: bool = False
) -> Fault | None:
    """The faults that need neither offer nor conversion. click None: there is no click of that id · forgotten: the id
    is that of a click which is kept no more (sessions.is_forgotten), removed already or not."""
    if not params.get("clickid"):
        return Fault.NO_CLICKID
    if forgotten:
        return Fault.CLICK_FORGOTTEN
    if click is None or click["reason"]:
        return Fault.BROKEN_CLICKID
    return None


def decide(
    call: CallFacts, click: Mapping[str, Any], terms: Terms, existing: Conversion | None, new_id: str
) -> Change | Fault:
    """What a call for an accepted click does: the change it makes, or the fault that stops it.

    existing: the conversion of its identity · new_id: the id a new conversion gets.
    """
    faults = (check(call, terms) for check in FAULTS.values())
    fault = next((found for found in faults if found is not None), None)
    return fault or let_in(call, click, terms, existing, new_id)


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


def is_out_of_range(conversion: Conversion) -> bool:
    """Whether an amount is too large to be stored: a sum in range can leave it by its currency or by percents."""
    amounts_of = (conversion.charge, conversion.payout, conversion.charge_base, conversion.payout_base)
    return max(conversion.sum, *amounts_of) >= LIMIT


def end_hold(conversion: Conversion, now_ms: int) -> Change:
    """The hold of a conversion ends by itself: it is confirmed. Raises ValueError for one that is not on hold."""
    if not may_move(Mover.HOLD_END, conversion.status, Status.CONFIRMED):
        raise ValueError(f"{conversion.id} is not on hold")
    after = replace(
        conversion,
        version=conversion.version + 1,
        status=Status.CONFIRMED,
        hold_until=None,
        updated_at=now_ms,
    )
    return Change(conversion, after, "job:hold")


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
    sent, status, hold_until = arrival.sent, arrival.status, arrival.hold_until
    declines = (check(arrival) for check in DECLINES.values())
    decline = next((found for found in declines if found is not None), None)
    if decline is not None:
        status, hold_until = Status.DECLINED, None
    conversion = Conversion(
        id=new_id,
        offer_id=offer.id,
        goal=goal,
        identity=identity_of(params, click["id"]),
        version=1,
        action_id=params.get("action_id", "")[:GOAL_LENGTH],
        affiliate_id=click["affiliate"],
        advertiser_id=click["advertiser"],
        status=status,
        sent_status=sent,
        goal_title=((payment.title if payment else "") or goal)[:GOAL_LENGTH],
        comment=decline or params.get("comment", ""),
        payment=payment,
        modifiers=reached(offer.ladders, arrival.traits, terms.counts) if payment else (),
        payment_type=payment.type if payment else "fixed",
        currency=payment.currency if payment else terms.platform_currency,
        rate=terms.rates[payment.currency if payment else terms.platform_currency],
        sum=ZERO,
        charge=ZERO,
        payout=ZERO,
        charge_base=ZERO,
        payout_base=ZERO,
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
    return _priced(conversion, params, terms)


def traits_of(call: CallFacts, click: Mapping[str, Any]) -> Traits:
    """What decides in which counters the conversion counts that a call makes."""
    return Traits(goal_of(call.params), click["affiliate"], click["country"][:2], call.time)


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


def _priced(conversion: Conversion, params: Mapping[str, str], terms: Terms) -> Conversion:
    """The conversion with the amounts that the sum of a call gives it: the payment and the rate stay its own."""
    sent = find_amount(params["sum"]) if params.get("sum") else conversion.sum
    currency = params.get("currency", "").upper() or conversion.currency
    if sent is None:
        raise ValueError("the sum was not checked")
    if params.get("sum") and currency != conversion.currency:
        sent = converted(sent, terms.rates[currency], terms.rates.get(conversion.currency, conversion.rate))
    worth = amounts(conversion.payment, sent) if conversion.payment else Amounts(sent, ZERO, ZERO)
    worth = modified(worth, conversion.modifiers)
    return replace(
        conversion,
        sum=worth.sum,
        charge=worth.charge,
        payout=worth.payout,
        charge_base=converted(worth.charge, conversion.rate, Decimal(1)),
        payout_base=converted(worth.payout, conversion.rate, Decimal(1)),
    )


def currencies_of(offers: Sequence[OfferTerms], calls: Sequence[CallFacts], platform: str) -> set[str]:
    """The currencies whose rates decisions on these calls need."""
    found = {platform} | {call.params["currency"].upper() for call in calls if call.params.get("currency")}
    for offer in offers:
        found |= {item.currency for item in (*offer.payments, *offer.personal_payments)}
    return found
