"""All pages of money."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.money import (
    asking,
    balances,
    corrections,
    documents,
    due,
    held_changes,
    invoice_editing,
    invoices,
    marking,
    payment,
    payment_files,
    payment_requests,
    payment_results,
    payments,
    statements,
)

PARTS: Final[tuple[Pages, ...]] = (
    payments.pages,
    marking.pages,
    payment_files.pages,
    payment_results.pages,
    due.pages,
    held_changes.pages,
    payment_requests.pages,
    asking.pages,
    payment.pages,
    invoice_editing.pages,
    invoices.pages,
    documents.pages,
    balances.pages,
    corrections.pages,
    statements.pages,
)
"""All of them; pages with a path of their own come before the page of one payment."""
