"""Checks of the data directory before its use, and the storage of files."""

import errno
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from trackyard.base.disks import disk_space
from trackyard.runtime.settings import CannotStart, Config, unusable_directory
from trackyard.store.platform.file_storage import DirectoryStore, FileStore

log = logging.getLogger("trackyard.runtime.data_directory")

EMPTIED_DIRECTORIES: Final = ("run", "temporary")
"""Directories that are emptied at each start."""
_MARKER_FILES: Final = ("directory.id", "secret.key", "trackyard.db", "trackyard.lock")
"""A used data directory, or a copy of one, has at least one of these files."""
_WRITTEN: Final = ("edges.json", "journal", "rules", "state")
"""What a start writes in a used data directory."""


def make_data_directory(directory: Path) -> None:
    """Create the directory, readable by its owner only: it holds personal data and keys.

    Raises CannotStart for a directory with foreign files that a start would remove; OSError.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_data_directory(directory)


def check_data_directory(directory: Path) -> None:
    """Raise CannotStart for a directory that a start cannot use.

    It has foreign files that a start would remove, or files of another user.
    """
    to_be_emptied = [name for name in EMPTIED_DIRECTORIES if (directory / name).exists()]
    if to_be_emptied and not any((directory / sign).exists() for sign in _MARKER_FILES):
        raise CannotStart(
            f"TRACKYARD_DATA_DIR {directory} cannot be used: it is not a data directory and has "
            f"{' and '.join(to_be_emptied)}, which would be emptied: name an empty one."
        )
    for path in (directory, *(directory / name for name in _WRITTEN)):
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            raise unusable_directory(directory, f"{path}: {os.strerror(errno.EACCES)}")


def warn_if_open(directory: Path) -> None:
    """Log a data directory that others may enter. It stays as it is: its owner may have a reason."""
    mode = open_mode(directory)
    if mode is not None:
        advice = "chmod 700, and chmod -R go= for files that an earlier version made"
        fields = {"directory": str(directory), "mode": f"{mode:o}", "advice": advice}
        log.warning("data directory open to others", extra=fields)


def open_mode(directory: Path) -> int | None:
    """Return the mode of a directory that others may enter, None of one for its owner only."""
    mode = directory.stat().st_mode & 0o777
    return mode if mode & 0o077 else None


def check_disk_space(config: Config) -> None:
    """Raise CannotStart when the file of unique visitors could never grow to its size; OSError."""
    state = config.data_dir / "state"
    used_bytes = sum(file.stat().st_blocks * 512 for file in state.glob("visitors.map"))
    there = next(each for each in (config.data_dir, *config.data_dir.parents) if each.exists())
    room_mb = (disk_space(there).free + used_bytes) // 2**20
    if config.unique_mb > room_mb:
        raise CannotStart(
            f"TRACKYARD_UNIQUE_MB cannot be {config.unique_mb}: {config.data_dir} has room for {room_mb} MB."
        )


def open_files(config: Config) -> FileStore:
    """Return the bucket of TRACKYARD_FILES_URL; without this setting, a directory of this machine."""
    if not config.files_url:
        return DirectoryStore(config.data_dir / "files")
    from trackyard.store.platform.bucket import BucketStore  # imports a client that directories do not need

    return BucketStore(config.files_url)


def use_temporary_directory(directory: Path) -> None:
    """Use an emptied directory for the temporary files of this process.

    Loads and exports write such files, and a killed process leaves them behind.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, mode=0o700)
    tempfile.tempdir = str(directory)
