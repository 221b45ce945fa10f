"""The levels of permissions of a staff user (docs/spec/console.md#levels-of-permissions)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from trackyard.api.people import permissions, presets, staff
from trackyard.api.people.trees import FeatureView, TreeView
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.accounts.level_words import LEVEL_WORDS, SECTIONS
from trackyard.console.staff.accounts.listing import PATH
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.people_names import full_name
from trackyard.domain.people.permissions import ONLY_WRITES, PermissionLevel
from trackyard.domain.people.roles import Role

pages = Pages()

METHOD: Final = permissions.edit
AS_ROLES: Final = "default"
"""The level that removes the own one of a feature."""
Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A feature of the page of a staff user.

    usual: the level that its roles give, "" where they are not narrowed.
    """

    feature: str
    level: str
    usual: str
    is_denied: bool


@dataclass(frozen=True, slots=True)
class ShownSection:
    """Features that are shown together.

    narrowed: how many of them have a level below the level of the roles.
    """

    title: str
    rows: tuple[LevelRow, ...]
    narrowed: int


def shown_sections(tree: TreeView) -> list[ShownSection]:
    """Return the levels of a staff user as its page shows them. tree: of `GET /admin/user/{id}`."""
    found = []
    for section in SECTIONS:
        nodes = ((words, level_in(tree, name)) for name, words in section.features.items())
        rows = tuple(_row(words, node) for words, node in nodes if node is not None)
        found.append(ShownSection(section.title, rows, sum(bool(row.usual) for row in rows)))
    return found


def level_in(tree: TreeView, feature: str) -> FeatureView | None:
    """Return a feature's entry in a tree; None where it has none."""
    area, _, name = feature.partition(".")
    return tree.get(area, {}).get(name)


def parameter_of(feature: str) -> str:
    """Return the parameter of the level of a feature."""
    area, _, name = feature.partition(".")
    return f"permissions[{area}][{name}][level]"


def level_groups(initial: str, has: Callable[[str], bool] = bool) -> tuple[FormGroup, ...]:
    """Return the cards with the level of each feature.

    initial: the level in a new thing. has: returns whether a feature is shown.
    """
    groups = []
    for section in SECTIONS:
        fields = tuple(
            FormField(parameter_of(name), words, help="", words=LEVEL_WORDS, initial=initial, optional=True)
            for name, words in section.features.items()
            if has(name)
        )
        groups += [FormGroup(section.title, fields)] if fields else []
    return tuple(groups)


def lower_levels(feature: str, usual: str, now: str) -> Choices:
    """Return the levels that narrow a feature, and the one that it has.

    usual: its level without an own one.
    """
    narrows = usual == PermissionLevel.WRITE and feature not in ONLY_WRITES
    return tuple(
        (level.value, LEVEL_WORDS[level])
        for level in (PermissionLevel.WRITE, PermissionLevel.READ, PermissionLevel.DENY)
        if level == now or level == PermissionLevel.DENY or (level == PermissionLevel.READ and narrows)
    )


@pages.get(f"{PATH}/{{id}}/levels", needs=(staff.show, METHOD))
@pages.post(f"{PATH}/{{id}}/levels", needs=(staff.show, METHOD))
def edit_levels(request: PageRequest) -> PageAnswer:
    """Change the levels that narrow what the roles of a staff user give."""
    user = request.calls.ask(staff.show, path=request.path).user
    path, name = f"{PATH}/{user.id}", full_name(user)
    if Role.ADMIN in user.roles:
        return Redirect(path, gettext("%(name)s is an administrator: administrators have everything.", name=name))
    given = {feature: node for feature, node in _nodes(user.permissions) if _usual(node) != PermissionLevel.DENY}
    form = open_form(
        request,
        FormPlan(METHOD, level_groups(AS_ROLES, given.__contains__)),
        {"permissions": _own_levels(user.permissions)},
        choices={parameter_of(feature): _choices(feature, node) for feature, node in given.items()},
        path={"id": user.id},
    )
    if form.save() is not None:
        return Redirect(
            path, gettext("The levels of %(name)s are saved. They hold from its next request on.", name=name)
        )
    line = gettext("Levels narrow what the roles give and never add anything. What the roles do not give is left out.")
    return form.page(request, gettext("Levels of permissions of %(name)s", name=name), back=path, line=line)


@pages.post(f"{PATH}/{{id}}/preset", needs=(staff.show, METHOD, presets.list_))
def apply_preset(request: PageRequest) -> PageAnswer:
    """Give a staff user the levels of a preset, which replace its own."""
    user = request.calls.ask(staff.show, path=request.path).user
    path, name = f"{PATH}/{user.id}", full_name(user)
    try:
        request.calls.ask(METHOD, [("preset_id", request.field("preset"))], {"id": user.id})
    except BadInput as refusal:
        return Redirect(path, gettext("Nothing was changed. %(fault)s", fault=fault_of(refusal)))
    return Redirect(path, gettext("%(name)s has the levels of the preset from its next request on.", name=name))


def _row(words: str, node: FeatureView) -> LevelRow:
    level, usual = node.level, _usual(node)
    narrowed = "" if level == usual else LEVEL_WORDS[usual]
    return LevelRow(words, LEVEL_WORDS[level], narrowed, level == PermissionLevel.DENY)


def _usual(node: FeatureView) -> str:
    return node.level if node.default_level is UNSET else node.default_level


def _nodes(tree: TreeView) -> list[tuple[str, FeatureView]]:
    found = ((feature, level_in(tree, feature)) for section in SECTIONS for feature in section.features)
    return [(feature, node) for feature, node in found if node is not None]


def _own(node: FeatureView) -> str:
    """Return the own level of a feature; "" where the level of the roles holds."""
    return "" if node.default_level is UNSET else node.level


def _own_levels(tree: TreeView) -> dict[str, dict[str, dict[str, str]]]:
    """Return the tree with AS_ROLES wherever the roles are not narrowed."""
    return {
        area: {name: {"level": _own(node) or AS_ROLES} for name, node in nodes.items()} for area, nodes in tree.items()
    }


def _choices(feature: str, node: FeatureView) -> Choices:
    usual = _usual(node)
    first = AS_ROLES, gettext("As the roles give: %(level)s", level=str(LEVEL_WORDS[usual]))
    return (first, *lower_levels(feature, usual, _own(node)))
