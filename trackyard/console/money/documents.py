"""The page of a document, and who issues documents (docs/spec/documents.md)."""

from typing import Final

from trackyard.api.money import billing
from trackyard.api.money.document_views import DocumentView
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()

PATH: Final = "/console/settings/documents"
PLAN: Final = FormPlan(
    billing.edit,
    (
        FormGroup(
            lazy_gettext("Who issues them"),
            (
                FormField("legal_name", lazy_gettext("Legal name")),
                FormField("tax_number", lazy_gettext("Tax number"), help=lazy_gettext("Such as a VAT number.")),
                FormField("address", lazy_gettext("Address"), widget="long", wide=True),
                FormField("payment_details", lazy_gettext("How invoices are paid"), widget="long", wide=True),
            ),
        ),
        FormGroup(
            lazy_gettext("Numbers"),
            (
                FormField("invoice_series", lazy_gettext("Series of invoices")),
                FormField("invoice_next", lazy_gettext("Next number of the series")),
                FormField("credit_series", lazy_gettext("Series of credit notes")),
            ),
        ),
        FormGroup(
            lazy_gettext("New invoices"),
            (
                FormField("due_days", lazy_gettext("Days until they are due")),
                FormField("tax_name", lazy_gettext("Tax")),
                FormField("tax_percent", lazy_gettext("Percent")),
                FormField("notes", lazy_gettext("Notes"), widget="long", wide=True),
            ),
        ),
    ),
)


@pages.get(PATH, needs=(billing.show, billing.edit))
@pages.post(PATH, needs=(billing.show, billing.edit))
def billing_settings(request: PageRequest) -> PageAnswer:
    """Show and change who issues documents, and what new invoices have."""
    form = open_form(request, PLAN, request.calls.ask(billing.show).billing)
    if form.save() is not None:
        return Redirect(PATH, gettext("The settings of documents are saved."))
    return form.page(
        request,
        gettext("Documents"),
        back="/console/settings",
        line=gettext("What invoices, credit notes and remittances have. Documents that are issued stay as they are."),
        save=gettext("Save"),
    )


def document_page(request: PageRequest, document: DocumentView, back: str) -> Html:
    """Return the page of a document, which prints as its file does. back: the page of its subject."""
    return request.page("money/document.html", document=document, back=back)
