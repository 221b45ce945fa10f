"""Who issues documents, and what they begin with (docs/spec/documents.md#billing)."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.base.money import ZERO

YEAR: Final = "{year}"
"""What a series may have: the year of the day of issue, in the platform's zone."""
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """The party that issues documents, and what new invoices have; "" = not set.

    legal_name, address, tax_number: the company that runs the network. payment_details: how invoices are paid.
    invoice_series, credit_series: what document numbers begin with; each series counts from 1, or from a number of
        staff, without gaps.
    due_days: days from the issue of an invoice until it is due.
    tax_name, tax_percent: the tax of new invoices; without a name they have none.
    notes: a text below the sums of new invoices.
    """

    legal_name: str = ""
    address: str = ""
    tax_number: str = ""
    payment_details: str = ""
    invoice_series: str = "INV-{year}-"
    credit_series: str = "CN-{year}-"
    due_days: int = 14
    tax_name: str = ""
    tax_percent: Decimal = ZERO
    notes: str = ""


def prefix_of(series: str, year: int) -> str:
    """Return the beginning of the document numbers of a series in a year."""
    return series.replace(YEAR, str(year))


def document_number(prefix: str, number: int) -> str:
    """Return a document number: the prefix and at least four digits."""
    return f"{prefix}{number:0{_DIGITS}}"
