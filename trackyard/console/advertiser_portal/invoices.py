"""The invoices of an advertiser, and their documents, on its own pages."""

from typing import Final

from trackyard.api.money import billed_invoices as api
from trackyard.api.money.billed_invoices import OwnInvoicesAnswer, OwnInvoiceView
from trackyard.base.texts.marks import lazy_gettext, ngettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import ListColumn, ListPage
from trackyard.console.lists.page import declare_list
from trackyard.console.money.documents import document_page
from trackyard.console.money.invoices import mark_of, name_of, period_of

pages = Pages()

PATH: Final = "/advertiser/invoices"
INVOICES: Final = ListPage[OwnInvoiceView, OwnInvoicesAnswer](
    path=PATH,
    audience="advertiser",
    method=api.list_own,
    view=OwnInvoicesAnswer,
    rows=lambda _, answer: answer.invoices,
    title=lazy_gettext("Invoices"),
    counted=lambda total: ngettext("%(num)d invoice.", "%(num)d invoices.", total),
    about=lazy_gettext("They bill confirmed conversions. Pending and held ones may come later."),
    filters=(),
    columns=(
        ListColumn(
            title=lazy_gettext("Number"),
            role="title",
            cell=lambda each, _: ListCell(name_of(each), link=f"{PATH}/{each.number}", value=each.number),
        ),
        ListColumn(title=lazy_gettext("Period"), cell=lambda each, _: period_of(each)),
        ListColumn(
            title=lazy_gettext("Total"), role="figure", cell=lambda each, _: cells.money(each.total, each.currency)
        ),
        ListColumn(title=lazy_gettext("Status"), cell=lambda each, _: cells.status(*mark_of(each))),
        ListColumn(title=lazy_gettext("Issued"), cell=lambda each, _: each.issued_at[:10]),
        ListColumn(title=lazy_gettext("Due date"), cell=lambda each, _: each.due_date),
    ),
    empty=lazy_gettext("There are no invoices yet."),
)
declare_list(pages, INVOICES)


@pages.get("/advertiser/invoices/{number}", audience="advertiser", needs=(api.show_own_document,))
def invoice_page(request: PageRequest) -> PageAnswer:
    """Show the document of an invoice or a credit note."""
    return document_page(request, request.calls.ask(api.show_own_document, path=request.path).document, PATH)
