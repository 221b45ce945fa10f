"""Payments to affiliates and their transitions (docs/spec/money.md#payments-to-affiliates)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from trackyard.base.money import ZERO


class PaymentStatus(StrEnum):
    """The state of a payment. Its amount is not available from its creation on."""

    CREATED = "created"
    PAID = "paid"
    CANCELLED = "cancelled"


PAYMENT_TRANSITIONS: Final[dict[PaymentStatus, frozenset[PaymentStatus]]] = {
    PaymentStatus.CREATED: frozenset({PaymentStatus.PAID, PaymentStatus.CANCELLED}),
    PaymentStatus.PAID: frozenset(),
    PaymentStatus.CANCELLED: frozenset(),
}
"""State to the allowed next states. Paid money is corrected by a difference, never by a transition."""

ITEM_STATES: Final[dict[PaymentStatus, tuple[str, str]]] = {
    PaymentStatus.CREATED: ("pending", "3"),
    PaymentStatus.PAID: ("closed", "2"),
}
"""State to payment_status and is_paid of the paid conversions (docs/spec/conversions.md#stored-values)."""

OPEN_ITEM: Final = ("opened", "1")
"""payment_status and is_paid of conversions in no payment."""


@dataclass(frozen=True, slots=True)
class AffiliatePayment:
    """A payment to an affiliate.

    amount: in `currency`.
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


@dataclass(frozen=True, slots=True)
class PayableBalance:
    """The available amount of an affiliate in one currency, and the least that is paid out."""

    affiliate_id: int
    currency: str
    amount: Decimal
    email: str = ""
    min_payment: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class PaidEntry:
    """One ledger entry that a payment pays.

    kind, source_id: of the entry; the source is mostly a conversion.
    at: UTC milliseconds.
    """

    kind: str
    source_id: str
    version: int
    amount: Decimal
    at: int


@dataclass(frozen=True, slots=True)
class PaymentFilter:
    """The payments of a list; empty or None is any.

    since, until (exclusive): of creation, UTC milliseconds.
    """

    ids: Sequence[int] = ()
    affiliate_ids: Sequence[int] = ()
    currencies: Sequence[str] = ()
    statuses: Sequence[PaymentStatus] = ()
    since: int | None = None
    until: int | None = None
