"""Invoices of advertisers (docs/api/invoices.md)."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum


class InvoiceStatus(StrEnum):
    """The status of an invoice."""

    PAID = "paid"
    UNPAID = "unpaid"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """An invoice of an advertiser.

    number, created_at, updated_at: given when it is stored; times are UTC milliseconds.
    start_date, end_date: days of the platform's zone, both included.
    computed: whether the lines come from statistics.
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
    created_at: int = 0
    updated_at: int = 0


@dataclass(frozen=True, slots=True)
class InvoiceFilter:
    """The filters of a list; None and empty ones select all.

    since, until: first and last day of the period, inclusive.
    """

    statuses: tuple[InvoiceStatus, ...] = ()
    since: date | None = None
    until: date | None = None
    advertisers: tuple[str, ...] = ()
