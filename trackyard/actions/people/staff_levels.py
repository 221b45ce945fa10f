"""Levels that narrow what the roles of a staff user give (docs/spec/callers.md#levels-of-staff)."""

from collections.abc import Mapping
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.staff import StaffRecord, get_staff
from trackyard.base.errors import BadInput, required
from trackyard.domain.people.permissions import merge_levels
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff_permissions import split_levels
from trackyard.store.people import presets, staff

_ADMINISTRATOR: Final = "Administrators have everything: take the role ROLE_ADMIN from the user first."


def edit_levels(
    deps: Deps, staff_id: str, preset_id: str | None, given: Mapping[str, str]
) -> tuple[StaffRecord, list[str]]:
    """Change levels of a staff user; return it, and the features that have no effect.

    The levels apply from its next request on.
    preset_id: a preset; its levels replace the user's, before `given` changes them.
    given: levels by the whole name of the feature; `default` removes a level.
    Raises NotFound, and BadInput for an administrator or a preset that does not exist.
    """
    levels, without_effect = split_levels(given)
    with deps.database.write() as conn:
        before = required(staff.find_staff(conn, staff_id, lock=True))
        if Role.ADMIN in before.roles:
            raise BadInput({"permissions": [_ADMINISTRATOR]})
        own = before.permissions
        if preset_id is not None:
            preset = presets.find_preset(conn, preset_id)
            if preset is None:
                raise BadInput({"preset_id": [f"A preset {preset_id} does not exist."]})
            own, unused = split_levels(preset.permissions)
            without_effect = sorted({*without_effect, *unused})
        values = {"permissions": merge_levels(own, levels), "updated_at": deps.clock.now_ms()}
        staff.edit_staff(conn, staff_id, values)
    return get_staff(deps, staff_id), without_effect
