"""Permissions of affiliates, for administrators (docs/spec/callers.md#permissions-of-affiliates)."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.actions.people import permissions
from trackyard.actions.people.affiliates import get_affiliate
from trackyard.actions.people.permissions import Tree
from trackyard.api.lookups import in_scope_by_number
from trackyard.base.zones import datetime_text
from trackyard.domain.people.permissions import PermissionLevel
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
find = in_scope_by_number(get_affiliate)


class LevelItem(Params):
    """The level of one feature; `default` removes the own level."""

    level: Annotated[str, s.Choice((*PermissionLevel, "default"))]


class PermissionsParams(Params):
    """Levels by area and feature; what is not sent stays."""

    permissions: Keyed[str, Keyed[str, LevelItem]]

    def levels(self) -> dict[str, dict[str, str]]:
        """Return the levels by area and feature."""
        return {
            area: {feature: item.level for feature, item in features.items()}
            for area, features in self.permissions.items()
        }


class FeatureView(View):
    """A feature. level: read, write or deny.

    default_level: the installation's, where the affiliate's differs.
    """

    level: str
    default_level: str | UnsetType = UNSET


TreeView = dict[str, dict[str, FeatureView]]


class AffiliatePermissionsView(View):
    """An affiliate and its tree."""

    id: str
    email: str
    login: str
    type: str
    permissions: TreeView
    created_at: str
    updated_at: str


class AffiliatePermissionsAnswer(Answer):
    """The permissions of one affiliate."""

    permissions: AffiliatePermissionsView


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


@routes.post("/user/{id}/permissions", for_staff(Permission.SETTINGS_WRITE), id="user.permissions.edit", find=find)
def edit(request: ApiRequest[Deps], params: PermissionsParams) -> AffiliatePermissionsAnswer:
    """Change the permissions of an affiliate. They hold from its next call on."""
    row, tree = permissions.edit_permissions(request.deps, request.subject.id, params.levels())
    times = {name: datetime_text(getattr(row, name), request.deps.zone) for name in ("created_at", "updated_at")}
    view = view_of(
        AffiliatePermissionsView, row, id=str(row.id), type="affiliate", permissions=tree_view(tree), **times
    )
    return AffiliatePermissionsAnswer(permissions=view)


def tree_view(tree: Tree) -> TreeView:
    """Return the view of a tree."""
    return {
        area: {
            name: FeatureView(level=node.level, default_level=UNSET if node.level == node.default else node.default)
            for name, node in features.items()
        }
        for area, features in tree.items()
    }
