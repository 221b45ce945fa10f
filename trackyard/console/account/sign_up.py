"""Signing up as an affiliate or as an advertiser (docs/spec/console.md#sign-up)."""

from collections.abc import Sequence
from typing import Final

from trackyard.actions.platform.custom_fields import list_custom_fields
from trackyard.api.people import own_account
from trackyard.api.people.advertiser_side import signing
from trackyard.base.strangers import StrangerAct
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan, Widget
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import country_names
from trackyard.domain.platform.custom_fields import CustomField, CustomFieldType
from trackyard.domain.platform.network import SignUpState

pages = Pages()

PATH: Final = "/sign-up"
DONE: Final = "/sign-up/done"
ADVERTISER: Final = "/sign-up/advertiser"
ADVERTISER_DONE: Final = "/sign-up/advertiser/done"
_PASSWORD: Final = FormField(
    "password", label=lazy_gettext("Password"), help=lazy_gettext("At least 12 characters."), widget="password"
)
_ACCOUNT: Final = FormGroup(
    lazy_gettext("Your account"),
    (
        FormField(
            "email",
            label=lazy_gettext("E-mail address"),
            help=lazy_gettext("A mail asks you to confirm it."),
            widget="email",
        ),
        _PASSWORD,
        FormField("name", label=lazy_gettext("Name of your business, or your own"), help=""),
        FormField("contact_person", label=lazy_gettext("Contact person"), help=""),
        FormField("phone", label=lazy_gettext("Phone"), help=""),
        FormField("country", label=lazy_gettext("Country"), help="", widget="select"),
    ),
)
_TERMS: Final = FormField(
    "accept_terms", label=lazy_gettext("I accept the terms"), help="", widget="switch", required=True
)
_ADVERTISER_PLAN: Final = FormPlan(
    signing.add,
    (
        FormGroup(
            lazy_gettext("Your account"),
            (
                FormField("email", label=lazy_gettext("E-mail address"), help="", widget="email"),
                _PASSWORD,
                FormField("title", label=lazy_gettext("Name of your business"), help=""),
                FormField("contact", label=lazy_gettext("Contact person"), help=""),
                FormField("skype", label=lazy_gettext("Messenger"), help=""),
                FormField("url", label=lazy_gettext("Site"), help=""),
                FormField("country", label=lazy_gettext("Country"), help="", widget="select"),
            ),
        ),
    ),
)
_WIDGETS: Final[dict[CustomFieldType, Widget]] = {
    CustomFieldType.TEXT: "text",
    CustomFieldType.TEXTAREA: "long",
    CustomFieldType.SELECT: "select",
}


@pages.get(PATH, audience="anyone")
@pages.post(PATH, audience="anyone", act=StrangerAct.SIGN_UP)
def sign_up(request: PageRequest) -> PageAnswer:
    """Show the form, and send it."""
    if request.person_or_none is not None:
        return Redirect(request.person_or_none.home)
    if request.network.sign_up is SignUpState.CLOSED:
        return request.page("account/sign_up_closed.html", 403 if request.form else 200, of_advertisers=False)
    questions = list_custom_fields(request.deps)
    choices = {_name(each): [(value, value) for value in each.field_values or ()] for each in questions}
    referrer = request.address.get("ref")
    fixed = [("ref", referrer)] if referrer.isascii() and referrer.isdecimal() and len(referrer) < 10 else []
    form = open_form(
        request,
        _plan(questions, has_terms=bool(request.network.terms_version)),
        choices={"country": country_names(), **choices},
        fixed=fixed,
    )
    if form.save() is not None:
        return Redirect(DONE)
    return request.page("account/sign_up.html", form.status, form=form, of_advertisers=False)


@pages.get(DONE, audience="anyone")
def signed_up(request: PageRequest) -> PageAnswer:
    """Say what comes next, which is the same for addresses that have an account."""
    return request.page("account/signed_up.html", of_advertisers=False)


@pages.get(ADVERTISER, audience="anyone")
@pages.post(ADVERTISER, audience="anyone", act=StrangerAct.SIGN_UP)
def sign_up_as_advertiser(request: PageRequest) -> PageAnswer:
    """Show the form of advertisers, and send it."""
    if request.person_or_none is not None:
        return Redirect(request.person_or_none.home)
    if request.network.shown_advertiser_sign_up is SignUpState.CLOSED:
        return request.page("account/sign_up_closed.html", 403 if request.form else 200, of_advertisers=True)
    form = open_form(request, _ADVERTISER_PLAN, choices={"country": country_names()})
    if form.save() is not None:
        return Redirect(ADVERTISER_DONE)
    return request.page("account/sign_up.html", form.status, form=form, of_advertisers=True)


@pages.get(ADVERTISER_DONE, audience="anyone")
def signed_up_as_advertiser(request: PageRequest) -> PageAnswer:
    """Say what comes next for an advertiser, which is the same for addresses that have an account."""
    return request.page("account/signed_up.html", of_advertisers=True)


def _name(question: CustomField) -> str:
    return f"custom_fields[{question.id}]"


def _plan(questions: Sequence[CustomField], *, has_terms: bool) -> FormPlan[own_account.SignedUpAnswer]:
    fields = tuple(_field(each) for each in questions)
    groups = (
        _ACCOUNT,
        FormGroup(gettext("About you"), fields),
        FormGroup(gettext("Terms"), (_TERMS,) if has_terms else ()),
    )
    return FormPlan(own_account.add, tuple(each for each in groups if each.parts))


def _field(question: CustomField) -> FormField:
    widget = _WIDGETS[CustomFieldType(question.field_type)]
    return FormField(_name(question), label=question.name, help="", widget=widget, required=question.required)
