"""Payments to affiliates and their transitions (docs/spec/money.md#payments-to-affiliates)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from trackyard.base.money import ZERO


class PaymentStatus(StrEnum):
    """The state of a payment. Its amount is not available from its creation on.

    pending: staff wait before they pay. partly_paid: a part of the money is sent.
    """

    CREATED = "created"
    PENDING = "pending"
    PARTLY_PAID = "partly_paid"
    PAID = "paid"
    CANCELLED = "cancelled"


PAYMENT_TRANSITIONS: Final[dict[PaymentStatus, frozenset[PaymentStatus]]] = {
    PaymentStatus.CREATED: frozenset(
        {PaymentStatus.PENDING, PaymentStatus.PARTLY_PAID, PaymentStatus.PAID, PaymentStatus.CANCELLED}
    ),
    PaymentStatus.PENDING: frozenset(
        {PaymentStatus.CREATED, PaymentStatus.PARTLY_PAID, PaymentStatus.PAID, PaymentStatus.CANCELLED}
    ),
    PaymentStatus.PARTLY_PAID: frozenset({PaymentStatus.PAID}),
    PaymentStatus.PAID: frozenset(),
    PaymentStatus.CANCELLED: frozenset(),
}
"""State to the allowed next states. Paid money is corrected by a difference, never by a transition."""

EDITABLE: Final = frozenset({PaymentStatus.CREATED, PaymentStatus.PENDING})
"""The states in which what a payment pays can change: no money is sent yet."""

SENDS_MONEY: Final = frozenset({PaymentStatus.PARTLY_PAID, PaymentStatus.PAID})
"""The states that say that money was sent, which may need a second person."""


@dataclass(frozen=True, slots=True)
class AffiliatePayment:
    """A payment to an affiliate.

    amount: in `currency`.
    comment: the affiliate may see it. note: for staff.
    system_id, account: the payment system that it goes to, as it was when the payment was made; None and "" = none.
    created_by: id of a staff user.
    paid_at: None before it is paid; times are UTC milliseconds.
    """

    id: int
    affiliate_id: int
    currency: str
    amount: Decimal
    status: PaymentStatus
    comment: str
    created_by: str
    created_at: int
    updated_at: int
    paid_at: int | None
    note: str = ""
    system_id: int | None = None
    account: str = ""


@dataclass(frozen=True, slots=True)
class PayableBalance:
    """The available amount of an affiliate in one currency, and the least that is paid out."""

    affiliate_id: int
    currency: str
    amount: Decimal
    email: str = ""
    min_payment: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class PaidSum:
    """What a payment pays of one kind of entries. count: how many entries."""

    kind: str
    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class PaidEntry:
    """One ledger entry that a payment pays.

    kind, source_id: the entry's kind and source; the source is mostly a conversion.
    at: UTC milliseconds.
    """

    kind: str
    source_id: str
    version: int
    amount: Decimal
    at: int


@dataclass(frozen=True, slots=True)
class PaymentFilter:
    """The filters of a list of payments; an empty value or None selects all.

    manager_ids: the managers of the affiliates.
    since, until (exclusive): bounds of the creation, UTC milliseconds. updated_since, updated_until: the same for the
        last change.
    """

    ids: Sequence[int] = ()
    affiliate_ids: Sequence[int] = ()
    currencies: Sequence[str] = ()
    statuses: Sequence[PaymentStatus] = ()
    since: int | None = None
    until: int | None = None
    updated_since: int | None = None
    updated_until: int | None = None
    manager_ids: Sequence[str] = ()
    system_ids: Sequence[int] = ()
    accounts: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PayableFilter:
    """What a payment pays of what is available; empty or None is any.

    since, until (exclusive): when it became available, UTC milliseconds.
    matured_at: conversions that were available by then (UTC milliseconds), what was paid in part, and all that
    comes from no conversion; None = payment terms do not count.
    offer_ids, advertiser_ids, countries: of conversions. With one of them a payment pays nothing but conversions and
    shares of them.
    """

    since: int | None = None
    until: int | None = None
    matured_at: int | None = None
    offer_ids: Sequence[int] = ()
    advertiser_ids: Sequence[str] = ()
    countries: Sequence[str] = ()

    @property
    def is_of_conversions(self) -> bool:
        """Return whether it selects by properties of conversions."""
        return bool(self.offer_ids or self.advertiser_ids or self.countries)


@dataclass(frozen=True, slots=True)
class PaidOffer:
    """The conversions of one offer that a payment pays with the same amount each."""

    payment_id: int
    offer_id: int
    title: str
    amount: Decimal
    count: int
