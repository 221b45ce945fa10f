"""Invoices of advertisers: the list, and the page of each."""

from typing import Final

from trackyard.api.money import invoices as invoices_api
from trackyard.api.money.invoices import InvoicesAnswer, InvoiceView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS
from trackyard.console.lists.page import declare_list
from trackyard.console.money.words import INVOICE_MARKS, INVOICE_STATUSES

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


def period_of(invoice: InvoiceView) -> str:
    """Return the days of an invoice in words; "" without any."""
    return "\N{NO-BREAK SPACE}\N{EN DASH} ".join(day for day in (invoice.start_date, invoice.end_date) if day)


INVOICES: Final = ListPage[InvoiceView, InvoicesAnswer](
    path=PATH,
    method=invoices_api.list_,
    view=InvoicesAnswer,
    rows=lambda _, answer: answer.message,
    title=lazy_gettext("Invoices"),
    counted=lambda total: ngettext("%(num)d invoice of advertisers.", "%(num)d invoices of advertisers.", total),
    main=lambda _: PageLink(gettext("Add an invoice"), f"{PATH}/new"),
    filters=(
        FilterBy(name="advertiser", parameter="supplier_id", objects=ADVERTISERS),
        FilterBy(name="status", words=INVOICE_STATUSES),
        FilterBy(name="from", parameter="start_date", label=lazy_gettext("Period from")),
        FilterBy(name="to", parameter="end_date", label=lazy_gettext("Period until")),
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Number"),
            role="title",
            cell=lambda each, _: ListCell(
                gettext("Invoice %(number)s", number=each.number), link=f"{PATH}/{each.number}", value=each.number
            ),
        ),
        ListColumn(
            title=lazy_gettext("Advertiser"),
            objects=ADVERTISERS,
            key=lambda each: each.supplier_id,
            cell=lambda each, on: on.object(ADVERTISERS, each.supplier_id),
        ),
        ListColumn(title=lazy_gettext("Period"), cell=lambda each, _: period_of(each)),
        ListColumn(
            title=lazy_gettext("Amount"),
            role="figure",
            cell=lambda each, _: cells.money(sum(line.amount for line in each.detail), each.currency),
        ),
        ListColumn(
            title=lazy_gettext("Status"),
            cell=lambda each, _: cells.status(str(INVOICE_STATUSES[each.status]), INVOICE_MARKS[each.status]),
        ),
        ListColumn(title=lazy_gettext("Made"), cell=lambda each, _: each.created_at),
        ListColumn(title=lazy_gettext("Comment"), cell=lambda each, _: each.comment or ""),
    ),
    empty=lazy_gettext("There are no invoices yet."),
    empty_links=lambda _: [PageLink(gettext("Add the first one"), f"{PATH}/new")],
)
declare_list(pages, INVOICES)


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
