"""Invoices of advertisers, and credit notes (docs/spec/money.md#invoices)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from enum import StrEnum

from trackyard.base.money import SMALLEST_AMOUNT
from trackyard.domain.money.units import unit_of


class InvoiceStatus(StrEnum):
    """The status of an invoice."""

    PAID = "paid"
    UNPAID = "unpaid"


class InvoiceState(StrEnum):
    """How far an invoice is.

    DRAFT: staff write it; no method of the specification has it. OPEN: it has no document, and can change.
    ISSUED: it has a document number and a document, and only its status and its comment change.
    """

    DRAFT = "draft"
    OPEN = "open"
    ISSUED = "issued"


class InvoiceKind(StrEnum):
    """An invoice, or a credit note that takes one back."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit note"


class PayoutType(StrEnum):
    """The events that a line of an invoice counts."""

    ACTIONS = "RPA"
    SALES = "RPS"
    ACTIONS_AND_SALES = "RPA + RPS"
    CLICKS = "RPC"
    IMPRESSIONS = "RPM"


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """One line of an invoice.

    actions: their number.
    amount: in the invoice's currency.
    """

    offer_id: int
    payout_type: PayoutType
    actions: int
    amount: Decimal
    comment: str | None = None

    @property
    def unit_price(self) -> Decimal | None:
        """Return the price of one action, rounded to four places; None without actions or an amount."""
        if not self.actions or not self.amount:
            return None
        return (self.amount / self.actions).quantize(SMALLEST_AMOUNT, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class TaxLine:
    """A tax of an invoice. percent: its share in the sum of the lines."""

    name: str
    percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """An invoice of an advertiser, or a credit note.

    number, created_at, updated_at: given when it is stored; times are UTC milliseconds.
    start_date, end_date: days of the platform's zone, both included.
    computed: whether the lines come from statistics.
    is_draft: whether only staff see it. document_number, issued_at: given when it is issued; "" and None before.
    due_date: None = given when it is issued. taxes: on the sum of the lines. notes: a text of the document.
    credits: the number of the invoice that a credit note takes back, whole; None for an invoice.
    overdue_at: when it was found unpaid after its due date, UTC milliseconds.
    """

    number: int = 0
    advertiser_id: str
    status: InvoiceStatus
    currency: str
    start_date: date | None
    end_date: date | None
    comment: str | None
    lines: tuple[InvoiceLine, ...]
    computed: bool = False
    is_draft: bool = False
    document_number: str = ""
    issued_at: int | None = None
    due_date: date | None = None
    taxes: tuple[TaxLine, ...] = ()
    notes: str = ""
    credits: int | None = None
    overdue_at: int | None = None
    created_at: int = 0
    updated_at: int = 0

    @property
    def state(self) -> InvoiceState:
        """Return how far it is."""
        if self.issued_at is not None:
            return InvoiceState.ISSUED
        return InvoiceState.DRAFT if self.is_draft else InvoiceState.OPEN

    @property
    def kind(self) -> InvoiceKind:
        """Return whether it is an invoice or a credit note."""
        return InvoiceKind.INVOICE if self.credits is None else InvoiceKind.CREDIT_NOTE

    @property
    def net(self) -> Decimal:
        """Return the sum of the lines."""
        return sum((line.amount for line in self.lines), Decimal(0))

    @property
    def tax_amounts(self) -> list[Decimal]:
        """Return the amount of each tax, rounded half to even to the unit of the currency."""
        return [tax_of(self.net, each.percent, self.currency) for each in self.taxes]

    @property
    def total(self) -> Decimal:
        """Return the amount that is to be paid, the lines with their taxes."""
        return self.net + sum(self.tax_amounts, Decimal(0))


def tax_of(net: Decimal, percent: Decimal, currency: str) -> Decimal:
    """Return a tax, rounded half to even to the unit of the currency."""
    return (net * percent / 100).quantize(unit_of(currency), rounding=ROUND_HALF_EVEN)


def credit_lines(lines: Sequence[InvoiceLine]) -> tuple[InvoiceLine, ...]:
    """Return the lines of a credit note: each amount is taken back."""
    return tuple(
        InvoiceLine(each.offer_id, each.payout_type, each.actions, -each.amount, each.comment) for each in lines
    )


@dataclass(frozen=True, slots=True)
class InvoiceFilter:
    """The filters of a list; None and empty ones select all.

    since, until: first and last day of the period, inclusive.
    states: how far it is. kind: None = both. overdue_on: the ones that are overdue on this day.
    """

    states: tuple[InvoiceState, ...] = ()
    kind: InvoiceKind | None = None
    overdue_on: date | None = None
    statuses: tuple[InvoiceStatus, ...] = ()
    since: date | None = None
    until: date | None = None
    advertisers: tuple[str, ...] = ()
