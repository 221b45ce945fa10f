"""Invoices of advertisers, their drafts and credit notes: the list, and the page of each."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from trackyard.actions.money.documents.invoice_content import COUNTED as ACTIONS_COUNTED
from trackyard.actions.money.documents.invoice_content import percent_words
from trackyard.api.money import billed_invoices as api
from trackyard.api.money.billed_invoices import BilledInvoicesAnswer, BilledInvoiceView, OwnInvoiceView
from trackyard.base.errors import Conflict
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS, OFFERS
from trackyard.console.lists.page import declare_list
from trackyard.console.money.words import INVOICE_MARKS, INVOICE_STATUSES
from trackyard.console.staff.faults import fault_of
from trackyard.console.system.audit_log import recent_changes
from trackyard.domain.money.invoices import InvoiceKind

pages = Pages()

PATH: Final = "/console/invoices"
COUNTED: Final[Mapping[str, str]] = {kind.value: words for kind, words in ACTIONS_COUNTED.items()}
"""What lines count."""
STATES: Final[Mapping[str, str]] = {
    "draft": lazy_gettext("Draft"),
    "open": lazy_gettext("Not issued"),
    "issued": lazy_gettext("Issued"),
}
_KINDS: Final[Mapping[str, str]] = {
    InvoiceKind.INVOICE.value: lazy_gettext("Invoice"),
    InvoiceKind.CREDIT_NOTE.value: lazy_gettext("Credit note"),
}


def period_of(invoice: OwnInvoiceView) -> str:
    """Return the days of an invoice in words; "" without any."""
    return "\N{NO-BREAK SPACE}\N{EN DASH} ".join(day for day in (invoice.start_date, invoice.end_date) if day)


def name_of(invoice: OwnInvoiceView) -> str:
    """Return the name of an invoice, with its document number where it has one."""
    if invoice.kind == InvoiceKind.CREDIT_NOTE:
        return gettext("Credit note %(number)s", number=invoice.document_number)
    if invoice.document_number:
        return gettext("Invoice %(number)s", number=invoice.document_number)
    return gettext("Invoice #%(number)s", number=invoice.number)


def mark_of(invoice: OwnInvoiceView, state: str = "issued") -> tuple[str, str]:
    """Return the word of an invoice's status, and its mark."""
    if state == "draft":
        return str(STATES["draft"]), "suspended"
    if invoice.kind == InvoiceKind.CREDIT_NOTE:
        return str(STATES["issued"]), "confirmed"
    if invoice.credited_by is not None:
        return gettext("Credited"), "suspended"
    if invoice.is_overdue:
        return gettext("Overdue"), "declined"
    return str(INVOICE_STATUSES[invoice.invoice_status]), INVOICE_MARKS[invoice.invoice_status]


INVOICES: Final = ListPage[BilledInvoiceView, BilledInvoicesAnswer](
    path=PATH,
    method=api.list_,
    view=BilledInvoicesAnswer,
    rows=lambda _, answer: answer.invoices,
    title=lazy_gettext("Invoices"),
    counted=lambda total: ngettext("%(num)d invoice of advertisers.", "%(num)d invoices of advertisers.", total),
    main=lambda _: PageLink(gettext("New invoice"), f"{PATH}/new"),
    filters=(
        FilterBy(name="advertiser", parameter="supplier_id", objects=ADVERTISERS),
        FilterBy(name="state", label=lazy_gettext("State"), words=STATES),
        FilterBy(name="status", parameter="invoice_status", label=lazy_gettext("Status"), words=INVOICE_STATUSES),
        FilterBy(name="kind", label=lazy_gettext("Kind"), words=_KINDS),
        FilterBy(name="overdue", label=lazy_gettext("Overdue"), words={"1": lazy_gettext("Overdue")}),
        FilterBy(name="from", parameter="start_date", label=lazy_gettext("Period from")),
        FilterBy(name="to", parameter="end_date", label=lazy_gettext("Period until")),
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Number"),
            role="title",
            cell=lambda each, _: ListCell(name_of(each), link=f"{PATH}/{each.number}", value=each.number),
        ),
        ListColumn(
            title=lazy_gettext("Advertiser"),
            objects=ADVERTISERS,
            key=lambda each: each.supplier_id,
            cell=lambda each, on: on.object(ADVERTISERS, each.supplier_id),
        ),
        ListColumn(title=lazy_gettext("Period"), cell=lambda each, _: period_of(each)),
        ListColumn(
            title=lazy_gettext("Total"),
            role="figure",
            cell=lambda each, _: cells.money(each.total, each.currency),
        ),
        ListColumn(title=lazy_gettext("Status"), cell=lambda each, _: cells.status(*mark_of(each, each.state))),
        ListColumn(title=lazy_gettext("Issued"), cell=lambda each, _: each.issued_at[:10]),
        ListColumn(title=lazy_gettext("Due date"), cell=lambda each, _: each.due_date),
        ListColumn(title=lazy_gettext("Comment"), cell=lambda each, _: each.comment or ""),
    ),
    empty=lazy_gettext("There are no invoices yet."),
    empty_links=lambda _: [PageLink(gettext("Make the first one"), f"{PATH}/new")],
)
declare_list(pages, INVOICES)


