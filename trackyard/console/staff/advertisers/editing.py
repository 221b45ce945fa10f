"""Creating and editing an advertiser."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from trackyard.api.people import advertisers, invitations
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.forms.plain import names_in, plain_form_fields
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import MANAGERS
from trackyard.console.offers_shown.choices import Choices, country_names
from trackyard.console.staff.advertisers.one import STATUSES, find_advertiser
from trackyard.console.staff.custom_answers import custom_choices, with_custom_fields
from trackyard.console.staff.inviting import (
    EMAIL,
    INVITE_LINE,
    LANGUAGE,
    MESSAGE,
    SEND_INVITATION,
    invited_sentence,
)
from trackyard.domain.people.advertiser_fields import ADVERTISER_FIELDS
from trackyard.wire.endpoint import A
from trackyard.wire.response.envelope import values_by_name

pages = Pages()

_GROUPS: Final = (
    FormGroup(
        lazy_gettext("Advertiser"),
        (
            FormField("title", lazy_gettext("Name")),
            FormField("manager", lazy_gettext("Manager"), help=""),
            FormField("contact", lazy_gettext("Contact person")),
            FormField("email", lazy_gettext("E-mail")),
            FormField("skype", lazy_gettext("Messenger")),
            FormField("url", lazy_gettext("Site")),
            FormField("tags", lazy_gettext("Tags"), widget="words"),
            FormField("note", lazy_gettext("Notes"), widget="long", wide=True),
        ),
    ),
    FormGroup(
        lazy_gettext("Sign-in"),
        (
            FormField("status", lazy_gettext("Status"), words=STATUSES),
            FormField(
                "sees_affiliates",
                lazy_gettext("Sees affiliates"),
                help=lazy_gettext("Which affiliates its conversions come from, with their subs; never what they earn."),
            ),
        ),
    ),
    FormGroup(
        lazy_gettext("Affiliates"),
        (
            FormField(
                "affiliates_enabled",
                lazy_gettext("Only these affiliates"),
                help=lazy_gettext(
                    "Numbers of the only affiliates that may send clicks to its offers. Empty means everyone."
                ),
            ),
            FormField(
                "affiliates_disabled",
                lazy_gettext("Not these affiliates"),
                help=lazy_gettext("Numbers of the affiliates that may not send clicks to its offers."),
            ),
            FormField(
                "hide_conversion_status",
                lazy_gettext("Hide status of conversions"),
                help=lazy_gettext("Affiliates see each conversion on its offers as pending and without a comment."),
            ),
            FormField(
                "subaccounts_encryption",
                lazy_gettext("Encrypt subs"),
                help=lazy_gettext("The advertiser reads a code instead of each sub, always the same for a value."),
            ),
        ),
    ),
    FormGroup(
        lazy_gettext("Unique clicks"),
        (
            FormField(
                "host_uniqueness_number_unique_clicks",
                lazy_gettext("Unique clicks per visitor"),
                help=lazy_gettext("Clicks of a visitor on an offer that are unique within the hours; empty means 1."),
            ),
            FormField(
                "host_uniqueness_time_frame",
                lazy_gettext("Hours until new again"),
                help=lazy_gettext("1 to 48 hours after a unique click; empty means 24."),
            ),
        ),
    ),
    FormGroup(
        lazy_gettext("Postbacks"),
        (
            FormField("hash_password", lazy_gettext("Code of postbacks")),
            FormField("allowed_ip", lazy_gettext("Allowed IP addresses"), widget="lines"),
            FormField(
                "disallowed_ip",
                lazy_gettext("Refused IP addresses"),
                widget="lines",
                help=lazy_gettext("They may not report conversions."),
            ),
        ),
    ),
    FormGroup(
        lazy_gettext("Address"),
        (
            FormField("address_1", lazy_gettext("Street")),
            FormField("address_2", lazy_gettext("Second line")),
            FormField("zip_code", lazy_gettext("Postal code")),
            FormField("city", lazy_gettext("City")),
            FormField("country", lazy_gettext("Country")),
            FormField("vat_code", lazy_gettext("VAT number")),
        ),
        folded=True,
    ),
)
GROUPS: Final = (
    replace(_GROUPS[0], parts=(*_GROUPS[0].parts, *plain_form_fields(ADVERTISER_FIELDS, names_in(_GROUPS)))),
    *_GROUPS[1:],
)
"""The groups of the form. The first one ends with the plain fields that no group states."""
NEW: Final = FormPlan(advertisers.add, GROUPS)
EDIT: Final = FormPlan(advertisers.edit, GROUPS)
_INVITED: Final = (
    FormField("title", lazy_gettext("Name")),
    EMAIL,
    FormField("contact", lazy_gettext("Contact person")),
    LANGUAGE,
    FormField("manager", lazy_gettext("Manager"), help=""),
    MESSAGE,
)
_INVITED_NAMES: Final = frozenset(each.name for each in _INVITED) | {"status"}
INVITE: Final = FormPlan(
    invitations.invite_advertiser,
    (
        FormGroup(lazy_gettext("Invitation"), _INVITED),
        *(
            replace(each, parts=tuple(part for part in each.parts if part.name not in _INVITED_NAMES), folded=True)
            for each in GROUPS
        ),
    ),
)


@pages.get("/console/advertisers/new", needs=(advertisers.add,))
@pages.post("/console/advertisers/new", needs=(advertisers.add,))
def new_advertiser(request: PageRequest) -> PageAnswer:
    """Create an advertiser."""
    form = open_form(request, _with_custom_fields(request, NEW), choices=_choices(request))
    answer = form.save()
    if answer is not None:
        made = answer.advertiser
        return Redirect(f"/console/advertisers/{made.id}", gettext("%(title)s is created.", title=made.title))
    line = gettext("Nothing is saved yet. The advertiser gets no mail; its page invites it later.")
    return form.page(
        request,
        gettext("New advertiser"),
        back="/console/advertisers",
        line=line,
        save=gettext("Create the advertiser"),
    )


@pages.get("/console/advertisers/invite", needs=(invitations.invite_advertiser,))
@pages.post("/console/advertisers/invite", needs=(invitations.invite_advertiser,))
def invite_advertiser(request: PageRequest) -> PageAnswer:
    """Invite an advertiser, which chooses its password with the link of a mail."""
    form = open_form(request, _with_custom_fields(request, INVITE), choices=_choices(request))
    answer = form.save()
    if answer is not None:
        return Redirect(f"/console/advertisers/{answer.advertiser.id}", invited_sentence(answer.advertiser.email))
    return form.page(
        request,
        gettext("Invite an advertiser"),
        back="/console/advertisers",
        line=INVITE_LINE,
        save=SEND_INVITATION,
    )


@pages.get("/console/advertisers/{id}/edit", needs=(advertisers.show, advertisers.edit))
@pages.post("/console/advertisers/{id}/edit", needs=(advertisers.show, advertisers.edit))
def edit_advertiser(request: PageRequest) -> PageAnswer:
    """Change an advertiser."""
    found = find_advertiser(request)
    path = f"/console/advertisers/{found.id}"
    lists = {
        "affiliates_enabled": [str(each.id) for each in found.affiliates_enabled],
        "affiliates_disabled": [str(each.id) for each in found.affiliates_disabled],
    }
    plan = _with_custom_fields(request, EDIT)
    form = open_form(request, plan, values_by_name(found) | lists, choices=_choices(request), path={"id": found.id})
    answer = form.save()
    if answer is not None:
        return Redirect(path, gettext("%(title)s is saved.", title=answer.advertiser.title))
    return form.page(
        request, gettext("Edit %(title)s", title=found.title), back=path, save=gettext("Save the advertiser")
    )


def _with_custom_fields(request: PageRequest, plan: FormPlan[A]) -> FormPlan[A]:
    return with_custom_fields(request, plan, gettext("Custom fields"))


def _choices(request: PageRequest) -> Mapping[str, Choices]:
    """Return the values that people choose from by name; a field without any is written."""
    named: dict[str, Choices] = {
        **custom_choices(request),
        "manager": MANAGERS.choices(request.calls),
        "country": country_names(),
    }
    return {name: found for name, found in named.items() if found}
