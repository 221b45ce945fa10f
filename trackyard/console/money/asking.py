"""Forms of an affiliate: a payment request, and its payment systems (docs/spec/console.md#portal)."""

from decimal import Decimal
from typing import Final

from trackyard.api.money import payment_requests
from trackyard.api.people import affiliates, own_account
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame import shown
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.payees import NAME, payee_choices, payee_rows, payee_values
from trackyard.console.money.payments import OWN_PATH as PATH
from trackyard.domain.money.units import in_units

pages = Pages()

_SYSTEM: Final = FormField("system_id", lazy_gettext("Pay by"), help=lazy_gettext("One of your payment systems."))
_PASSWORD: Final = FormField(
    "password", lazy_gettext("Password"), widget="password", help=lazy_gettext("The password of your account.")
)
_ABOUT: Final = lazy_gettext("Fill the fields of the payment system that you choose.")


@pages.get(f"{PATH}/request", audience="affiliate", needs=(payment_requests.add, affiliates.show_balance))
@pages.post(f"{PATH}/request", audience="affiliate", needs=(payment_requests.add, affiliates.show_balance))
def ask(request: PageRequest) -> PageAnswer:
    """Ask to be paid what is available."""
    calls = request.calls
    available = {
        code: amount for code, amount in calls.ask(affiliates.show_balance).balance.available.items() if amount > 0
    }
    own = calls.ask(own_account.list_payment_systems).payment_systems
    wanted = request.address.get("currency")
    currency = wanted if wanted in available else next(iter(available), request.deps.currency)
    fields = (
        FormField("currency", gettext("Currency"), help=""),
        FormField("amount", gettext("Amount"), help=gettext("At most what is available.")),
        *((_SYSTEM,) if own else ()),
        FormField("comment", gettext("Comment"), widget="long", help=gettext("The network reads it."), wide=True),
    )
    plan = FormPlan(payment_requests.add, (FormGroup(gettext("Request"), fields),))
    amount = in_units(Decimal(str(available.get(currency, 0))), currency)
    values = {"currency": currency, "amount": amount, "comment": "", "system_id": str(own[0].id) if own else ""}
    choices = {
        "currency": [(code, code) for code in (available or [currency])],
        "system_id": list({str(each.id): each.system for each in own}.items()),
    }
    form = open_form(request, plan, values, choices=choices, is_new=True)
    answer = form.save()
    if answer is not None:
        made = answer.payment_request
        amount_text = shown.money(made.amount, made.currency)
        return Redirect(PATH, gettext("You asked for %(amount)s. The network decides.", amount=amount_text))
    rest = ", ".join(shown.money(each, code) for code, each in available.items())
    line = gettext("Nothing is available.")
    if rest:
        line = gettext("Available: %(sums)s. The amount stays available until a payment is made.", sums=rest)
    return form.page(request, gettext("Request a payment"), back=PATH, line=line, save=gettext("Send the request"))


@pages.get(f"{PATH}/systems", audience="affiliate", needs=(own_account.edit_payment_systems,))
@pages.post(f"{PATH}/systems", audience="affiliate", needs=(own_account.edit_payment_systems,))
def payment_systems(request: PageRequest) -> PageAnswer:
    """Change how the affiliate is paid."""
    found = request.calls.ask(own_account.list_payment_systems)
    offered = found.offered
    groups = (
        FormGroup(gettext("Payment systems"), (payee_rows(offered, _ABOUT),)),
        FormGroup(gettext("Confirm"), (_PASSWORD,)),
    )
    plan = FormPlan(own_account.edit_payment_systems, groups, sends_all=True)
    values = {NAME: payee_values(found.payment_systems), "password": ""}
    form = open_form(request, plan, values, choices=payee_choices(offered))
    if form.save() is not None:
        return Redirect(PATH, gettext("Your payment systems are saved. You get a mail about it."))
    line = (
        gettext("Where the network sends your money.")
        if offered
        else gettext("The network has no payment systems yet.")
    )
    return form.page(
        request, gettext("Your payment systems"), back=PATH, line=line, save=gettext("Save the payment systems")
    )
