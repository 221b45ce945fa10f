"""The lock of a chDB directory, which is for one process (docs/spec/engine.md#analytic-store)."""

import fcntl
import os
import threading
from pathlib import Path
from typing import Final

_lock: Final = threading.Lock()
_held: Final[dict[Path, tuple[int, int]]] = {}
"""By lock file, its descriptor and how many stores of this process use it."""


class DirectoryInUse(Exception):
    """Another process has the directory. The message is a clause."""


def take_directory(directory: Path) -> Path:
    """Lock a chDB directory for this process; return the lock file, for `leave_directory`.

    Raises DirectoryInUse.
    """
    path = directory.with_name(directory.name + ".lock")
    with _lock:
        descriptor, users = _held.get(path, (-1, 0))
        if users == 0:
            descriptor = _lock_file(path, directory)
        _held[path] = (descriptor, users + 1)
    return path


def leave_directory(path: Path) -> None:
    """Give a lock back; the last one of this process opens the directory to others."""
    with _lock:
        descriptor, users = _held.pop(path)
        if users > 1:
            _held[path] = (descriptor, users - 1)
        else:
            os.close(descriptor)


def _lock_file(path: Path, directory: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 32, 0).decode()
        os.close(descriptor)
        raise DirectoryInUse(
            f"process {holder or 'of another server'} has the chDB directory {directory}, which is for one process: "
            "name another directory, or set one ClickHouse server on all machines"
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor
