"""Referrers and their shares (docs/spec/money.md#referral-shares)."""

from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import Final

from trackyard.base.money import ZERO


@dataclass(frozen=True, slots=True)
class Referral:
    """The share of a referrer in an affiliate's payouts.

    referrer_id: an affiliate; None when the affiliate was not referred.
    percent: the share of each payout, paid on top of it.
    """

    referrer_id: int | None
    percent: Decimal


NO_REFERRAL: Final = Referral(None, ZERO)


class ShareState(IntEnum):
    """The state of a referral share."""

    FREE = 0  # may be paid
    PAID = 1
    PENDING = 2  # not confirmed yet, or in a payment that is not executed


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFilter:
    """The filters of a list of shares; an empty tuple selects all.

    since, until (exclusive): bounds of the conversion's creation, UTC milliseconds.
    affiliates: the referred affiliates.
    referrers: the affiliates that earn.
    confirmed: whether the conversions are confirmed.
    """

    since: int
    until: int
    affiliates: tuple[int, ...] = ()
    referrers: tuple[int, ...] = ()
    states: tuple[ShareState, ...] = ()
    confirmed: tuple[bool, ...] = ()
    currencies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferralShares:
    """The shares of similar conversions of one affiliate, added up.

    amount: in `currency`; below 0 when more was paid than is left of them.
    newest_at: creation of the newest conversion.
    registered_at: creation of the affiliate; both UTC milliseconds.
    """

    affiliate: int
    referrer: int
    confirmed: bool
    state: ShareState
    currency: str
    count: int
    newest_at: int
    registered_at: int
    amount: Decimal
