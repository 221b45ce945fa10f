"""Permissions of affiliates and staff users, for administrators.

docs/spec/callers.md#permissions-of-affiliates, docs/spec/callers.md#levels-of-staff.
"""

from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator

from trackyard.actions.deps import Deps
from trackyard.actions.people import permissions
from trackyard.actions.people.affiliates import get_affiliate
from trackyard.actions.people.staff import StaffRecord, get_staff
from trackyard.actions.people.staff_levels import edit_levels
from trackyard.api.lookups import by_hex, in_scope_by_number
from trackyard.api.people.trees import NoExceptions, TreeView, tree_view, without_wrapping
from trackyard.api.people.views import log_key_reads, shown_key
from trackyard.base.errors import BadInput
from trackyard.base.ids import is_hex24
from trackyard.base.zones import datetime_text
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.permissions import PermissionLevel, shown_name
from trackyard.domain.people.roles import Permission, legacy_kind
from trackyard.domain.people.staff import MESSENGERS, Staff
from trackyard.domain.people.staff_permissions import staff_tree
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_CONTACTS: Final = ("skype", *MESSENGERS)
_find_staff = by_hex(get_staff)
_find_affiliate = in_scope_by_number(get_affiliate)


def find(request: ApiRequest[Deps]) -> Affiliate | StaffRecord:
    """Return the affiliate of a number, or the staff user of 24 hexadecimal digits. Raises NotFound."""
    return _find_staff(request) if is_hex24(request.path["id"].lower()) else _find_affiliate(request)


class LevelItem(Params):
    """The level of one feature; `default` removes the own level."""

    level: Annotated[str, s.Choice((*PermissionLevel, "default"))]
    exceptions: NoExceptions | None = None


class PermissionsParams(Params):
    """Levels by area and feature; what is not sent stays."""

    permissions: Keyed[str, Keyed[str, LevelItem]]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, tree: Any) -> Any:
        return without_wrapping(tree)

    def levels(self) -> dict[str, dict[str, str]]:
        """Return the levels by area and feature."""
        return {
            area: {feature: item.level for feature, item in features.items()}
            for area, features in self.permissions.items()
        }


class EditPermissions(PermissionsParams):
    """Levels of an affiliate or a staff user; what is not sent stays.

    preset_id: the preset for a staff user; its levels replace the user's, before `permissions` changes them.
    """

    permissions: Keyed[str, Keyed[str, LevelItem]] = Field(default_factory=dict)
    preset_id: s.Hex | None = None


class PermissionsView(View, kw_only=True):
    """An affiliate or a staff user and its tree.

    login: only affiliates have it.
    first_name, last_name, work_hours, api_key: only staff users have them.
    contacts: only staff users have it: the messengers by name; existing programs read it.
    """

    id: str
    email: str
    login: str | UnsetType = UNSET
    type: str
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    contacts: dict[str, str] | UnsetType = UNSET
    permissions: TreeView
    work_hours: str | UnsetType = UNSET
    api_key: str | UnsetType | None = UNSET
    created_at: str
    updated_at: str


class PermissionsAnswer(Answer):
    """The permissions of one affiliate or staff user."""

    permissions: PermissionsView


class DefaultPermissionsAnswer(Answer):
    """The permissions of affiliates that have none of their own."""

    permissions: TreeView


@routes.get("/user/permissions", for_staff(Permission.SETTINGS_WRITE), id="user.permissions.get")
def show_default(request: ApiRequest[Deps], _params: NoParams) -> DefaultPermissionsAnswer:
    """Show the permissions of affiliates that have none of their own."""
    return DefaultPermissionsAnswer(permissions=tree_view(permissions.get_default(request.deps)))


@routes.post("/user/permissions", for_staff(Permission.SETTINGS_WRITE), id="user.permissions.default")
def edit_default(request: ApiRequest[Deps], params: PermissionsParams) -> DefaultPermissionsAnswer:
    """Change the permissions of affiliates that have none of their own. They hold from the next call on."""
    tree = permissions.edit_default(request.deps, params.levels())
    return DefaultPermissionsAnswer(permissions=tree_view(tree))


@routes.post(
    "/user/{id}/permissions",
    for_staff(Permission.SETTINGS_WRITE),
    id="user.permissions.edit",
    credentials=True,
    find=find,
)
def edit(request: ApiRequest[Deps], params: EditPermissions) -> PermissionsAnswer:
    """Change the permissions of an affiliate, or of a staff user. They hold from its next call on.

    The levels of a staff user narrow what its roles give; administrators have none. A level that would change nothing
    for a staff user is not stored, and `warnings` has its feature.
    """
    if isinstance(request.subject, StaffRecord):
        return _edit_staff(request, params, request.subject)
    return _edit_affiliate(request, params, request.subject)


def _edit_affiliate(request: ApiRequest[Deps], params: EditPermissions, before: Affiliate) -> PermissionsAnswer:
    if params.preset_id is not None:
        raise BadInput({"preset_id": ["Presets are for staff users: send permissions."]})
    if not params.permissions:
        raise BadInput({"permissions": ["This value is required."]})
    row, tree = permissions.edit_permissions(request.deps, before.id, params.levels())
    times = _times(row, request.deps.zone)
    view = view_of(PermissionsView, row, id=str(row.id), type="affiliate", permissions=tree_view(tree), **times)
    return PermissionsAnswer(permissions=view)


def _edit_staff(request: ApiRequest[Deps], params: EditPermissions, before: StaffRecord) -> PermissionsAnswer:
    if not params.permissions and params.preset_id is None:
        raise BadInput({"permissions": ["This value is required, or preset_id."]})
    levels = permissions.flat_levels(params.levels())
    record, unused = edit_levels(request.deps, before.user.id, params.preset_id, levels)
    if unused:
        request.warn(f"These permissions change nothing for staff users: {', '.join(map(shown_name, unused))}.")
    log_key_reads(request, AccountKind.STAFF, [record.user.id])
    user = record.user
    view = PermissionsView(
        id=user.id,
        email=user.email,
        type=legacy_kind(user.roles),
        first_name=user.first_name,
        last_name=user.last_name,
        contacts={name: getattr(user, name) for name in _CONTACTS},
        permissions=tree_view(staff_tree(user.roles, user.permissions)),
        work_hours=user.work_hours,
        api_key=shown_key(request, record.api_key),
        **_times(user, request.deps.zone),
    )
    return PermissionsAnswer(permissions=view)


def _times(row: Affiliate | Staff, zone: ZoneInfo) -> dict[str, str]:
    return {name: datetime_text(getattr(row, name), zone) for name in ("created_at", "updated_at")}
