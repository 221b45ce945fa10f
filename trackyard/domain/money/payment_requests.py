"""Requests of affiliates to be paid (docs/spec/money.md#payment-requests)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class PaymentRequestStatus(StrEnum):
    """The state of a payment request. Only an open one can be decided.

    accepted: staff made a payment of it. withdrawn: by the affiliate.
    """

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRequest:
    """A request of an affiliate to be paid. It takes nothing from what is available.

    id: 0 = not stored yet.
    system_id: the payment system that it wants; None where it has none that pays the currency.
    reason: why it was rejected.
    payment_id: the payment that was made of it, or None.
    decided_by: a staff user; "" = none.
    created_at, updated_at: UTC milliseconds.
    """

    id: int = 0
    affiliate_id: int
    currency: str
    amount: Decimal
    system_id: int | None
    comment: str
    status: PaymentRequestStatus = PaymentRequestStatus.OPEN
    reason: str = ""
    payment_id: int | None = None
    decided_by: str = ""
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRequestFilter:
    """The payment requests of a list; empty is any."""

    statuses: Sequence[PaymentRequestStatus] = ()
    affiliate_ids: Sequence[int] = ()
    currencies: Sequence[str] = ()
