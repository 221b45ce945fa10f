"""Trees of permissions in requests and answers (docs/spec/callers.md#levels-of-staff)."""

from typing import Any, Final

from msgspec import UNSET, UnsetType

from trackyard.actions.people.permissions import Tree
from trackyard.wire.response.envelope import View

_OF_ENTITIES: Final = ".entity-"
_NUMBERED: Final = "users.entity-affiliate"
"""The feature with exceptions that existing programs read as numbers."""


class ExceptionsView(View):
    """Single persons with another level: there are none, and existing programs read the lists."""

    strings: list[str] | UnsetType = UNSET
    ints: list[int] | UnsetType = UNSET


class FeatureView(View):
    """A feature. level: read, write or deny.

    default_level: what it is without an own level, where that differs.
    exceptions: of features of persons; always empty.
    """

    level: str
    default_level: str | UnsetType = UNSET
    exceptions: ExceptionsView | UnsetType = UNSET


TreeView = dict[str, dict[str, FeatureView]]


def without_wrapping(tree: Any) -> Any:
    """Return a request without the second `permissions` that some programs wrap the first one in."""
    if not isinstance(tree, dict):
        return tree
    sent = tree.get("permissions")
    if isinstance(sent, dict) and list(sent) == ["permissions"]:
        return {**tree, "permissions": sent["permissions"]}
    return tree


def level_view(feature: str, level: str, default: str | UnsetType = UNSET) -> FeatureView:
    """Return the view of a feature of staff users. default: without an own level."""
    exceptions: ExceptionsView | UnsetType = UNSET
    if _OF_ENTITIES in feature:
        exceptions = ExceptionsView(ints=[]) if feature == _NUMBERED else ExceptionsView(strings=[])
    return FeatureView(level=level, default_level=UNSET if level == default else default, exceptions=exceptions)


def staff_tree_view(tree: Tree) -> TreeView:
    """Return the view of the tree of a staff user."""
    return {
        area: {name: level_view(f"{area}.{name}", node.level, node.default) for name, node in features.items()}
        for area, features in tree.items()
    }


def tree_view(tree: Tree) -> TreeView:
    """Return the view of the tree of an affiliate."""
    return {
        area: {
            name: FeatureView(level=node.level, default_level=UNSET if node.level == node.default else node.default)
            for name, node in features.items()
        }
        for area, features in tree.items()
    }
