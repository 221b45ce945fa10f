"""Corrections of balances: the list, and the form of a new one (docs/spec/console.md#money)."""

from typing import Final

from trackyard.api.money import corrections as corrections_api
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame import shown
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.money.words import currency_choices, read_or_fault
from trackyard.console.staff.people_names import affiliate_names, full_name

pages = Pages()

PATH: Final = "/console/balances/corrections"
_FIELDS: Final = (
    FormField("pid", lazy_gettext("Affiliate"), help=lazy_gettext("Number of the affiliate.")),
    FormField("currency", lazy_gettext("Currency")),
    FormField("amount", lazy_gettext("Amount"), help=lazy_gettext("Below 0 takes the amount away.")),
    FormField(
        "comment",
        lazy_gettext("Comment"),
        widget="long",
        help=lazy_gettext("The affiliate sees it in its statement."),
        wide=True,
    ),
)
NEW: Final = FormPlan(corrections_api.add, (FormGroup(lazy_gettext("Correction"), _FIELDS),))


@pages.get(PATH, needs=(corrections_api.list_,))
def corrections(request: PageRequest) -> PageAnswer:
    """Show corrections that meet the filters, the newest first."""
    calls = request.calls
    filters = (
        ListFilter("affiliate", gettext("Affiliate number"), "pid[]", None, "number"),
        ListFilter("currency", gettext("Currency"), "currency[]", currency_choices(request)),
        ListFilter("since", gettext("Entered from"), "date_from", None, "date"),
        ListFilter("until", gettext("Entered until"), "date_to", None, "date"),
    )
    state = read_list(request.address, filters)
    sent = state.sent()
    if (file := list_file(request, corrections_api.list_, lambda answer: answer.corrections, sent)) is not None:
        return file
    found, total, fault = read_or_fault(request, corrections_api.list_, lambda answer: answer.corrections, sent)
    return request.page(
        "staff/corrections.html",
        rows=found,
        names=affiliate_names(calls, (each.pid for each in found)),
        full_name=full_name,
        may_write=calls.may(corrections_api.add),
        fault=fault,
        api_request_path=calls.address(corrections_api.list_, sent),
        **state.shown(total),
    )


@pages.get(f"{PATH}/new", needs=(corrections_api.add,))
@pages.post(f"{PATH}/new", needs=(corrections_api.add,))
def new_correction(request: PageRequest) -> PageAnswer:
    """Enter a correction; the address may name the affiliate."""
    values = {"pid": request.address.get("affiliate"), "currency": request.deps.currency, "amount": "", "comment": ""}
    choices = {"currency": currency_choices(request)}
    form = open_form(request, NEW, values, choices=choices, is_new=True)
    answer = form.save()
    if answer is not None:
        made = answer.correction
        amount = shown.money(made.amount, made.currency)
        message = gettext("The balance of affiliate %(pid)s changed by %(amount)s.", pid=made.pid, amount=amount)
        return Redirect(f"{PATH}?affiliate={made.pid}", message)
    line = gettext("It stays in the ledger: another correction of the opposite amount undoes it.")
    return form.page(request, gettext("Correct a balance"), back=PATH, line=line, save=gettext("Enter the correction"))
