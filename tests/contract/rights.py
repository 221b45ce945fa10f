"""docs/api/rights.md: the permission that each method requires, and permissions that none requires."""

import re
from collections.abc import Iterator
from typing import Any

from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.permissions import FEATURES, PermissionLevel, shown_name, slice_features
from trackyard.domain.people.roles import COMMON_PERMISSIONS, Permission, roles_with
from trackyard.domain.people.staff_permissions import WITHOUT_EFFECT, withheld_by
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.openapi.document import each_parameter
from trackyard.wire.request.scalars import Choice

NOT_ASKED = "no method needs it yet"
_LEVELS = (
    "The levels of a staff user narrow what its roles give. A method or slice that needs a denied feature is a 403 "
    "with the feature's name; a method that needs a permission that is taken away is a 403 with the permission's name."
)
_SUB = re.compile(r"sub[1-8]\Z")


def methods_by_permission() -> dict[Permission, list[str]]:
    """Return each permission of staff with the methods that ask for it."""
    found: dict[Permission, list[str]] = {permission: [] for permission in Permission}
    for endpoint in CATALOGUE:
        if endpoint.audience in ("any", "staff"):
            found[endpoint.permission].append(_named(endpoint))
    return {permission: names for permission, names in found.items() if permission is not Permission.NONE}


def methods_by_feature() -> dict[str, list[str]]:
    """Return each feature of the tree of affiliates with the methods that ask for it."""
    found: dict[str, list[str]] = {feature: [] for feature in FEATURES}
    for endpoint in CATALOGUE:
        if endpoint.audience in ("any", "affiliate"):
            for feature in sorted({*endpoint.features, *endpoint.file_features, *_of_values(endpoint)}):
                found[feature].append(_named(endpoint))
    return found


def _of_values(endpoint: Endpoint[Any], *, staff: bool = False) -> Iterator[str]:
    """Yield the features that values of parameters need, such as the slices of a report."""
    for name, field in each_parameter(endpoint.params):
        if name == "slice" and isinstance(field.scalar, Choice):
            own = field.scalar.admin if staff else ()
            yield from slice_features((*field.scalar.values, *field.scalar.permission, *own))
        elif endpoint.id == "stats.find-subs" and _SUB.match(name):
            yield from slice_features((name,))


def _named(endpoint: Endpoint[Any]) -> str:
    return f"{endpoint.method} {endpoint.path}"


def page() -> str:
    """Return the page."""
    lines = [
        "# Rights",
        "",
        "Staff call a method when one of their roles gives the permission that it needs, and their levels leave it. "
        "An affiliate calls it unless the feature that it needs is denied to the affiliate. Permissions and "
        "features that no method needs change nothing; denying such a feature to affiliates is refused.",
        "",
        "## Permissions of staff",
        "",
        "| permission | roles | methods |",
        "|---|---|---|",
    ]
    for permission, methods in methods_by_permission().items():
        roles = ", ".join(f"`{role.value}`" for role in roles_with(permission))
        who = "every staff user" if permission in COMMON_PERMISSIONS else roles
        lines.append(f"| `{permission}` | {who} | {_cell(methods)} |")
    lines += ["", "## Features of affiliates", "", "| feature | level by default | methods |", "|---|---|---|"]
    lines += [
        f"| `{shown_name(name)}` | {FEATURES[name]} | {_cell(methods)} |"
        for name, methods in methods_by_feature().items()
    ]
    lines += ["", "## Levels of staff", "", _LEVELS, "", "| feature | at read | at deny, besides |", "|---|---|---|"]
    for name in sorted(FEATURES.keys() - WITHOUT_EFFECT):
        reads, denied = taken_by(name, PermissionLevel.READ), taken_by(name, PermissionLevel.DENY)
        cells = [_losses(*reads), _losses(denied[0] - reads[0], denied[1] - reads[1])]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    lines += [
        "",
        f"Without an effect for staff: {', '.join(f'`{shown_name(name)}`' for name in sorted(WITHOUT_EFFECT))}.",
    ]
    return "\n".join([*lines, ""])


def taken_by(feature: str, level: str) -> tuple[frozenset[str], frozenset[Permission]]:
    """Return the features and the permissions that a level takes away."""
    return withheld_by({feature: level}, ())


def features_asked_of_staff() -> frozenset[str]:
    """Return the features that methods for staff ask for."""
    found: set[str] = set()
    for endpoint in CATALOGUE:
        if endpoint.audience in ("any", "staff"):
            found |= {*endpoint.features, *endpoint.file_features, *_of_values(endpoint, staff=True)}
    return frozenset(found)


def _losses(features: frozenset[str], permissions: frozenset[Permission]) -> str:
    parts = ["its methods and slices"] if features else []
    return ", ".join([*parts, *(f"`{each}`" for each in sorted(permissions))]) or "nothing"


def _cell(methods: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in methods) if methods else f"**{NOT_ASKED}**"
