"""The state of payment of a conversion: what payments pay of it (docs/spec/money.md#state-of-payment).

`store/money/payment_states.py` has the same rule in SQL.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import PaymentStatus


class PaymentState(StrEnum):
    """Whether a conversion is paid; the value is its `payment_status`."""

    OPENED = "opened"
    PENDING = "pending"
    CLOSED = "closed"

    @property
    def number(self) -> str:
        """Return its `is_paid`."""
        return _NUMBERS[self]


_NUMBERS: Final = {PaymentState.OPENED: "1", PaymentState.PENDING: "3", PaymentState.CLOSED: "2"}

EXECUTED: Final = PaymentStatus.PAID
"""The status of a payment that pays conversions. Conversions of cancelled payments are free, others are open."""


@dataclass(frozen=True, slots=True)
class PaidSums:
    """What payments pay of a conversion, in its currency.

    paid: by executed payments. open: by payments that are neither executed nor cancelled.
    """

    paid: Decimal = ZERO
    open: Decimal = ZERO

    def state_of(self, payout: Decimal) -> PaymentState:
        """Return the state of a conversion with this payout."""
        if payout == ZERO:
            return PaymentState.OPENED
        if self.paid == payout:
            return PaymentState.CLOSED
        return PaymentState.PENDING if self.paid + self.open == payout else PaymentState.OPENED


UNPAID: Final = PaidSums()
"""Of a conversion that no payment pays."""