@pages.get("/console/invoices/{number}", needs=(api.show,))
def invoice_page(request: PageRequest) -> PageAnswer:
    """Show an invoice with its lines."""
    return _page(request, find_invoice(request))


@pages.post("/console/invoices/{number}/status", needs=(api.edit,))
def set_status(request: PageRequest) -> PageAnswer:
    """Mark an invoice as paid or unpaid."""
    sent = [("invoice_status", request.field("status"))]
    invoice = request.calls.ask(api.edit, sent, request.path).invoice
    word = INVOICE_STATUSES[invoice.invoice_status]
    return Redirect(
        f"{PATH}/{invoice.number}", gettext("%(invoice)s: %(status)s.", invoice=name_of(invoice), status=word)
    )


@pages.post("/console/invoices/{number}/issue", needs=(api.issue,))
def issue_invoice(request: PageRequest) -> PageAnswer:
    """Issue an invoice: it gets its number and its document, and goes to the advertiser."""
    try:
        invoice = request.calls.ask(api.issue, path=request.path).invoice
    except Conflict as refusal:
        return _page(request, find_invoice(request), fault_of(refusal))
    return Redirect(
        f"{PATH}/{invoice.number}",
        gettext("%(invoice)s is issued, and on its way to the advertiser.", invoice=name_of(invoice)),
    )


@pages.post("/console/invoices/{number}/credit", needs=(api.credit,))
def credit_invoice(request: PageRequest) -> PageAnswer:
    """Take an issued invoice back with a credit note."""
    try:
        note = request.calls.ask(api.credit, [("comment", request.field("comment"))], request.path).invoice
    except Conflict as refusal:
        return _page(request, find_invoice(request), fault_of(refusal))
    return Redirect(
        f"{PATH}/{note.number}", gettext("%(note)s is issued, and on its way to the advertiser.", note=name_of(note))
    )


@pages.post("/console/invoices/{number}/delete", needs=(api.remove,))
def delete_draft(request: PageRequest) -> PageAnswer:
    """Delete a draft."""
    try:
        gone = request.calls.ask(api.remove, path=request.path).number
    except Conflict as refusal:
        return _page(request, find_invoice(request), fault_of(refusal))
    return Redirect(PATH, gettext("Draft #%(number)s is deleted.", number=gone))


def find_invoice(request: PageRequest) -> BilledInvoiceView:
    """Return the invoice of the path. Raises NotFound."""
    return request.calls.ask(api.show, path=request.path).invoice


def _page(request: PageRequest, invoice: BilledInvoiceView, fault: str = "") -> PageAnswer:
    calls, number = request.calls, str(invoice.number)
    advertisers = ADVERTISERS.names(calls, [invoice.supplier_id])
    word, mark = mark_of(invoice, invoice.state)
    return request.page(
        "money/invoice.html",
        409 if fault else 200,
        invoice=invoice,
        name=name_of(invoice),
        title=advertisers.get(invoice.supplier_id, ""),
        word=word,
        mark=mark,
        is_credit=invoice.kind == InvoiceKind.CREDIT_NOTE,
        period=period_of(invoice),
        counted=COUNTED,
        offers=OFFERS.names(calls, [str(line.offer_id) for line in invoice.detail]),
        rows={line.offer_id: _opened(request, _rows_of(invoice, line.offer_id)) for line in invoice.detail},
        sums=list(_sums(invoice)),
        report=_opened(request, _report_of(invoice)),
        path=f"{PATH}/{number}",
        fault=fault,
        activity=recent_changes(request, "invoice", number),
        api_request_path=calls.address(api.show, path={"number": number}),
    )


def _sums(invoice: BilledInvoiceView) -> Iterator[tuple[str, Decimal]]:
    """Yield the lines below the lines: the taxes and the total."""
    if invoice.taxes:
        yield gettext("Sum of the lines"), invoice.net
    for tax in invoice.taxes:
        yield f"{tax.name} {percent_words(tax.percent)}", tax.amount
    yield gettext("Total"), invoice.total


def _opened(request: PageRequest, address: str) -> str:
    """Return a page that the person may open; "" for others."""
    return address if address and request.may_open(address.partition("?")[0]) else ""


def _rows_of(invoice: BilledInvoiceView, offer: int) -> str:
    """Return the address of the conversions that a line bills; "" without a period."""
    if not invoice.computed or not invoice.start_date or not invoice.end_date:
        return ""
    chosen = (("offer", str(offer)), ("status", "confirmed"), ("from", invoice.start_date), ("to", invoice.end_date))
    return str(PageAddress("/console/conversions", chosen))


def _report_of(invoice: BilledInvoiceView) -> str:
    """Return the address of the report that has the sum of an invoice; "" without a period."""
    if not invoice.computed or not invoice.start_date or not invoice.end_date:
        return ""
    days = (("from", invoice.start_date), ("to", invoice.end_date))
    billed = (("f.advertiser", invoice.supplier_id), ("f.status", "confirmed"), ("f.currency", invoice.currency))
    chosen = (("by", "offer"), *billed, ("currency", invoice.currency), *days)
    return str(PageAddress("/console/reports", chosen))
