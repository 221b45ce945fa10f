"""The page of one invoice, and the forms that create and edit invoices."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.console.forms import FormField, FormGroup, FormPlan, FormRows, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices, listed
from trackyard.console.staff.money.invoices import COUNTED, PATH, find_invoice, invoice_row
from trackyard.console.staff.money.words import INVOICE_STATUSES, currency_choices
from trackyard.console.staff.people_names import advertiser_titles

pages = Pages()

_LINES: Final = FormRows(
    "detail",
    "Line",
    (
        FormField("offer_id", "Number of the offer", help=""),
        FormField("payout_type", "What it counts", words=COUNTED, help=""),
        FormField("actions", "How many", help=""),
        FormField("amount", "Amount", help=""),
        FormField("comment", "Comment", help=""),
    ),
    help="Without lines they are computed from the statistics of the period.",
)
_CURRENCY: Final = FormField("currency", "Currency")
_MAIN: Final = (
    FormField("supplier_id", "Advertiser", help=""),
    FormField("start_date", "First day"),
    FormField("end_date", "Last day"),
    FormField("status", "Status", words=INVOICE_STATUSES, help=""),
    FormField("comment", "Comment", wide=True),
)
NEW: Final = FormPlan(
    "admin.advertiser-invoice.add", (FormGroup("Invoice", (*_MAIN, _CURRENCY)), FormGroup("Lines", (_LINES,)))
)
EDIT: Final = FormPlan("admin.advertiser-invoice.edit", (FormGroup("Invoice", _MAIN), FormGroup("Lines", (_LINES,))))


@pages.get("/console/invoices/new", needs=("admin.advertiser-invoice.add",))
@pages.post("/console/invoices/new", needs=("admin.advertiser-invoice.add",))
def new_invoice(request: PageRequest) -> PageAnswer:
    """Create an invoice."""
    form = open_form(request, NEW, choices=_choices(request))
    answer = form.save()
    if answer is not None:
        return Redirect(f"{PATH}/{answer['number']}", f"Invoice {answer['number']} is created.")
    line = "With both days and no lines, the lines are computed from statistics, by offer."
    return form.page(request, "New invoice", back=PATH, line=line, save="Create the invoice")


@pages.get("/console/invoices/{number}", needs=("admin.advertiser-invoice.get",))
def invoice_page(request: PageRequest) -> PageAnswer:
    """Show an invoice with its lines."""
    invoice, calls = find_invoice(request), request.calls
    titles = advertiser_titles(calls, [invoice["supplier_id"]])
    number = str(invoice["number"])
    return request.page(
        "staff/invoice.html",
        invoice=invoice_row(invoice, titles),
        lines=[line | {"counted": COUNTED[line["payout_type"]]} for line in invoice["detail"]],
        offers=_offer_titles(request, {line["offer_id"] for line in invoice["detail"]}),
        path=f"{PATH}/{number}",
        api_request_path=calls.address("admin.advertiser-invoice.get", path={"number": number}),
    )


@pages.get("/console/invoices/{number}/edit", needs=("admin.advertiser-invoice.get", "admin.advertiser-invoice.edit"))
@pages.post("/console/invoices/{number}/edit", needs=("admin.advertiser-invoice.get", "admin.advertiser-invoice.edit"))
def edit_invoice(request: PageRequest) -> PageAnswer:
    """Change an invoice."""
    invoice = find_invoice(request)
    number = str(invoice["number"])
    form = open_form(request, EDIT, invoice, choices=_choices(request), path={"number": number})
    if form.save() is not None:
        return Redirect(f"{PATH}/{number}", f"Invoice {number} is saved.")
    return form.page(request, f"Edit invoice {number}", back=f"{PATH}/{number}", save="Save the invoice")


def _offer_titles(request: PageRequest, ids: set[int]) -> dict[int, str]:
    """Return titles of offers by number, of those that the person may see."""
    if not ids or not request.calls.may("offers.list"):
        return {}
    statuses = [("status[]", each) for each in ("active", "stopped", "suspended")]
    sent = [*(("int_id[]", str(each)) for each in sorted(ids)), *statuses, ("limit", str(len(ids)))]
    return {each["id"]: each["title"] for each in request.calls.call("offers.list", sent)["offers"]}


def _choices(request: PageRequest) -> Mapping[str, Choices]:
    """Return the values that people choose from by name; a field without any is written."""
    advertisers = listed(request.calls, "admin.advertisers.list", "advertisers", "title", (("order", "title"),))
    named: dict[str, Any] = {"supplier_id": advertisers, "currency": currency_choices(request)}
    return {name: found for name, found in named.items() if found}
