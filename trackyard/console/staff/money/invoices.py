"""Invoices of advertisers: the list, and the page of each."""

from typing import Final

from trackyard.api.money import invoices as invoices_api
from trackyard.api.money.invoices import InvoiceView
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown import names
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.money.words import INVOICE_MARKS, INVOICE_STATUSES, read_or_fault

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


@pages.get(PATH, needs=(invoices_api.list_,))
def invoices(request: PageRequest) -> PageAnswer:
    """Show invoices that meet the filters, a page at a time."""
    calls = request.calls
    advertisers = names.advertisers(calls)
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
    titles = names.advertiser_names(calls, (each.supplier_id for each in found), advertisers)
    return request.page(
        "staff/invoices.html",
        rows=found,
        titles=titles,
        statuses=INVOICE_STATUSES,
        marks=INVOICE_MARKS,
        period_of=period_of,
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


def period_of(invoice: InvoiceView) -> str:
    """Return the days of an invoice in words; "" without any."""
    return "\N{NO-BREAK SPACE}\N{EN DASH} ".join(day for day in (invoice.start_date, invoice.end_date) if day)
