"""The page of one invoice, and the forms that create and edit invoices."""

from collections.abc import Mapping
from typing import Final

from trackyard.api.money import invoices
from trackyard.api.offers import lists
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, FormRows, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import ADVERTISERS
from trackyard.console.money.invoices import COUNTED, PATH, find_invoice, period_of
from trackyard.console.money.words import INVOICE_MARKS, INVOICE_STATUSES, currency_choices
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.system.audit_log import recent_changes

pages = Pages()

_LINES: Final = FormRows(
    "detail",
    lazy_gettext("Line"),
    (
        FormField("offer_id", lazy_gettext("Number of the offer"), help=""),
        FormField("payout_type", lazy_gettext("What it counts"), words=COUNTED, help=""),
        FormField("actions", lazy_gettext("How many"), help=""),
        FormField("amount", lazy_gettext("Amount"), help=""),
        FormField("comment", lazy_gettext("Comment"), help=""),
    ),
    help=lazy_gettext("Without lines they are computed from the statistics of the period."),
)
_CURRENCY: Final = FormField("currency", lazy_gettext("Currency"))
_MAIN: Final = (
    FormField("supplier_id", lazy_gettext("Advertiser"), help=""),
    FormField("start_date", lazy_gettext("First day")),
    FormField("end_date", lazy_gettext("Last day")),
    FormField("status", lazy_gettext("Status"), words=INVOICE_STATUSES, help=""),
    FormField("comment", lazy_gettext("Comment"), wide=True),
)
NEW: Final = FormPlan(
    invoices.add,
    (FormGroup(lazy_gettext("Invoice"), (*_MAIN, _CURRENCY)), FormGroup(lazy_gettext("Lines"), (_LINES,))),
)
EDIT: Final = FormPlan(
    invoices.edit,
    (FormGroup(lazy_gettext("Invoice"), _MAIN), FormGroup(lazy_gettext("Lines"), (_LINES,))),
)


@pages.get("/console/invoices/new", needs=(invoices.add,))
@pages.post("/console/invoices/new", needs=(invoices.add,))
def new_invoice(request: PageRequest) -> PageAnswer:
    """Create an invoice."""
    form = open_form(request, NEW, choices=_choices(request))
    answer = form.save()
    if answer is not None:
        return Redirect(f"{PATH}/{answer.number}", gettext("Invoice %(number)s is created.", number=answer.number))
    line = gettext("With both days and no lines, the lines are computed from statistics, by offer.")
    return form.page(request, gettext("New invoice"), back=PATH, line=line, save=gettext("Create the invoice"))


@pages.get("/console/invoices/{number}", needs=(invoices.show,))
def invoice_page(request: PageRequest) -> PageAnswer:
    """Show an invoice with its lines."""
    invoice, calls = find_invoice(request), request.calls
    titles = ADVERTISERS.names(calls, [invoice.supplier_id])
    number = str(invoice.number)
    return request.page(
        "money/invoice.html",
        invoice=invoice,
        title=titles.get(invoice.supplier_id, ""),
        word=INVOICE_STATUSES[invoice.status],
        mark=INVOICE_MARKS[invoice.status],
        period=period_of(invoice),
        counted=COUNTED,
        offers=_offer_titles(request, {line.offer_id for line in invoice.detail}),
        path=f"{PATH}/{number}",
        activity=recent_changes(request, "invoice", number),
        api_request_path=calls.address(invoices.show, path={"number": number}),
    )


@pages.get("/console/invoices/{number}/edit", needs=(invoices.show, invoices.edit))
@pages.post("/console/invoices/{number}/edit", needs=(invoices.show, invoices.edit))
def edit_invoice(request: PageRequest) -> PageAnswer:
    """Change an invoice."""
    invoice = find_invoice(request)
    number = str(invoice.number)
    form = open_form(request, EDIT, invoice, choices=_choices(request), path={"number": number})
    if form.save() is not None:
        return Redirect(f"{PATH}/{number}", gettext("Invoice %(number)s is saved.", number=number))
    return form.page(
        request,
        gettext("Edit invoice %(number)s", number=number),
        back=f"{PATH}/{number}",
        save=gettext("Save the invoice"),
    )


def _offer_titles(request: PageRequest, ids: set[int]) -> dict[int, str]:
    """Return titles by number of the offers that the person may see."""
    if not ids or not request.calls.may(lists.list_offers):
        return {}
    statuses = [("status[]", each) for each in ("active", "stopped", "suspended")]
    sent = [*(("int_id[]", str(each)) for each in sorted(ids)), *statuses, ("limit", str(len(ids)))]
    return {each.id: each.title for each in request.calls.ask(lists.list_offers, sent).offers}


def _choices(request: PageRequest) -> Mapping[str, Choices]:
    """Return the values that people choose from by name; a field without any is written."""
    named: dict[str, Choices] = {
        "supplier_id": ADVERTISERS.choices(request.calls),
        "currency": currency_choices(request),
    }
    return {name: found for name, found in named.items() if found}
