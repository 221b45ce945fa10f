"""Use cases of the permissions of affiliates, for administrators.

See docs/spec/callers.md#permissions-of-affiliates.
"""

from collections.abc import Mapping
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, required
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.permissions import (
    FEATURES,
    SPELLINGS,
    EffectiveLevel,
    merge_levels,
    new_empty_denials,
    permission_tree,
    shown_name,
)
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates
from trackyard.store.platform import settings

Tree = dict[str, dict[str, EffectiveLevel]]

_NO_EFFECT: Final = "No method asks for this permission, so denying it has no effect: leave it out."


def get_default(deps: Deps) -> Tree:
    """Return the installation's own tree."""
    with deps.database.read() as conn:
        return permission_tree(_installation(conn), {})


def edit_default(deps: Deps, given: Mapping[str, Mapping[str, str]]) -> Tree:
    """Change levels of the installation's tree, from the next request on. Raises BadInput.

    given: area to feature to level; `default` restores the program's own.
    """
    levels = flat_levels(given)
    with deps.database.write() as conn:
        before = _installation(conn)
        _check_effect(levels, before)
        changed = merge_levels(before, levels)
        settings.edit_setting(conn, settings.AFFILIATE_PERMISSIONS, changed)
        return permission_tree(changed, {})


def edit_permissions(deps: Deps, affiliate_id: int, given: Mapping[str, Mapping[str, str]]) -> tuple[Affiliate, Tree]:
    """Change levels of an affiliate, from its next request on. Raises NotFound, BadInput.

    given: area to feature to level; `default` restores the installation's.
    """
    levels = flat_levels(given)
    with deps.database.write() as conn:
        before = required(affiliates.find_affiliate(conn, Scope.everything(), affiliate_id, lock=True))
        _check_effect(levels, _installation(conn), before.permissions)
        changed = merge_levels(before.permissions, levels)
        values = {"permissions": changed, "updated_at": deps.clock.now_ms()}
        affiliates.edit_affiliate(conn, affiliate_id, values)
        after = required(affiliates.find_affiliate(conn, Scope.everything(), affiliate_id))
        return after, permission_tree(_installation(conn), changed)


def _installation(conn: Connection) -> dict[str, str]:
    return settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}


def _check_effect(levels: Mapping[str, str], *known: Mapping[str, str]) -> None:
    """Raise BadInput for a new denial of a feature that no method needs: it would protect nothing."""
    faults = {_wire_name(feature): [_NO_EFFECT] for feature in new_empty_denials(levels, *known)}
    if faults:
        raise BadInput(faults)


def _wire_name(feature: str) -> str:
    area, _, name = shown_name(feature).partition(".")
    return f"permissions[{area}][{name}]"


def flat_levels(given: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return levels by the whole name of their feature. Raises BadInput for a feature that does not exist."""
    levels, faults = {}, {}
    for area, features in given.items():
        for feature, level in features.items():
            name = SPELLINGS.get(f"{area}.{feature}", f"{area}.{feature}")
            if name in FEATURES:
                levels[name] = level
            else:
                faults[_wire_name(f"{area}.{feature}")] = ["There is no such permission."]
    if faults:
        raise BadInput(faults)
    return levels
