"""Files that are there whole or not at all."""

import os
from pathlib import Path


def write_durably(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Replace the content of a file: temporary file, fsync, rename, fsync of the directory.

    Raises OSError, with the old file untouched.
    """
    temporary = path.with_name(path.name + ".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        write_all(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    temporary.rename(path)
    sync_directory(path.parent)


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of `content`. Raises OSError, with a part of it written."""
    written = 0
    while written < len(content):
        written += os.write(descriptor, content[written:])


def sync_directory(directory: Path) -> None:
    """Sync a directory, so that its file names survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
