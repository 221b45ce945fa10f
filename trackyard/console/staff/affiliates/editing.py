"""Creating and editing an affiliate."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from trackyard.api.money import payment_systems
from trackyard.api.people import affiliates, invitations
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FieldChoices, FormField, FormGroup, FormPlan, open_form
from trackyard.console.forms.plain import names_in, plain_form_fields
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import MANAGERS
from trackyard.console.money.payees import NAME, payee_choices, payee_rows, payee_values
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.staff.affiliates.one import find_affiliate
from trackyard.console.staff.affiliates.words import STATUSES
from trackyard.console.staff.custom_answers import custom_choices, with_custom_fields
from trackyard.console.staff.inviting import (
    EMAIL,
    INVITE_LINE,
    LANGUAGE,
    MESSAGE,
    SEND_INVITATION,
    invited_sentence,
)
from trackyard.console.staff.people_names import affiliate_name
from trackyard.domain.people.affiliate_fields import AFFILIATE_FIELDS
from trackyard.wire.endpoint import A
from trackyard.wire.response.envelope import values_by_name

pages = Pages()

_NAME: Final = FormField("name", lazy_gettext("Name"))
_MANAGER: Final = FormField("manager_id", lazy_gettext("Manager"), help="")
_TAGS: Final = FormField("tags", lazy_gettext("Tags"), widget="words")
_ACCOUNT: Final = (
    _NAME,
    FormField("login", lazy_gettext("Login")),
    FormField("status", lazy_gettext("Status"), words=STATUSES),
    _MANAGER,
    _TAGS,
    FormField("level", lazy_gettext("Level")),
    FormField("notes", lazy_gettext("Notes"), widget="long", wide=True),
)
_MORE: Final = (
    FormGroup(
        lazy_gettext("Contact"),
        (
            FormField("contact_person", lazy_gettext("Contact person"), read="contactPerson"),
            FormField("company", lazy_gettext("Company")),
            FormField("phone", lazy_gettext("Phone")),
            FormField("address_1", lazy_gettext("Street")),
            FormField("address_2", lazy_gettext("Second line")),
            FormField("zip_code", lazy_gettext("Postal code")),
            FormField("city", lazy_gettext("City")),
            FormField("country", lazy_gettext("Country")),
        ),
    ),
    FormGroup(
        lazy_gettext("Referrals"),
        (
            FormField(
                "ref", lazy_gettext("Referred by"), help=lazy_gettext("Number of the affiliate that brought this one.")
            ),
            FormField("ref_percent", lazy_gettext("Share of referrals"), unit="percent"),
        ),
        folded=True,
    ),
    FormGroup(
        lazy_gettext("Servers of the affiliate"),
        (
            FormField("server_clicks", lazy_gettext("They report clicks")),
            FormField("server_ip", lazy_gettext("Their IP addresses"), widget="lines"),
        ),
        folded=True,
    ),
)
_INVITED: Final = (EMAIL, _NAME, LANGUAGE, _MANAGER, _TAGS, MESSAGE)
_STATED: Final = names_in((FormGroup(lazy_gettext("Account"), _ACCOUNT), *_MORE))
_WHOLE: Final = (*_ACCOUNT, *plain_form_fields(AFFILIATE_FIELDS, _STATED))
"""The fields of the account, and the plain fields that no group states."""
_REST: Final = tuple(each for each in _WHOLE if each.name != "status" and each not in _INVITED)
NEW: Final = FormPlan(
    invitations.invite_affiliate,
    (
        FormGroup(lazy_gettext("Invitation"), _INVITED),
        FormGroup(lazy_gettext("Account"), _REST, folded=True),
        *(replace(each, folded=True) for each in _MORE),
    ),
)
EDIT: Final = FormPlan(affiliates.edit, (FormGroup(lazy_gettext("Account"), _WHOLE), *_MORE))


@pages.get("/console/affiliates/new", needs=(invitations.invite_affiliate,))
@pages.post("/console/affiliates/new", needs=(invitations.invite_affiliate,))
def invite_affiliate(request: PageRequest) -> PageAnswer:
    """Invite an affiliate, which chooses its password with the link of a mail."""
    form = open_form(request, _with_lists(request, NEW), choices=_choices(request))
    answer = form.save()
    if answer is not None:
        return Redirect(f"/console/affiliates/{answer.partner.id}", invited_sentence(answer.partner.email))
    return form.page(
        request, gettext("Invite an affiliate"), back="/console/affiliates", line=INVITE_LINE, save=SEND_INVITATION
    )


@pages.get("/console/affiliates/{id}/edit", needs=(affiliates.show, affiliates.edit))
@pages.post("/console/affiliates/{id}/edit", needs=(affiliates.show, affiliates.edit))
def edit_affiliate(request: PageRequest) -> PageAnswer:
    """Change an affiliate."""
    found = find_affiliate(request)
    path = f"/console/affiliates/{found.id}"
    plan = _with_lists(request, EDIT)
    form = open_form(request, plan, _values(found), choices=_choices(request), path={"id": str(found.id)})
    answer = form.save()
    if answer is not None:
        return Redirect(path, gettext("%(name)s is saved.", name=affiliate_name(answer.partner)))
    return form.page(
        request, gettext("Edit %(name)s", name=affiliate_name(found)), back=path, save=gettext("Save the affiliate")
    )


def _values(affiliate: AffiliateView) -> dict[str, object]:
    """Return an affiliate's values by parameter name."""
    return values_by_name(affiliate) | {
        NAME: payee_values(affiliate.payment_systems),
        "custom_fields": {str(each.id): each.value for each in affiliate.custom_fields},
        "manager_id": affiliate.manager.id if affiliate.manager else "",
        "ref": "" if affiliate.ref == "0" else affiliate.ref,
    }


def _choices(request: PageRequest) -> FieldChoices:
    """Return the values that people choose from by name; a field without any is written."""
    systems = payee_choices(_systems(request))
    named: dict[str, Sequence[tuple[str, str]]] = {
        **systems,
        **custom_choices(request),
        "manager_id": MANAGERS.choices(request.calls),
        "country": country_names(),
    }
    return {name: found for name, found in named.items() if found}


def _with_lists(request: PageRequest, plan: FormPlan[A]) -> FormPlan[A]:
    """Return a form with the payment systems and sign-up questions of the network."""
    groups = list(plan.groups)
    if systems := _systems(request):
        groups.append(FormGroup(gettext("Payment systems"), (payee_rows(systems),)))
    return with_custom_fields(request, replace(plan, groups=tuple(groups)), gettext("Sign-up answers"))


def _systems(request: PageRequest) -> Sequence[payment_systems.PaymentSystemView]:
    """Return the payment systems of the network; none where the person may not list them."""
    if not request.calls.may(payment_systems.list_all):
        return ()
    return request.calls.ask(payment_systems.list_all).payment_systems
