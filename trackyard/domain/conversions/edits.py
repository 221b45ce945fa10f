"""Edits of stored conversions and imports of new ones, by staff. Pure.

docs/spec/conversions.md#edits-and-imports.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from trackyard.base.money import MAX_AMOUNT, ZERO, converted, rounded
from trackyard.domain.conversions.conversions import (
    DECLINED,
    Conversion,
    ConversionChange,
    DecisionTerms,
    is_out_of_range,
)
from trackyard.domain.conversions.decisions import apply_hold, create_conversion
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback
from trackyard.domain.conversions.statuses import ChangeOrigin, Status, is_transition_allowed
from trackyard.domain.offers.caps import NO_CAPS
from trackyard.domain.offers.choices import QualityMode
from trackyard.domain.offers.goals import trimmed_goal
from trackyard.domain.offers.payments import Payment, compute_amounts, needs_sum
from trackyard.domain.people.affiliates import AffiliateStatus

_ONE = Decimal(1)


class ConversionEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A queued edit of one conversion. None = unchanged.

    payout, charge: in the conversion's currency, after `currency` has relabelled its amounts.
    custom_fields: by number; an empty text removes one, absent ones stay.
    releases: whether it changes only a conversion that is still on hold.
    takes_zero: whether a declined conversion may count with 0 for which no payment matched.
    """

    conversion_id: str
    status: Status | None = None
    currency: str | None = None
    payout: Decimal | None = None
    charge: Decimal | None = None
    comment: str | None = None
    custom_fields: dict[str, str] = msgspec.field(default_factory=dict)
    releases: bool = False
    takes_zero: bool = True

    @property
    def affects_counters(self) -> bool:
        """Return whether it may change counters of caps and tiers."""
        return self.status is not None or self.currency is not None or self.payout is not None

    def counts_with_zero(self, stored: "StoredAmounts") -> bool:
        """Return whether a declined conversion would count with 0 for which no payment matched.

        Amounts that the edit has were chosen.
        """
        if self.status is None or self.status in DECLINED or stored.status not in DECLINED or stored.has_payment:
            return False
        return not (stored.charge or stored.payout) and self.charge is None and self.payout is None


class StoredAmounts(Protocol):
    """What a stored conversion pays, and whether a payment matched when it was made."""

    @property
    def status(self) -> Status:
        """Return its status."""

    @property
    def charge(self) -> Decimal:
        """Return the charge: the amount that the advertiser pays."""

    @property
    def payout(self) -> Decimal:
        """Return the payout: the amount that the affiliate gets."""

    @property
    def has_payment(self) -> bool:
        """Return whether a payment matched."""


class ConversionImport(msgspec.Struct, frozen=True, kw_only=True):
    """A queued import of a conversion.

    status: None = as for an inbound postback without a status.
    sum: the amount that the visitor paid, in the payment's currency.
    ip, ua: the visitor's IP address and user agent.
    custom_fields: by number.
    click: the record of the given click, by column name; None = the import makes a click.
    is_own: whether the affiliate itself reports it.
    at: when the conversion was made, UTC ms; None = at the request.
    crosses: whether the offer's cross_postback_url is called.
    country: the visitor's country, which replaces the country of `ip`; "" = the country of `ip`.
    charge, payout: amounts that replace the payment's, in its currency; without a payment in the platform's.
    takes_zero: whether it is made with 0 where ZeroCause applies.
    """

    offer_id: int
    affiliate_id: int
    goal: str
    action_id: str = ""
    ip: str = ""
    ua: str = ""
    sum: Decimal | None = None
    status: Status | None = None
    comment: str = ""
    custom_fields: dict[str, str] = msgspec.field(default_factory=dict)
    click: dict[str, Any] | None = None
    is_own: bool = False
    at: int | None = None
    crosses: bool = True
    country: str = ""
    charge: Decimal | None = None
    payout: Decimal | None = None
    takes_zero: bool = True

    def as_postback(self, postback_id: str, time: int, click_id: str) -> ReceivedPostback:
        """Return the equal inbound postback. time: of the conversion, UTC ms."""
        return ReceivedPostback(
            id=postback_id,
            time=time,
            ip=self.ip,
            click_id=click_id,
            goal=trimmed_goal(self.goal),
            action_id=self.action_id,
            status=(self.status or Status.CONFIRMED).as_sent,
            sum=None if self.sum is None else rounded(self.sum),
            comment=self.comment,
            custom_fields={number: value for number, value in self.custom_fields.items() if value},
            reporter=self.affiliate_id if self.is_own else 0,
        )


class ZeroCause(StrEnum):
    """Why an import counts with 0. The value is the parameter that mends it."""

    NO_PAYMENT = "country"
    NO_SUM = "sum"

    def sentence(self, *, is_own: bool = False) -> str:
        """Return the missing part and how to add it.

        is_own: whether an affiliate reads it, who cannot set amounts.
        """
        if self is ZeroCause.NO_PAYMENT:
            return "no payment matches: set the country" + ("" if is_own else ", or amounts")
        return "the payment is a percentage: set the sum" + ("" if is_own else ", or amounts")


