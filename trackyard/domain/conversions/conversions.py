"""Conversions, and the terms of a decision on an inbound postback (docs/spec/conversions.md). Pure."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from trackyard.base.money import MAX_AMOUNT, ZERO
from trackyard.domain.conversions.postbacks import ReceivedPostback
from trackyard.domain.conversions.statuses import ChangeOrigin, Status, is_transition_allowed
from trackyard.domain.money.referrals import NO_REFERRAL, Referral
from trackyard.domain.offers.caps import NO_CAPS, Caps
from trackyard.domain.offers.choices import OfferStatus, QualityMode
from trackyard.domain.offers.counters import Count, Traits
from trackyard.domain.offers.payments import Payment
from trackyard.domain.offers.tiers import Modifier, TierGroup
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.statistics.quality.conversion_signals import UsualTimes
from trackyard.domain.tracking.ip_lists import ANY_ADDRESS, AddressLists

DECLINED: Final = (Status.DECLINED, Status.NOT_FOUND)
"""The statuses of a conversion that does not count as one of its click or address."""


class DeclineReason(StrEnum):
    """Why a conversion is declined on arrival; it becomes the comment."""

    PARTNER_BANNED = "Partner is banned"
    PARTNER_DISABLED = "Partner is disabled"
    SESSION_OVER = "Click session lifespan is expired"
    SESSION_TOO_YOUNG = "Min click session lifespan is not reached"
    REPEATED = "Repeated conversion"
    SAME_ADDRESS = "IP duplicate"
    NO_PAYMENT = "Payments not found"
    SUSPICIOUS = "Suspicious traffic"
    CAP_REACHED = "Cap is reached"


@dataclass(frozen=True, slots=True)
class OfferTerms:
    """The terms of a decision that come from the offer.

    secure: its own code or None.
    session, min_session: greatest and least age of its clicks, as staff wrote it.
    unique_ip: whether the address of a click converts only once a goal.
    once_per_click: whether a click converts only once a goal.
    quality: what is done with suspicious conversions.
    pixels: whether pixels report conversions; pixel_pages: hosts of their pages, () = any; pixel_code: "" = none.
    """

    id: int
    advertiser_id: str
    title: str
    status: OfferStatus
    payments: tuple[Payment, ...]
    personal_payments: tuple[Payment, ...]
    hold_ms: int
    secure: str | None
    address_lists: AddressLists = ANY_ADDRESS
    caps: Caps = NO_CAPS
    tier_groups: tuple[TierGroup, ...] = ()
    session: str = "1y"
    min_session: str = "0s"
    unique_ip: bool = False
    once_per_click: bool = False
    quality: QualityMode = QualityMode.COUNT
    pixels: bool = True
    pixel_pages: tuple[str, ...] = ()
    pixel_code: str = ""

    @property
    def paid_goals(self) -> Iterator[str]:
        """Return the goals of its payments, as they are spelled."""
        return (item.goal for item in (*self.payments, *self.personal_payments))


@dataclass(frozen=True, slots=True)
class DecisionTerms:
    """The terms of a decision.

    affiliate_status: None = the affiliate does not exist.
    rates: units of each currency for one unit of the platform's currency, on the day of the postback.
    counts: the counters of the offer's caps and tiers in which the conversion may count, by name.
    converted: conversions of this offer and goal, not declined, from the click's IP address.
    converted_by_click: the same for the click; 0 when no check needs it.
    usual: the usual time from click to conversion for this goal; None = not known.
    signing_secret: the secret for the advertiser's postbacks; None = they need no signature.
    needs_code: whether pixels need the offer's pixel code, and only announce (docs/spec/conversions.md#pixels).
    """

    offer: OfferTerms
    affiliate_status: AffiliateStatus | None
    advertiser_secure: str | None
    platform_secure: str | None
    platform_currency: str
    rates: Mapping[str, Decimal]
    advertiser_address_lists: AddressLists = ANY_ADDRESS
    counts: Mapping[str, Count] = field(default_factory=dict)
    referral: Referral = NO_REFERRAL
    converted: int = 0
    converted_by_click: int = 0
    usual: UsualTimes | None = None
    needs_code: bool = False
    signing_secret: str | None = None

    @property
    def secure(self) -> str | None:
        """Return the code that a postback must carry: the most specific one."""
        return self.offer.secure or self.advertiser_secure or self.platform_secure


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion as it is stored. Times are UTC milliseconds.

    Amounts are in `currency`; *_base are in the platform's at `rate`.
    modifiers: the steps of commission tiers that were reached when it was made.
    click: the record of its click by column name.
    hold_until: when the hold ends by itself; None = never.
    referrer_id, referral_percent: the referrer and its share of payouts when it was made; None = no referrer.
    repeated: whether it was declined on arrival because its click had converted; declined, it is in no counter.
    from_click_address: whether the postback of a server that made it came from the address of its click.
    quality_held: whether it is on hold because it is suspicious.
    signals: what is unusual about it, besides its click (docs/spec/quality.md#conversions).
    promo_code: the code that made it without a click of a visitor; None = a click did.
    forgiven: what was wrong with its postback and was taken all the same, bits of domain/tracking/forgiven.py.
    """

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
    repeated: bool = False
    from_click_address: bool = False
    quality_held: bool = False
    signals: int = 0
    promo_code: str | None = None
    forgiven: int = 0

    def counts_in(self, statuses: Container[Status]) -> bool:
        """Return whether a cap or tier that counts these statuses counts it."""
        return self.status in statuses and not (self.repeated and self.status in DECLINED)

    @property
    def has_payment(self) -> bool:
        """Return whether a payment matched when it was made."""
        return self.payment is not None

    @property
    def traits(self) -> Traits:
        """Return the traits that select its counters of caps and tiers."""
        return Traits(self.goal, self.affiliate_id, self.click["country"][:2], self.created_at)


@dataclass(frozen=True, slots=True)
class ConversionChange:
    """A conversion before and after a change; before None = it is new.

    actor: who made the change (tables.conversion_event).
    """

    before: Conversion | None
    after: Conversion
    actor: str


@dataclass(frozen=True, slots=True)
class ConversionHistoryEntry:
    """One state of a conversion in its history. actor: call:<record id>, job:hold, staff:<id>; at: UTC ms."""

    version: int
    at: int
    actor: str
    status: str
    charge: Decimal
    payout: Decimal
    currency: str
    comment: str


def is_out_of_range(conversion: Conversion) -> bool:
    """Return whether an amount is too large to be stored.

    A currency or a percentage can move a sum out of range.
    """
    amounts_of = (conversion.charge, conversion.payout, conversion.charge_base, conversion.payout_base)
    return max(conversion.sum, *amounts_of) >= MAX_AMOUNT


def end_hold(conversion: Conversion, now_ms: int) -> ConversionChange:
    """Confirm a conversion on hold. Raises ValueError for one that is not on hold."""
    if not is_transition_allowed(ChangeOrigin.HOLD_END, conversion.status, Status.CONFIRMED):
        raise ValueError(f"{conversion.id} is not on hold")
    after = replace(
        conversion,
        version=conversion.version + 1,
        status=Status.CONFIRMED,
        hold_until=None,
        updated_at=now_ms,
    )
    return ConversionChange(conversion, after, "job:hold")


def currencies_of(offers: Iterable[OfferTerms], postbacks: Iterable[ReceivedPostback], platform: str) -> set[str]:
    """Return the currencies for which decisions on these postbacks need rates."""
    found = {platform} | {postback.currency for postback in postbacks if postback.currency}
    for offer in offers:
        found |= {item.currency for item in (*offer.payments, *offer.personal_payments)}
    return found
