"""Use cases of presets, for administrators (docs/spec/callers.md#levels-of-staff)."""

from collections.abc import Mapping
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import required
from trackyard.base.ids import new_id
from trackyard.domain.people.presets import Preset
from trackyard.store.people import presets


def list_presets(deps: Deps, *, page: int, limit: int) -> tuple[list[Preset], int]:
    """Return a page of presets, the oldest first, and the total."""
    with deps.database.read() as conn:
        return presets.list_presets(conn, page=page, limit=limit)


def get_preset(deps: Deps, preset_id: str) -> Preset:
    """Return a preset. Raises NotFound."""
    with deps.database.read() as conn:
        return required(presets.find_preset(conn, preset_id))


def add_preset(deps: Deps, name: str, kind: str, levels: Mapping[str, str]) -> Preset:
    """Store a new preset. levels: by the whole name of the feature."""
    now = deps.clock.now_ms()
    made = Preset(id=new_id(now), name=name, kind=kind, permissions=dict(levels), created_at=now, updated_at=now)
    with deps.database.write() as conn:
        presets.add_preset(conn, made)
    return made


def edit_preset(deps: Deps, preset_id: str, given: Mapping[str, Any]) -> Preset:
    """Change the given columns of a preset; staff users that got its levels keep theirs. Raises NotFound."""
    with deps.database.write() as conn:
        required(presets.find_preset(conn, preset_id, lock=True))
        presets.edit_preset(conn, preset_id, dict(given) | {"updated_at": deps.clock.now_ms()})
        return required(presets.find_preset(conn, preset_id))


def remove_preset(deps: Deps, preset_id: str) -> None:
    """Remove a preset; staff users that got its levels keep theirs. Raises NotFound."""
    with deps.database.write() as conn:
        required(presets.find_preset(conn, preset_id, lock=True))
        presets.remove_preset(conn, preset_id)
