"""Invoices of advertisers: the list, and the page of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.money import invoices as invoices_api
from trackyard.api.money.invoices import InvoiceView
from trackyard.api.people import advertisers as advertisers_api
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown.choices import listed
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.money.words import INVOICE_MARKS, INVOICE_STATUSES, read_or_fault
from trackyard.console.staff.people_names import advertiser_titles

pages = Pages()

PATH: Final = "/console/invoices"
COUNTED: Final = {
    "RPA": lazy_gettext("Conversions"),
    "RPS": lazy_gettext("Sales"),
    "RPA + RPS": lazy_gettext("Conversions and sales"),
    "RPC": lazy_gettext("Clicks"),
    "RPM": lazy_gettext("Impressions"),
}
"""What lines count."""


@dataclass(frozen=True, slots=True)
class InvoiceRow:
    """An invoice of the list. title: of the advertiser, "" where the person may not see it."""

    number: int
    advertiser: str
    title: str
    period: str
    amount: Decimal
    currency: str
    status: str
    mark: str
    comment: str
    created: str
    is_unpaid: bool


@pages.get(PATH, needs=(invoices_api.list_,))
def invoices(request: PageRequest) -> PageAnswer:
    """Show invoices that meet the filters, a page at a time."""
    calls = request.calls
    advertisers = listed(
        calls,
        advertisers_api.list_,
        lambda answer: ((each.id, each.title) for each in answer.advertisers),
        (("order", "title"),),
    )
    filters = (
        ListFilter("advertiser", gettext("Advertiser"), "supplier_id[]", advertisers or None),
        ListFilter("status", gettext("Status"), "status[]", tuple(INVOICE_STATUSES.items())),
        ListFilter("from", gettext("Period from"), "start_date", None, "date"),
        ListFilter("to", gettext("Period until"), "end_date", None, "date"),
    )
    state = read_list(request.address, filters)
    sent = state.sent()
    if (file := list_file(request, invoices_api.list_, lambda answer: answer.message, sent)) is not None:
        return file
    found, total, fault = read_or_fault(request, invoices_api.list_, lambda answer: answer.message, sent)
    titles = dict(advertisers) or advertiser_titles(calls, (each.supplier_id for each in found))
    return request.page(
        "staff/invoices.html",
        rows=[invoice_row(request, each, titles) for each in found],
        fault=fault,
        api_request_path=calls.address(invoices_api.list_, sent),
        **state.shown(total),
    )


@pages.post("/console/invoices/{number}/status", needs=(invoices_api.edit,))
def set_status(request: PageRequest) -> PageAnswer:
    """Mark an invoice as paid or unpaid."""
    invoice = find_invoice(request)
    number = str(invoice.number)
    sent = [("supplier_id", invoice.supplier_id), ("status", request.field("status"))]
    request.calls.ask(invoices_api.edit, sent, {"number": number})
    return Redirect(
        f"{PATH}/{number}", gettext("Invoice %(number)s is %(value)s.", number=number, value=request.field("status"))
    )


def find_invoice(request: PageRequest) -> InvoiceView:
    """Return the invoice of the path. Raises NotFound."""
    return request.calls.ask(invoices_api.show, path={"number": request.path["number"]}).message


def invoice_row(request: PageRequest, invoice: InvoiceView, titles: Mapping[str, str]) -> InvoiceRow:
    """Return an invoice of the API as lists show it. titles: of advertisers."""
    days = [day for day in (invoice.start_date, invoice.end_date) if day]
    return InvoiceRow(
        number=invoice.number,
        advertiser=invoice.supplier_id,
        title=titles.get(invoice.supplier_id, ""),
        period="\N{NO-BREAK SPACE}\N{EN DASH} ".join(days),
        amount=sum((line.amount for line in invoice.detail), Decimal(0)),
        currency=invoice.currency,
        status=INVOICE_STATUSES[invoice.status],
        mark=INVOICE_MARKS[invoice.status],
        comment=invoice.comment or "",
        created=request.time_of(invoice.created_at),
        is_unpaid=invoice.status == "unpaid",
    )
