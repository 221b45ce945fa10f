"""Presets of permissions (docs/spec/callers.md#levels-of-staff)."""

from typing import Final

from sqlalchemy import Connection, select

from trackyard.domain.people.presets import Preset
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import preset

_ROWS: Final = Rows[Preset, str](preset, Preset)
add_preset = _ROWS.add
edit_preset = _ROWS.edit
find_preset = _ROWS.find
remove_preset = _ROWS.remove


def list_presets(conn: Connection, *, page: int, limit: int) -> tuple[list[Preset], int]:
    """Return a page of presets, the oldest first, and the total."""
    return _ROWS.read_page(conn, select(preset).order_by(preset.c.created_at, preset.c.id), page, limit)
