"""Presets: levels of permissions with a name (docs/spec/callers.md#levels-of-staff)."""

from dataclasses import dataclass, field
from enum import StrEnum


class PresetKind(StrEnum):
    """The kind of staff users that a preset is meant for; it is a note."""

    AFFILIATE_MANAGER = "affiliate_manager"
    ACCOUNT_MANAGER = "account_manager"
    COMMON_MANAGER = "common_manager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Levels with a name.

    id, created_at, updated_at: given when it is stored; times are UTC milliseconds.
    permissions: "area.feature" to level.
    """

    id: str = ""
    name: str
    kind: str = PresetKind.COMMON_MANAGER
    permissions: dict[str, str] = field(default_factory=dict)
    created_at: int = 0
    updated_at: int = 0
