"""A watch for growth of journals, much cheaper than to read them."""

from pathlib import Path


class JournalWatcher:
    """A watch for growth of the journals of a directory.

    It lists the directory only when its entries change.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._listed_at = -1
        self._logs: list[Path] = []

    def state(self) -> object:
        """Return the time of the directory and the sizes of the journals that are written to."""
        changed_at = self._directory.stat().st_mtime_ns
        if changed_at != self._listed_at:
            self._logs = sorted(self._directory.glob("*.log"))
            self._listed_at = changed_at
        return changed_at, [_size(path) for path in self._logs]


def _size(path: Path) -> int:
    """Return the size of a file; -1 = it was removed meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
