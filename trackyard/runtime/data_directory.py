"""The data directory before anything of it is used."""

import shutil
from pathlib import Path
from typing import Final

from trackyard.runtime.settings import CannotStart, Config

EMPTIED_DIRECTORIES: Final = ("run", "temporary")
"""Directories that are emptied at each start."""
_MARKER_FILES: Final = ("directory.id", "secret.key", "trackyard.db", "trackyard.lock")
"""Of these a data directory that was in use has at least one, a copy of it too."""


def make_data_directory(directory: Path) -> None:
    """Makes the directory, for its owner alone: it holds personal data and keys. One that is there stays as it is.

    Raises CannotStart for one of somebody else, in which a start would empty directories that are not ours; OSError.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    to_be_emptied = [name for name in EMPTIED_DIRECTORIES if (directory / name).exists()]
    if to_be_emptied and not any((directory / sign).exists() for sign in _MARKER_FILES):
        raise CannotStart(
            f"TRACKYARD_DATA_DIR {directory} cannot be used: it is no data directory and has "
            f"{' and '.join(to_be_emptied)}, which would be emptied: name an empty one."
        )


def check_disk_space(config: Config) -> None:
    """Raises CannotStart when the file of unique visitors does not fit on the disk: to make it would fill the disk
    for everybody else. OSError."""
    state = config.data_dir / "state"
    used_bytes = sum(file.stat().st_blocks * 512 for file in state.glob("visitors.map"))
    room_mb = (shutil.disk_usage(config.data_dir).free + used_bytes) // 2**20
    if config.unique_mb > room_mb:
        raise CannotStart(
            f"TRACKYARD_UNIQUE_MB cannot be {config.unique_mb}: {config.data_dir} has room for {room_mb} MB."
        )
