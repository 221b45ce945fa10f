"""Whether the disks of this machine have enough space (docs/operating.md#a-full-disk)."""

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.base.disks import (
    JOURNAL_FREE_BYTES,
    SQL_FREE_BYTES,
    STATISTICS_FREE_BYTES,
    STATISTICS_WRITE_BYTES,
    disk_space,
)
from trackyard.runtime.settings import Config

_PAUSE_S: Final = 1.0
_MB: Final = 1_000_000

log = logging.getLogger("trackyard.runtime.disks")


@dataclass(frozen=True, slots=True)
class FullDisk:
    """A disk with less free space than this machine needs. free, needed: bytes.

    is_first: whether it has the data directory.
    """

    place: Path
    free: int
    needed: int
    is_first: bool = True

    @property
    def free_mb(self) -> int:
        """Return the free space in MB, rounded down."""
        return self.free // _MB

    @property
    def needed_mb(self) -> int:
        """Return the space that is needed in MB, rounded up."""
        return -(-self.needed // _MB)

    def sentence(self) -> str:
        """Return the sentence about this disk for `/readyz`."""
        place = "" if self.is_first else f" in {self.place}"
        return f"disk full: {self.free_mb} MB free, {self.needed_mb} needed{place}"


def find_full_disks(config: Config) -> list[FullDisk]:
    """Return the disks of this machine that are too full, each once, with the largest need."""
    largest: dict[int, tuple[Path, int]] = {}
    for place, needed in _needs(config):
        existing = next(path for path in (place, *place.parents) if path.exists())
        device = existing.stat().st_dev
        if device not in largest or largest[device][1] < needed:
            largest[device] = (largest[device][0] if device in largest else existing, needed)
    found = [(place, needed, disk_space(place), i == 0) for i, (place, needed) in enumerate(largest.values())]
    return [
        FullDisk(place, space.free, needed, is_first)
        for place, needed, space, is_first in found
        if space.free < needed and space.total  # /proc and its like have no blocks: they are not full
    ]


def _needs(config: Config) -> Iterator[tuple[Path, int]]:
    """Yield directories with the free bytes that each needs: the data directory first."""
    yield config.data_dir, JOURNAL_FREE_BYTES
    if config.sqlite_file is not None:
        yield config.sqlite_file.parent, SQL_FREE_BYTES
    if config.chdb_directory is not None and {"api", "projector"} & set(config.roles):
        yield config.chdb_directory, STATISTICS_FREE_BYTES + STATISTICS_WRITE_BYTES


def wait_for_space(find: Callable[[], list[FullDisk]], stop: threading.Event, pause_s: float = _PAUSE_S) -> bool:
    """Return True when no disk is full, False when `stop` was set before. Each change is logged once."""
    found = find()
    if found:
        fields = [
            {"directory": str(each.place), "free_mb": each.free_mb, "needed_mb": each.needed_mb} for each in found
        ]
        log.error("disk full: the start waits for space", extra={"disks": fields})
    was_full = bool(found)
    while found:
        if stop.wait(pause_s):
            return False
        found = find()
    if was_full:
        log.info("disk has room: the start continues")
    return True
