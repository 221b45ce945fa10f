"""Files that are mapped into memory."""

import fcntl
import os
from pathlib import Path


def open_reserved(path: Path, size: int, *, grow_only: bool = False) -> int:
    """Open a file and reserve `size` bytes on the disk, so that a full disk does not cause SIGBUS later.

    grow_only: a longer file keeps its size

    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            found = os.fstat(descriptor).st_size
            if found > size and not grow_only:
                os.ftruncate(descriptor, size)
            os.posix_fallocate(descriptor, 0, size)
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
