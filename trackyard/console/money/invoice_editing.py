"""The forms that make and edit drafts of invoices, and the page of a document."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from trackyard.api.money import billed_invoices as api
from trackyard.api.money import billing
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.base.zones import local_day
from trackyard.console.forms import FormField, FormGroup, FormPlan, FormRows, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import ADVERTISERS
from trackyard.console.money.documents import document_page
from trackyard.console.money.invoices import COUNTED, PATH, find_invoice, name_of
from trackyard.console.money.words import INVOICE_STATUSES, currency_choices
from trackyard.console.offers_shown.choices import Choices

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
    help=lazy_gettext("Without lines they are computed from the confirmed conversions of the period, by offer."),
)
_TAXES: Final = FormRows(
    "taxes",
    lazy_gettext("Tax"),
    (
        FormField("name", lazy_gettext("Name"), help=lazy_gettext("Such as VAT.")),
        FormField("percent", lazy_gettext("Percent of the lines"), help=""),
    ),
    help=lazy_gettext("A tax is computed from the sum of the lines, in the unit of the currency."),
)
_CURRENCY: Final = FormField("currency", lazy_gettext("Currency"), help="")
_MAIN: Final = (
    FormField("supplier_id", lazy_gettext("Advertiser"), help=""),
    FormField("start_date", lazy_gettext("First day"), help=""),
    FormField("end_date", lazy_gettext("Last day"), help=""),
    FormField(
        "due_date", lazy_gettext("Due date"), help=lazy_gettext("Empty: the days of the settings after the issue.")
    ),
    FormField("invoice_status", lazy_gettext("Status"), words=INVOICE_STATUSES, help=""),
    FormField("notes", lazy_gettext("Notes"), help=lazy_gettext("Below the sums."), widget="long", wide=True),
    FormField("comment", lazy_gettext("Comment"), help=lazy_gettext("For staff."), wide=True),
)
_REST: Final = (FormGroup(lazy_gettext("Lines"), (_LINES,)), FormGroup(lazy_gettext("Taxes"), (_TAXES,)))
NEW: Final = FormPlan(api.add, (FormGroup(lazy_gettext("Invoice"), (*_MAIN, _CURRENCY)), *_REST))
EDIT: Final = FormPlan(api.edit, (FormGroup(lazy_gettext("Invoice"), _MAIN), *_REST))


@pages.get("/console/invoices/new", needs=(api.add,))
@pages.post("/console/invoices/new", needs=(api.add,))
def new_invoice(request: PageRequest) -> PageAnswer:
    """Make a draft. It begins with the last month, unpaid, in the platform's currency."""
    form = open_form(request, NEW, _first_values(request), choices=_choices(request), is_new=True)
    answer = form.save()
    if answer is not None:
        made = answer.invoice
        return Redirect(f"{PATH}/{made.number}", gettext("%(invoice)s is a draft.", invoice=name_of(made)))
    line = gettext("A draft is for staff alone until it is issued.")
    return form.page(request, gettext("New invoice"), back=PATH, line=line, save=gettext("Save the draft"))


@pages.get("/console/invoices/{number}/edit", needs=(api.show, api.edit))
@pages.post("/console/invoices/{number}/edit", needs=(api.show, api.edit))
def edit_invoice(request: PageRequest) -> PageAnswer:
    """Change an invoice that is not issued."""
    invoice = find_invoice(request)
    path = f"{PATH}/{invoice.number}"
    form = open_form(request, EDIT, invoice, choices=_choices(request), path={"number": str(invoice.number)})
    if form.save() is not None:
        return Redirect(path, gettext("%(invoice)s is saved.", invoice=name_of(invoice)))
    title = gettext("Edit %(invoice)s", invoice=name_of(invoice))
    return form.page(request, title, back=path, save=gettext("Save the invoice"))


@pages.get("/console/invoices/{number}/document", needs=(api.show_document,))
def show_document(request: PageRequest) -> PageAnswer:
    """Show the document of an invoice or a credit note."""
    answer = request.calls.ask(api.show_document, path=request.path)
    return document_page(request, answer.document, f"{PATH}/{request.path['number']}")


def _first_values(request: PageRequest) -> Mapping[str, object]:
    """Return the first values of a new invoice."""
    today = local_day(request.deps.clock.now_ms(), request.day_zone)
    last = today.replace(day=1) - timedelta(days=1)
    values: dict[str, object] = {
        "supplier_id": request.address.get("advertiser"),
        "start_date": last.replace(day=1).isoformat(),
        "end_date": last.isoformat(),
        "invoice_status": "unpaid",
        "currency": request.deps.currency,
    }
    if request.calls.may(billing.show):
        found = request.calls.ask(billing.show).billing
        values["notes"] = found.notes
        values["taxes"] = [{"name": found.tax_name, "percent": found.tax_percent}] if found.tax_name else []
    return values


def _choices(request: PageRequest) -> Mapping[str, Choices]:
    """Return the values that people choose from by name; a field without any is written."""
    named: dict[str, Choices] = {
        "supplier_id": ADVERTISERS.choices(request.calls),
        "currency": currency_choices(request),
    }
    return {name: found for name, found in named.items() if found}
