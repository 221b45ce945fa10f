"""The pages of presets of permissions (docs/spec/console.md#levels-of-permissions)."""

from dataclasses import dataclass
from typing import Final

from trackyard.api.people import presets as presets_api
from trackyard.api.people.presets import PresetView
from trackyard.api.people.trees import TreeView
from trackyard.base.errors import NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import every_row, list_file
from trackyard.console.staff.accounts.level_words import KIND_WORDS, SECTIONS
from trackyard.console.staff.accounts.levels import Choices, level_groups, level_in, lower_levels, parameter_of
from trackyard.console.staff.accounts.listing import PATH as STAFF_PATH
from trackyard.console.staff.accounts.listing import PER_PAGE
from trackyard.domain.people.permissions import PermissionLevel
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff_permissions import staff_levels

pages = Pages()

PATH: Final = f"{STAFF_PATH}/presets"
METHOD: Final = presets_api.list_
_KIND_HELP: Final = lazy_gettext("A note. A preset can be given to every staff user.")
_PRESET: Final = FormGroup(
    lazy_gettext("Preset"),
    (
        FormField("name", lazy_gettext("Name"), help=""),
        FormField("type", lazy_gettext("Meant for"), help=_KIND_HELP, words=KIND_WORDS),
    ),
)
_GROUPS: Final = (_PRESET, *level_groups(""))
NEW: Final = FormPlan(presets_api.add, _GROUPS)
EDIT: Final = FormPlan(presets_api.edit, _GROUPS, sends_all=True)
_FIELDS: Final = frozenset(name for section in SECTIONS for name in section.features)


@dataclass(frozen=True, slots=True)
class PresetRow:
    """A preset of the list. denied, read: features at these levels, in words."""

    id: str
    name: str
    kind: str
    denied: str
    read: str
    changed: str


@pages.get(PATH, needs=(METHOD,))
def presets(request: PageRequest) -> PageAnswer:
    """Show presets, a page at a time, the oldest first."""
    sent = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    if (file := list_file(request, METHOD, lambda answer: answer.presets, sent)) is not None:
        return file
    answer = request.calls.ask(METHOD, sent)
    pagination = answer.pagination
    return request.page(
        "staff/accounts/presets.html",
        rows=[_row(request, each) for each in answer.presets],
        total=pagination.total_count,
        page=pagination.page,
        first=(pagination.page - 1) * PER_PAGE + 1,
        may_add=request.calls.may(presets_api.add),
        may_edit=request.calls.may(presets_api.edit),
        may_remove=request.calls.may(presets_api.remove),
        api_request_path=request.calls.address(METHOD, sent),
    )


@pages.get(f"{PATH}/new", needs=(presets_api.add,))
@pages.post(f"{PATH}/new", needs=(presets_api.add,))
def new_preset(request: PageRequest) -> PageAnswer:
    """Make a preset."""
    form = open_form(request, NEW, choices=_choices({}))
    answer = form.save()
    if answer is not None:
        return Redirect(PATH, gettext("The preset %(preset)s is made.", preset=answer.preset.name))
    line = gettext("Levels narrow what the roles of a staff user give. Its page gives it the levels of a preset.")
    return form.page(request, gettext("New preset"), back=PATH, line=line, save=gettext("Make the preset"))


@pages.get(f"{PATH}/{{id}}/edit", needs=(METHOD, presets_api.edit))
@pages.post(f"{PATH}/{{id}}/edit", needs=(METHOD, presets_api.edit))
def edit_preset(request: PageRequest) -> PageAnswer:
    """Change a preset. Levels of features without a field stay."""
    found = _find(request)
    form = open_form(
        request, EDIT, found, choices=_choices(found.permissions), path=request.path, fixed=_without_fields(found)
    )
    if form.save() is not None:
        return Redirect(PATH, gettext("The preset %(preset)s is saved.", preset=found.name))
    line = gettext("Staff users keep the levels that they got from it, until they get it again.")
    return form.page(request, gettext("Edit the preset %(preset)s", preset=found.name), back=PATH, line=line)


@pages.get(f"{PATH}/{{id}}/remove", needs=(METHOD, presets_api.remove))
def ask_removal(request: PageRequest) -> PageAnswer:
    """Ask before a preset is removed."""
    found = _find(request)
    return request.page("staff/accounts/remove_preset.html", name=found.name, path=f"{PATH}/{found.id}")


@pages.post(f"{PATH}/{{id}}/remove", needs=(METHOD, presets_api.remove))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a preset."""
    name = _find(request).name
    request.calls.ask(presets_api.remove, path=request.path)
    return Redirect(PATH, gettext("The preset %(preset)s is removed. Levels of staff users stay.", preset=name))


def _find(request: PageRequest) -> PresetView:
    """Return the preset of the path. Raises NotFound."""
    found = (each for each in every_row(request, METHOD, lambda answer: answer.presets, ()) if each.id == request.key)
    preset = next(found, None)
    if preset is None:
        raise NotFound
    return preset


def _choices(tree: TreeView) -> dict[str, Choices]:
    """Return the choices for each feature. tree: the preset's tree."""
    highest = staff_levels([Role.ADMIN])
    found = {}
    for feature in _FIELDS:
        area, _, name = feature.partition(".")
        node = level_in(tree, feature)
        lower = lower_levels(feature, highest[area][name], node.level if node else "")
        found[parameter_of(feature)] = (("", gettext("Not narrowed")), *lower)
    return found


def _named(preset: PresetView) -> dict[str, str]:
    """Return the levels of a preset by feature."""
    return {f"{area}.{name}": node.level for area, nodes in preset.permissions.items() for name, node in nodes.items()}


def _without_fields(preset: PresetView) -> list[Pair]:
    return [(parameter_of(feature), level) for feature, level in _named(preset).items() if feature not in _FIELDS]


def _row(request: PageRequest, preset: PresetView) -> PresetRow:
    levels = _named(preset)
    words = [(levels.get(feature), str(named)) for section in SECTIONS for feature, named in section.features.items()]
    denied, read = (
        ", ".join(named for level, named in words if level == wanted)
        for wanted in (PermissionLevel.DENY, PermissionLevel.READ)
    )
    return PresetRow(
        id=preset.id,
        name=preset.name,
        kind=KIND_WORDS[preset.type],
        denied=denied,
        read=read,
        changed=request.time_of(preset.updated_at),
    )
