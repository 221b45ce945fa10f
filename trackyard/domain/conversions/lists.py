"""Conversions in lists, and the filters of lists (docs/spec/conversions.md#lists-of-conversions)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from trackyard.domain.conversions.conversions import DECLINED
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.payment_states import UNPAID, PaidSums, PaymentState
from trackyard.domain.money.statements import BookedIn

FAR_FUTURE_MS: Final = 2**53
"""A time after all others, UTC milliseconds."""
HIDDEN_STATUS: Final = Status.PENDING.value
HIDDEN_COMMENT: Final = ""
"""What an affiliate sees of conversions of an advertiser that hides their status; of a hidden reason the comment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionFilter:
    """The filters of a list. A set selects any of its values, an empty one nothing; None selects all.

    Times are UTC milliseconds, `until` and `updated_until` exclusive; bounds of amounts are inclusive.
    subs, custom_fields: number to the values.
    properties of clicks: as the click had them.
    decline_reasons: comments of declined conversions, in any case.
    comments: parts of comments, in any case.
    promo_codes: without letter case.
    referrers: affiliates that get a share of the conversions.
    booked: selects by the entries of the ledger, whatever the age of the conversion.
    hidden_statuses: advertisers of conversions that count as pending, without a comment (HIDDEN_STATUS).
    hides_reasons: whether declined conversions count as without a comment.
    """

    since: int
    until: int
    updated_since: int | None = None
    updated_until: int | None = None
    statuses: frozenset[str] | None = None
    offers: frozenset[int] | None = None
    affiliates: frozenset[int] | None = None
    advertisers: frozenset[str] | None = None
    countries: frozenset[str] | None = None
    browsers: frozenset[str] | None = None
    systems: frozenset[str] | None = None
    devices: frozenset[str] | None = None
    goals: frozenset[str] | None = None
    goal_ids: frozenset[str] | None = None
    action_ids: frozenset[str] | None = None
    click_ids: frozenset[str] | None = None
    ids: frozenset[str] | None = None
    currencies: frozenset[str] | None = None
    payouts: frozenset[Decimal] | None = None
    payout_from: Decimal | None = None
    payout_to: Decimal | None = None
    charges: frozenset[Decimal] | None = None
    charge_from: Decimal | None = None
    charge_to: Decimal | None = None
    smart_ids: frozenset[str] | None = None
    subs: Mapping[int, frozenset[str]] = field(default_factory=dict)
    custom_fields: Mapping[int, frozenset[str]] = field(default_factory=dict)
    decline_reasons: frozenset[str] | None = None
    comments: frozenset[str] | None = None
    payment_states: frozenset[PaymentState] | None = None
    promo_codes: frozenset[str] | None = None
    referrers: frozenset[int] | None = None
    booked: BookedIn | None = None
    hidden_statuses: frozenset[str] = frozenset()
    hides_reasons: bool = False

    @property
    def hides_some(self) -> bool:
        """Return whether the caller sees some conversions in another way."""
        return self.hides_reasons or bool(self.hidden_statuses)

    def shown(self, status: str, comment: str, advertiser_id: str) -> tuple[str, str]:
        """Return the status and the comment of a conversion as the caller sees them."""
        if advertiser_id in self.hidden_statuses:
            return HIDDEN_STATUS, HIDDEN_COMMENT
        return status, HIDDEN_COMMENT if self.hides_reasons and status in DECLINED else comment


@dataclass(frozen=True, slots=True)
class ListedConversion:
    """A conversion in a list. Times are UTC milliseconds.

    click: its record by column name.
    from_click_address, promo_code, signals: as in Conversion.
    paid: what payments pay of it; callers of `list_conversions` add it.
    """

    id: str
    action_id: str
    status: str
    offer_id: int
    goal: str
    goal_title: str
    affiliate_id: int
    advertiser_id: str
    comment: str
    payment_type: str
    currency: str
    sum: Decimal
    charge: Decimal
    payout: Decimal
    custom_fields: dict[str, str]
    click_id: str
    click_time: int
    click: dict[str, Any]
    user_id: str
    hold_until: int | None
    created_at: int
    updated_at: int
    from_click_address: bool
    promo_code: str | None
    signals: int
    paid: PaidSums = UNPAID

    @property
    def payment_state(self) -> PaymentState:
        """Return whether it is paid."""
        return self.paid.state_of(self.payout)
