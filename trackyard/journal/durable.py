"""Files that are there whole or not at all, whatever happens while they are written."""

import os
from pathlib import Path


def write_durably(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Replaces `path` with `content`: temporary file, fsync, rename, fsync of the directory.

    Errors: OSError, with the old file untouched.
    """
    temporary = path.with_name(path.name + ".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        written = 0
        while written < len(content):
            written += os.write(descriptor, content[written:])
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    temporary.rename(path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Makes the names in a directory survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
