"""What advertisers are billed (docs/api/invoices.md)."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

INVOICE_STATUSES: Final = ("paid", "unpaid")
PAYOUT_TYPES: Final = ("RPA", "RPS", "RPA + RPS", "RPC", "RPM")
"""For actions, for sales, for both, for clicks, for views."""


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """One line of an invoice. payout_type: of PAYOUT_TYPES · actions: how many were counted · amount: what they cost,
    in the invoice's currency."""

    offer_id: int
    payout_type: str
    actions: int
    amount: Decimal
    comment: str | None = None
