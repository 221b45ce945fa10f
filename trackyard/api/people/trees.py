"""Trees of permissions in requests and answers (docs/spec/callers.md#levels-of-staff)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from msgspec import UNSET, UnsetType

from trackyard.actions.people.permissions import Tree
from trackyard.domain.people.permissions import shown_name
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import View

_OF_ENTITIES: Final = ".entity-"
_NUMBERED: Final = "users.entity-affiliate"
"""The feature with exceptions that existing programs read as numbers."""


@dataclass(frozen=True)
class NoPerson(s.Scalar):
    """A single person with another level, which does not exist: every value is refused."""

    contract = "string"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        raise ValueError("Exceptions for single persons do not exist here: send none.")

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


Person = Annotated[str, NoPerson()]


class NoExceptions(Params):
    """Exceptions of a level.

    Programs send back the empty lists that they read; a list with a person is refused.
    """

    strings: Seq[Person] = ()
    ints: Seq[Person] = ()


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
    """Return the view of a feature. default: without an own level."""
    exceptions: ExceptionsView | UnsetType = UNSET
    if _OF_ENTITIES in feature:
        exceptions = ExceptionsView(ints=[]) if feature == _NUMBERED else ExceptionsView(strings=[])
    return FeatureView(level=level, default_level=UNSET if level == default else default, exceptions=exceptions)


def tree_view(tree: Tree) -> TreeView:
    """Return the view of the tree of an affiliate or a staff user."""
    return {
        area: {
            shown_feature(f"{area}.{name}"): level_view(f"{area}.{name}", node.level, node.default)
            for name, node in features.items()
        }
        for area, features in tree.items()
    }


def shown_feature(feature: str) -> str:
    """Return the shown name of a feature without its area."""
    return shown_name(feature).partition(".")[2]
