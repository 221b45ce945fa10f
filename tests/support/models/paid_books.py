"""What payments pay of conversions, in plain Python (docs/spec/money.md#state-of-payment)."""

from collections import defaultdict
from decimal import Decimal
from typing import Any

_NOTHING = Decimal(0)


class PaidBooks:
    """The entries of conversions in payments, by conversion and currency."""

    def __init__(self) -> None:
        self._executed: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
        self._all: dict[tuple[str, str], Decimal] = defaultdict(Decimal)

    def add(self, conversion_id: str, currency: str, amount: Decimal, *, is_executed: bool) -> None:
        """Take an entry of a payment that is not cancelled."""
        self._all[conversion_id, currency] += amount
        if is_executed:
            self._executed[conversion_id, currency] += amount

    def shown(self, conversion_id: str, currency: str, payout: Decimal) -> dict[str, Any]:
        """Return what is shown of a conversion: the state of payment, and the sum paid."""
        key = conversion_id, currency
        paid, covered = self._executed.get(key, _NOTHING), self._all.get(key, _NOTHING)
        state = "closed" if payout == paid else "pending" if payout == covered else "opened"
        return {"payment_status": state if payout else "opened", "paid": paid}
