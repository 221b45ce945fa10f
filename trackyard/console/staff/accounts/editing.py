"""Creating and editing a staff user (docs/spec/console.md#staff)."""

from dataclasses import replace
from typing import Final

from trackyard.api.people import staff
from trackyard.base.secrets import new_password
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
from trackyard.console.staff.people_names import full_name

pages = Pages()

_ROLES: Final = FormField(
    "roles",
    widget="checks",
    words={role.value: f"{words.name}: {words.may}" for role, words in ROLE_WORDS.items()},
    help=lazy_gettext("Several roles add up. Without one the person may only read news."),
)
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
    FormGroup(lazy_gettext("Roles"), (_ROLES,)),
)
_FORM: Final = "staff/accounts/form.html"
NEW: Final = FormPlan(staff.add, _GROUPS)
EDIT: Final = FormPlan(staff.edit, _GROUPS)


@pages.get(f"{PATH}/new", needs=(staff.add,))
@pages.post(f"{PATH}/new", needs=(staff.add,))
def new_user(request: PageRequest) -> PageAnswer:
    """Create a staff user with a random password that is not shown: the person chooses one with a link."""
    request = _with_preset(request)
    form = open_form(request, NEW, fixed=(("password", new_password()),))
    answer = form.save()
    if answer is not None:
        user = answer.user
        message = gettext(
            "%(name)s is created. Mail or show a sign-in link, to choose a password with.", name=full_name(user)
        )
        return Redirect(f"{PATH}/{user.id}", message)
    line = gettext("The person chooses a password with a sign-in link, which you send from its page.")
    save = gettext("Create the staff user")
    return form.page(
        request, gettext("New staff user"), back=PATH, line=line, save=save, template=_FORM, presets=PRESETS
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
