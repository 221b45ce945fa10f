"""Checks and repairs of parts that a full disk left empty (docs/spec/engine.md#full-disk).

When a disk becomes full while chDB writes a part, chDB may answer that all is well and use a part with empty files.
"""

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from trackyard.base.disks import disk_space
from trackyard.base.metrics.watching import REPAIRED_PARTS

log = logging.getLogger("trackyard.analytics")

T = TypeVar("T")

LOW_BYTES: Final = 1 << 30
"""With less free space than this (1 GiB) new parts are checked: more than an insert or a usual merge writes."""
_LOW_INODES: Final = 20_000
_WATCH_S: Final = 60.0
"""Seconds after the last low look in which parts are still checked: a merge may have begun before."""
_LOOK_BACK_S: Final = 90
"""Seconds of changes that a check covers: more than the time between two checks."""
_PAUSE_S: Final = 10.0
"""Seconds between two checks, unless a statement met a broken part."""
_ATTACH_S: Final = 30.0
_BROKEN_PART_CODES: Final = frozenset({27, 32, 33, 40, 228, 246})
"""ClickHouse's codes for files that end too early, or do not have the size or the sum of their part."""
_MISSING_PART: Final = 232
"""ClickHouse's code for a part that does not exist (any more)."""


class _Store(Protocol):
    """What a check needs of the analytic store."""

    def rows(self, sql: str, parameters: dict[str, Any], row: type[T], /) -> list[T]: ...

    def run(self, sql: str, /) -> None: ...


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a table."""

    table: str
    name: str
    path: str
    partition: str
    first: int
    last: int
    level: int
    version: int
    rows: int

    def replaces(self, other: "_Part") -> bool:
        """Return whether a merge or mutation made this part of the other one."""
        return (
            self.partition == other.partition
            and self.first <= other.first
            and other.last <= self.last
            and (self.level, self.version) > (other.level, other.version)
        )


class PartChecks:
    """Checks of the parts of one chDB database. Safe to use from several threads."""

    def __init__(self, store: _Store, database: str, directory: Path) -> None:
        """Create the checks. directory: of chDB."""
        self._store = store
        self._database = database
        self._directory = directory
        self._lock = threading.Lock()
        self._low_until = 0.0
        self._lost_at = -1.0
        self._next_at = 0.0
        self._is_asked = False
        self._detached: set[str] = set()

    def is_low(self) -> bool:
        """Return whether the disk has so little space that a part may have lost content."""
        disk = os.statvfs(self._directory)
        has_few_inodes = bool(disk.f_files) and disk.f_favail < _LOW_INODES
        return has_few_inodes or disk_space(self._directory).free < LOW_BYTES

    @contextmanager
    def guard_write(self) -> Iterator[None]:
        """Check what a statement in the block wrote, if the disk was low before or after it.

        Raises PartLost where chDB said that rows are stored, and they are not.
        """
        was_low, begun = self.is_low(), time.monotonic()
        yield
        if was_low or self.is_low():
            self._low_until = time.monotonic() + _WATCH_S
            with self._lock:
                self._repair(self._find_broken(round(time.monotonic() - begun) + 2))
        if self._lost_at >= begun:  # by this check, or by one at the same time
            raise PartLost("the disk was full: chDB acknowledged rows that it did not store")

    def explains(self, code: int | None) -> bool:
        """Return whether a broken part failed a statement, by ClickHouse's error code."""
        self._is_asked = code in _BROKEN_PART_CODES and time.monotonic() < self._low_until
        return self._is_asked

    def check_when_due(self) -> bool:
        """Check and repair what merges wrote while the disk was low; return whether anything was repaired."""
        now = time.monotonic()
        if self.is_low():
            self._low_until = now + _WATCH_S
        if not self._detached and (now > self._low_until or (now < self._next_at and not self._is_asked)):
            return False
        with self._lock:
            self._next_at, self._is_asked = now + _PAUSE_S, False
            for table in tuple(self._detached):
                self._attach(table)
            return self._repair(self._find_broken(_LOOK_BACK_S))

    def _parts(self, condition: str) -> list[_Part]:
        columns = "table, name, path, partition_id, min_block_number, max_block_number, level, data_version, rows"
        sql = f"SELECT {columns} FROM system.parts WHERE database = {{database:String}} AND {condition}"
        found = self._store.rows(sql, {"database": self._database}, list[Any])
        return [_Part(*row) for row in found]

    def _find_broken(self, seconds: int) -> list[_Part]:
        """Return the active parts that changed within so many seconds and are not whole."""
        changed = f"active AND modification_time >= now() - {seconds}"
        return [part for part in self._parts(changed) if not self._is_whole(part)]

    def _is_whole(self, part: _Part) -> bool:
        try:
            results = self._store.rows(f"CHECK TABLE `{part.table}` PART '{part.name}'", {}, tuple[str, int, str])
        except Exception as error:
            if f"Code: {_MISSING_PART}." in str(error):  # a merge replaced it meanwhile
                return True
            raise
        return all(passed for _, passed, _ in results)

    def _repair(self, broken: list[_Part]) -> bool:
        """Replace broken parts by the parts that they were merged from; return whether there were any."""
        for table in {part.table for part in broken}:
            self._repair_table(table, [part for part in broken if part.table == table])
        return bool(broken)

    def _repair_table(self, table: str, broken: list[_Part]) -> None:
        replaced = self._parts(f"NOT active AND table = '{table}'")
        lost = [part for part in broken if not _has_sources(part, replaced)]
        if lost:
            self._lost_at = time.monotonic()
        self._store.run(f"DETACH TABLE `{table}` SYNC")
        self._detached.add(table)
        try:
            for part in broken:
                path = Path(part.path)
                with suppress(FileNotFoundError):  # it went with a merge
                    path.rename(path.parent / "detached" / f"broken_{part.name}_{time.time_ns()}")
        finally:
            self._attach(table)
        REPAIRED_PARTS.labels("lost").inc(len(lost))
        REPAIRED_PARTS.labels("replaced").inc(len(broken) - len(lost))
        fields = {"table": table, "parts": [part.name for part in broken], "rows_lost": sum(part.rows for part in lost)}
        advice = (
            "rows of an insert are loaded again; `trackyard audit` shows whether others are missing" if lost else ""
        )
        log.warning("broken parts repaired", extra={**fields, "advice": advice})

    def _attach(self, table: str) -> None:
        """Attach a table that was detached; a statement that still reads it delays this."""
        until = time.monotonic() + _ATTACH_S
        while True:
            try:
                self._store.run(f"ATTACH TABLE IF NOT EXISTS `{table}`")
            except Exception:
                if time.monotonic() > until:  # the next check tries again
                    raise
                time.sleep(0.1)
            else:
                self._detached.discard(table)
                return


class PartLost(Exception):
    """chDB acknowledged rows that are not on the disk."""


def _has_sources(part: _Part, replaced: list[_Part]) -> bool:
    """Return whether the parts that a part was made of have all of its rows."""
    covered = [each for each in replaced if part.replaces(each)]
    nearest = [each for each in covered if not any(other.replaces(each) for other in covered)]
    return bool(nearest) and sum(each.rows for each in nearest) >= part.rows
