"""The space of disks, as `df` shows it to the user of this program."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

JOURNAL_FREE_BYTES: Final = 1 << 20
"""Free space below which an edge takes no records."""
SQL_FREE_BYTES: Final = 8 << 20
"""Free space below which a change in SQLite may fail: its log of changes grows to 4 MB before it is written back."""
STATISTICS_FREE_BYTES: Final = 128 << 20
"""Free space that chDB leaves to other files: below it nothing is written to the statistics."""
STATISTICS_WRITE_BYTES: Final = 1 << 20
"""What chDB reserves beyond that for a small write."""

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def is_full_disk(fault: OSError) -> bool:
    """Return whether an access failed because a disk, or the share of this user, is full."""
    return fault.errno in _FULL


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The space of a disk in bytes.

    free: bytes that this user may still write.
    total: used bytes plus free bytes. Neither includes blocks that are reserved for root.
    """

    free: int
    total: int

    @property
    def free_share(self) -> float:
        """Return the share that is free, 1 for a disk of unknown size."""
        return self.free / self.total if self.total else 1.0


def disk_space(place: Path) -> DiskSpace:
    """Return the space of the disk of a path. Raises OSError."""
    found = os.statvfs(place)
    used = found.f_blocks - found.f_bfree
    return DiskSpace(found.f_bavail * found.f_frsize, (used + found.f_bavail) * found.f_frsize)
