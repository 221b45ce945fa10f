"""When the last complete backup was made, for doctor, pages and metrics."""

from dataclasses import dataclass
from typing import Final

from trackyard.actions.backup.manifest import Manifest
from trackyard.store.engine.database import Database
from trackyard.store.platform.settings import edit_setting, find_setting

_LAST: Final = "last_backup"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """A backup that is complete. made_at: UTC ms of its state. target: without secrets."""

    id: str
    made_at: int
    target: str


def note_backup(database: Database, manifest: Manifest, target: str) -> None:
    """Remember a complete backup."""
    with database.write() as connection:
        edit_setting(connection, _LAST, {"id": manifest.id, "made_at": manifest.made_at, "target": target})


def find_last_backup(database: Database) -> LastBackup | None:
    """Return the last complete backup of the installation; None when there was none."""
    with database.read() as connection:
        found = find_setting(connection, _LAST)
    return LastBackup(**found) if found else None
