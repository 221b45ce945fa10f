"""The pages of payments, invoices and balances (docs/spec/console.md#money)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.staff.money import (
    balances,
    corrections,
    due,
    held,
    invoice_editing,
    invoices,
    payment,
    payments,
    requests,
    statements,
)

PARTS: Final[tuple[Pages, ...]] = (
    payments.pages,
    due.pages,
    held.pages,
    requests.pages,
    payment.pages,
    invoices.pages,
    invoice_editing.pages,
    balances.pages,
    corrections.pages,
    statements.pages,
)
"""All pages of money; those with a name of their own come before the page of one payment."""
