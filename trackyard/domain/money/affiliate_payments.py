"""Payments to affiliates: their states and the moves between them (docs/spec/money.md#payments-to-affiliates)."""

from enum import StrEnum
from typing import Final


class PaymentStatus(StrEnum):
    """The state of a payment. From its creation what it pays is no longer available."""

    CREATED = "created"
    PAID = "paid"
    CANCELLED = "cancelled"


PAYMENT_TRANSITIONS: Final[dict[PaymentStatus, frozenset[PaymentStatus]]] = {
    PaymentStatus.CREATED: frozenset({PaymentStatus.PAID, PaymentStatus.CANCELLED}),
    PaymentStatus.PAID: frozenset(),
    PaymentStatus.CANCELLED: frozenset(),
}
"""State → the states it may become. Money that went out is settled by a difference, not by taking the payment back."""

ITEM_STATES: Final[dict[PaymentStatus, tuple[str, str]]] = {
    PaymentStatus.CREATED: ("pending", "3"),
    PaymentStatus.PAID: ("closed", "2"),
}
"""State → payment_status and is_paid of what it pays (docs/spec/conversions.md#stored-values)."""

OPEN_ITEM: Final = ("opened", "1")
"""payment_status and is_paid of what is in no payment."""
