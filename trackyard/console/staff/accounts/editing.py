"""Creating and editing a staff user (docs/spec/console.md#staff)."""

from dataclasses import replace
from typing import Final

from trackyard.api.people import invitations, staff
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.account.roles import PRESETS, ROLE_WORDS
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.forms.resubmission import DO
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.accounts.listing import PATH
from trackyard.console.staff.accounts.one import find_user
from trackyard.console.staff.inviting import (
    EMAIL,
    INVITE_LINE,
    LANGUAGE,
    MESSAGE,
    SEND_INVITATION,
    invited_sentence,
)
from trackyard.console.staff.people_names import full_name

pages = Pages()

_ROLES: Final = FormField(
    "roles",
    widget="checks",
    words={role.value: f"{words.name}: {words.may}" for role, words in ROLE_WORDS.items()},
    help=lazy_gettext("Several roles add up. Without one the person may only read news."),
)
_ROLE_GROUP: Final = FormGroup(lazy_gettext("Roles"), (_ROLES,))
_GROUPS: Final = (
    FormGroup(
        lazy_gettext("The person"),
        (
            FormField("first_name"),
            FormField("last_name"),
            FormField("email", widget="email"),
            FormField("work_hours"),
            FormField("skype", label=lazy_gettext("Messenger")),
        ),
    ),
    _ROLE_GROUP,
)
_FORM: Final = "staff/accounts/form.html"
NEW: Final = FormPlan(
    invitations.invite_staff,
    (
        FormGroup(
            lazy_gettext("Invitation"),
            (FormField("first_name"), FormField("last_name"), EMAIL, LANGUAGE, MESSAGE),
        ),
        _ROLE_GROUP,
    ),
)
EDIT: Final = FormPlan(staff.edit, _GROUPS)


@pages.get(f"{PATH}/new", needs=(invitations.invite_staff,))
@pages.post(f"{PATH}/new", needs=(invitations.invite_staff,))
def invite_user(request: PageRequest) -> PageAnswer:
    """Invite a staff user, who chooses a password with the link of a mail."""
    request = _with_preset(request)
    form = open_form(request, NEW)
    answer = form.save()
    if answer is not None:
        return Redirect(f"{PATH}/{answer.user.id}", invited_sentence(answer.user.email))
    return form.page(
        request,
        gettext("Invite a staff user"),
        back=PATH,
        line=INVITE_LINE,
        save=SEND_INVITATION,
        template=_FORM,
        presets=PRESETS,
    )


@pages.get(f"{PATH}/{{id}}/edit", needs=(staff.show, staff.edit))
@pages.post(f"{PATH}/{{id}}/edit", needs=(staff.show, staff.edit))
def edit_user(request: PageRequest) -> PageAnswer:
    """Change a staff user."""
    user = find_user(request)
    path = f"{PATH}/{user.id}"
    request = _with_preset(request)
    form = open_form(request, EDIT, user, path=request.path)
    answer = form.save()
    if answer is not None:
        return Redirect(path, gettext("%(name)s is saved.", name=full_name(answer.user)))
    line = gettext("Nothing is saved yet. Changed roles hold from the next request on.")
    return form.page(
        request, gettext("Edit %(name)s", name=full_name(user)), back=path, line=line, template=_FORM, presets=PRESETS
    )


def _with_preset(request: PageRequest) -> PageRequest:
    """Return the request with the roles of its button's preset; nothing is saved."""
    preset = PRESETS.get(request.field("preset"))
    if preset is None:
        return request
    kept = [pair for pair in request.form if pair[0] not in ("roles", "preset", DO)]
    return replace(request, form=(*kept, *(("roles", role.value) for role in preset.roles), (DO, "keep")))
