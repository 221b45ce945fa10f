"""When the last complete backup was made, for doctor, pages and metrics."""

from dataclasses import dataclass
from typing import Final

from trackyard.actions.backup.manifest import Manifest
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform.settings import edit_setting, find_setting

_LAST: Final = "last_backup"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """A backup that is complete. made_at: UTC ms of its state. target: without secrets.

    owner: the id of the data directory that it has; "" = of a version that did not note it.
    """

    id: str
    made_at: int
    target: str
    owner: str = ""


def note_backup(database: Database, manifest: Manifest, target: str) -> None:
    """Remember a complete backup. A backup of a data directory alone does not count."""
    name = _LAST if manifest.sql else f"{_LAST}_of_{manifest.owner}"
    noted = {"id": manifest.id, "made_at": manifest.made_at, "target": target, "owner": manifest.owner}
    with database.write() as connection:
        edit_setting(connection, name, noted)


def find_last_backup(database: Database) -> LastBackup | None:
    """Return the last complete backup of the installation; None when there was none."""
    with database.read() as connection:
        return _find(connection, _LAST)


def last_backup_of(connection: Connection, owner: str) -> LastBackup | None:
    """Return the last complete backup that has a data directory; None when there was none. owner: its id."""
    whole, alone = _find(connection, _LAST), _find(connection, f"{_LAST}_of_{owner}")
    found = [each for each in (whole, alone) if each is not None and each.owner in ("", owner)]
    return max(found, key=lambda each: each.made_at, default=None)


def _find(connection: Connection, name: str) -> LastBackup | None:
    found = find_setting(connection, name)
    return LastBackup(**found) if found else None
