"""A watch for growth of journals, much cheaper than to read them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

SETTLED_NS: Final = 1_000_000_000
"""File systems count the times of directories in ticks: two entries of one tick have the same time."""


class JournalWatcher:
    """A watch for growth of the journals of a directory.

    It lists the directory only while its entries change: a time of the last second may belong to a later entry, too.

    now_ns: returns the time of files, nanoseconds since 1970.
    """

    def __init__(self, directory: Path, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._directory = directory
        self._now_ns = now_ns
        self._listed_at = -1
        self._logs: list[Path] = []

    def state(self) -> object:
        """Return the time of the directory and the sizes of the journals that are written to."""
        changed_at = self._directory.stat().st_mtime_ns
        if changed_at != self._listed_at:
            is_settled = self._now_ns() - changed_at > SETTLED_NS
            self._logs = sorted(self._directory.glob("*.log"))
            self._listed_at = changed_at if is_settled else -1
        return changed_at, [_size(path) for path in self._logs]


def _size(path: Path) -> int:
    """Return the size of a file; -1 = it was removed meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
