"""The pages of presets of permissions (docs/spec/console.md#levels-of-permissions)."""

from typing import Final

from trackyard.api.people import presets as presets_api
from trackyard.api.people.presets import PresetsAnswer, PresetView
from trackyard.api.people.trees import TreeView
from trackyard.base.errors import NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import every_row
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list
from trackyard.console.staff.accounts.level_words import KIND_WORDS, SECTIONS
from trackyard.console.staff.accounts.levels import Choices, level_groups, level_in, lower_levels, parameter_of
from trackyard.console.staff.accounts.listing import PATH as STAFF_PATH
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


def _levels(each: PresetView, wanted: str) -> str:
    """Return the features that a preset has at a level, in words."""
    levels = _named(each)
    words = (pair for section in SECTIONS for pair in section.features.items())
    return ", ".join(str(named) for feature, named in words if levels.get(feature) == wanted)


def _name(each: PresetView, on: On) -> ListCell:
    return cells.cell(each.name, link=f"{PATH}/{each.id}/edit" if on.request.calls.may(presets_api.edit) else "")


def _removal(each: PresetView, _on: On) -> ListCell:
    about = gettext("Remove %(name)s", name=each.name)
    return cells.acts(Act(gettext("Remove"), f"{PATH}/{each.id}/remove", about=about, is_link=True))


LIST: Final = ListPage[PresetView, PresetsAnswer](
    path=PATH,
    method=METHOD,
    view=PresetsAnswer,
    rows=lambda _, answer: answer.presets,
    title=lazy_gettext("Presets of permissions"),
    counted=lambda _total: "",
    about=lazy_gettext(
        "Levels with a name. The page of a staff user gives it the levels of a preset, which narrow what its roles "
        "give."
    ),
    links=lambda _: [PageLink(gettext("Staff"), STAFF_PATH)],
    main=lambda _: PageLink(gettext("New preset"), f"{PATH}/new"),
    columns=(
        ListColumn(title=lazy_gettext("Name"), role="title", longest=60, cell=_name),
        ListColumn(title=lazy_gettext("Meant for"), cell=lambda each, _: str(KIND_WORDS[each.type])),
        ListColumn(title=lazy_gettext("Denied"), longest=130, cell=lambda each, _: _levels(each, PermissionLevel.DENY)),
        ListColumn(
            title=lazy_gettext("Only read"), longest=130, cell=lambda each, _: _levels(each, PermissionLevel.READ)
        ),
        ListColumn(title=lazy_gettext("Changed"), cell=lambda each, _: cells.moment(each.updated_at)),
        ListColumn(
            title=lazy_gettext("Actions"),
            role="act",
            is_hidden_title=True,
            shown=lambda request, _: request.calls.may(presets_api.remove),
            cell=_removal,
        ),
    ),
    empty=lazy_gettext("There is no preset yet."),
    empty_links=lambda _: [PageLink(gettext("Make one"), f"{PATH}/new")],
    per_page=50,
)
declare_list(pages, LIST)


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