def find_zero_cause(item: ConversionImport, payment: Payment | None) -> ZeroCause | None:
    """Return why an import counts with 0; None when a payment gives its amounts or they were set."""
    if item.charge is not None or item.payout is not None:
        return None
    if payment is None:
        return ZeroCause.NO_PAYMENT
    return ZeroCause.NO_SUM if item.sum is None and needs_sum(payment) else None


def is_too_large(item: ConversionImport, payment: Payment, rate: Decimal) -> bool:
    """Return whether the amounts of an import are too large to be stored. rate: of the payment's currency."""
    worth = compute_amounts(payment, item.sum or ZERO)
    charge = worth.charge if item.charge is None else item.charge
    payout = worth.payout if item.payout is None else item.payout
    return max(charge, payout, converted(charge, rate, _ONE), converted(payout, rate, _ONE)) >= MAX_AMOUNT


def apply_edit(
    stored: Conversion, edit: ConversionEdit, hold_ms: int, rates: Mapping[str, Decimal], at_ms: int, actor: str
) -> ConversionChange | PostbackError:
    """Return the change that an edit makes, or its fault.

    hold_ms: the offer's hold.
    rates: the exchange rates when the conversion was made.
    at_ms: the time of the request.
    """
    if not edit.takes_zero and edit.counts_with_zero(stored):
        return PostbackError.NO_PAYMENT
    if edit.releases and stored.status is not Status.HOLD:
        return PostbackError.NO_CHANGE
    if edit.currency is not None and edit.currency not in rates:
        return PostbackError.WRONG_CURRENCY
    custom_fields = {**stored.custom_fields, **edit.custom_fields}
    after = replace(
        stored,
        comment=stored.comment if edit.comment is None else edit.comment,
        custom_fields={number: text for number, text in custom_fields.items() if text},
    )
    if edit.status not in (None, stored.status) and not is_transition_allowed(
        ChangeOrigin.EDIT, stored.status, edit.status
    ):
        return PostbackError.WRONG_STATUS
    if edit.status is not None and edit.status is not stored.status:
        until = stored.created_at + hold_ms
        holds = edit.status is Status.HOLD and until > at_ms
        after = replace(after, status=edit.status, hold_until=until if holds else None, quality_held=False)
    if edit.currency is not None:
        after = replace(after, currency=edit.currency, rate=rates[edit.currency])
    payout = stored.payout if edit.payout is None else edit.payout
    charge = stored.charge if edit.charge is None else edit.charge
    after = replace(
        after,
        payout=payout,
        charge=charge,
        payout_base=converted(payout, after.rate, _ONE),
        charge_base=converted(charge, after.rate, _ONE),
    )
    if after == stored:
        return PostbackError.NO_CHANGE
    if is_out_of_range(after):
        return PostbackError.WRONG_SUM
    after = replace(after, version=stored.version + 1, updated_at=max(at_ms, stored.updated_at))
    return ConversionChange(stored, after, actor)


def apply_import(
    item: ConversionImport,
    postback: ReceivedPostback,
    click: Mapping[str, Any],
    terms: DecisionTerms,
    existing: Conversion | None,
    new_id: str,
    actor: str,
) -> ConversionChange | PostbackError:
    """Return the conversion that an import makes, or its fault.

    It is computed like a postback, but it is never declined on arrival, and a given status is used as it is.
    postback: for the import's own click, at the time of the request.
    """
    if existing is not None:
        return PostbackError.EXISTS
    offer = replace(terms.offer, caps=NO_CAPS, quality=QualityMode.COUNT)
    taken = replace(terms, affiliate_status=AffiliateStatus.ACTIVE, offer=offer)
    made = create_conversion(postback, click, taken, new_id)
    if isinstance(made, PostbackError):
        return made
    if not item.takes_zero and (cause := find_zero_cause(item, made.payment)) is not None:
        return _ZERO_FAULTS[cause]
    made = _with_amounts(made, item)
    if is_out_of_range(made):
        return PostbackError.WRONG_SUM
    sent = item.status or Status.CONFIRMED
    status, hold_until = apply_hold(sent, terms.offer.hold_ms, postback.time, postback.time)
    if item.status is not None and item.status is not Status.HOLD:
        status, hold_until = item.status, None
    if not is_transition_allowed(ChangeOrigin.IMPORT, None, status):
        return PostbackError.WRONG_STATUS
    made = replace(
        made,
        from_click_address=False,  # the IP address of an import is the visitor's
        status=status,
        hold_until=hold_until,
        sent_status=sent.as_sent,
        comment=item.comment,
    )
    return ConversionChange(None, made, actor)


_ZERO_FAULTS = {ZeroCause.NO_PAYMENT: PostbackError.NO_PAYMENT, ZeroCause.NO_SUM: PostbackError.WRONG_SUM}


def _with_amounts(made: Conversion, item: ConversionImport) -> Conversion:
    """Return an imported conversion with the amounts that the import sets."""
    charge = made.charge if item.charge is None else rounded(item.charge)
    payout = made.payout if item.payout is None else rounded(item.payout)
    return replace(
        made,
        charge=charge,
        payout=payout,
        charge_base=converted(charge, made.rate, _ONE),
        payout_base=converted(payout, made.rate, _ONE),
    )
