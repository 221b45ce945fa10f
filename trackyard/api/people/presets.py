"""Presets of permissions, for administrators (docs/spec/callers.md#levels-of-staff)."""

from typing import Annotated, Any

from pydantic import model_validator

from trackyard.actions.deps import Deps
from trackyard.actions.people import presets
from trackyard.actions.people.permissions import flat_levels
from trackyard.api.lookups import by_hex
from trackyard.api.paging import Count, Paging
from trackyard.api.people.trees import NoExceptions, TreeView, level_view, shown_feature, without_wrapping
from trackyard.base.zones import datetime_text
from trackyard.domain.people.permissions import DEFAULTS, PermissionLevel, shown_name
from trackyard.domain.people.presets import Preset, PresetKind
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.staff_permissions import split_levels
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Params
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.USERS_WRITE)
find = by_hex(presets.get_preset)


class PresetLevelItem(Params):
    """The level of one feature."""

    level: Annotated[str, s.Choice(tuple(PermissionLevel))]
    exceptions: NoExceptions | None = None


class ListPresets(Paging):
    """The page of a list."""

    limit: Count = 50


class EditPreset(Params):
    """Changes of a preset. permissions: all its levels; a level that is not sent is dropped."""

    name: s.Name | None = None
    type: Annotated[str | None, s.Choice(tuple(PresetKind))] = None
    permissions: Keyed[str, Keyed[str, PresetLevelItem]]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, tree: Any) -> Any:
        return without_wrapping(tree)

    def levels(self) -> dict[str, str]:
        """Return the levels by the whole name of the feature. Raises BadInput for an unknown feature."""
        return flat_levels(
            {
                area: {feature: item.level for feature, item in features.items()}
                for area, features in self.permissions.items()
            }
        )


class AddPreset(EditPreset):
    """A new preset. type: a note on its purpose."""

    name: s.Name
    type: Annotated[str, s.Choice(tuple(PresetKind))] = PresetKind.COMMON_MANAGER


class PresetView(View):
    """A preset. permissions: the levels that it has, by area and feature."""

    id: str
    name: str
    type: str
    permissions: TreeView
    created_at: str
    updated_at: str


class PresetAnswer(Answer):
    """One preset."""

    preset: PresetView


class PresetsAnswer(Answer):
    """A page of presets."""

    presets: list[PresetView]
    pagination: Pagination


class RemovedPresetAnswer(Answer):
    """The preset is removed."""


@routes.get("/presets", _WRITERS, id="presets.list")
def list_(request: ApiRequest[Deps], params: ListPresets) -> PresetsAnswer:
    """List presets: levels of permissions that staff users get by one name."""
    found, total = presets.list_presets(request.deps, **params.place(request))
    views = [_view(request, each) for each in found]
    return PresetsAnswer(presets=views, pagination=params.pagination(request, total))


@routes.post("/presets", _WRITERS, id="preset.add")
def add(request: ApiRequest[Deps], params: AddPreset) -> PresetAnswer:
    """Create a preset. A staff user gets its levels with `preset_id` of `POST /user/{id}/permissions`."""
    levels = params.levels()
    _warn_of_unused(request, levels)
    return PresetAnswer(preset=_view(request, presets.add_preset(request.deps, params.name, params.type, levels)))


@routes.post("/presets/{id}", _WRITERS, id="preset.edit", find=find)
def edit(request: ApiRequest[Deps], params: EditPreset) -> PresetAnswer:
    """Change a preset. Staff users that got its levels keep theirs."""
    levels = params.levels()
    _warn_of_unused(request, levels)
    given: dict[str, Any] = {"permissions": levels}
    given |= {} if params.name is None else {"name": params.name}
    given |= {} if params.type is None else {"kind": params.type}
    return PresetAnswer(preset=_view(request, presets.edit_preset(request.deps, request.subject.id, given)))


@routes.delete("/presets/{id}", _WRITERS, id="preset.remove", find=find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> RemovedPresetAnswer:
    """Remove a preset. Staff users that got its levels keep theirs."""
    presets.remove_preset(request.deps, request.subject.id)
    return RemovedPresetAnswer()


def _warn_of_unused(request: ApiRequest[Deps], levels: dict[str, str]) -> None:
    unused = split_levels(levels)[1]
    if unused:
        request.warn(f"These permissions change nothing for staff users: {', '.join(map(shown_name, unused))}.")


def _view(request: ApiRequest[Deps], preset: Preset) -> PresetView:
    tree: TreeView = {area: {} for area in DEFAULTS}
    for name, level in sorted(preset.permissions.items()):
        area = name.partition(".")[0]
        tree[area][shown_feature(name)] = level_view(name, level)
    times = {name: datetime_text(getattr(preset, name), request.deps.zone) for name in ("created_at", "updated_at")}
    return view_of(PresetView, preset, type=preset.kind, permissions=tree, **times)
