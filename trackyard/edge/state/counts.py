"""Exact click counts of every edge of a machine.

See docs/spec/conversions.md#caps and docs/decisions/0017.

Each edge counts in a file of its own, and a count is the sum of the files: a word has one writer, so that the journal
of this edge restores it exactly. Two edges that ask for places of one offer do so one after the other.
"""

import fcntl
import itertools
import mmap
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from trackyard.decision.click.caps import CappedCount
from trackyard.edge.state.counts_file import ClickCount, CountsFile
from trackyard.edge.state.mapped_file import open_reserved

_SHARED_SIZE: Final = 4096
_LOCKS: Final = 2**20

_rounds: Final = itertools.count()


class ClickCounts:
    """The counts of one edge and of the others, in files of `directory`.

    shared: other edges run at the same time
    fresh: the file of this edge is new

    Raises OSError when the disk is full.
    """

    def __init__(self, directory: Path, edge: int, *, shared: bool = False) -> None:
        self._directory = directory
        self._name = counts_name(edge)
        self._shared = shared
        # Rounds of all edges differ: a count with this number is in `_changed` already.
        self._round: int = next(_rounds)
        self._changed: dict[bytes, int] = {}
        # Its first word counts how often a file was made: an edge that sees it change opens the new ones.
        self._descriptor = open_reserved(directory / "counts.shared", _SHARED_SIZE)
        self._map = mmap.mmap(self._descriptor, _SHARED_SIZE)
        self._words = memoryview(self._map).cast("Q")
        self._peers: dict[str, CountsFile] = {}
        # No edge may open an incomplete file.
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX)
        try:
            self._own = CountsFile(directory / self._name, writes=True)
            self._words[0] += 1
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN)
        self.fresh = self._own.fresh
        self._open_new_peers()

    def reserve(self, offer: int, capped_counts: Sequence[CappedCount], now_s: int) -> int:
        """Reserve one place of each count, or none; return the index of the first full one, -1 = reserved.

        offer: has all of these counts

        Raises CountsFull, or OSError when a full disk prevents a count; then nothing is reserved.
        """
        if not self._shared:
            return self._reserve(capped_counts, now_s)
        lock = 1 + offer % _LOCKS
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, lock)
        try:
            return self._reserve(capped_counts, now_s)
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, lock)

    def find_full(self, capped_counts: Sequence[CappedCount]) -> int:
        """Return the index of the first full count, -1 = none is full."""
        if self._words[0] != self._known_files:
            self._open_new_peers()
        for index, each in enumerate(capped_counts):
            if self._count(each.key) >= each.limit:
                return index
        return -1

    def count(self, key: bytes) -> int:
        """Return the clicks that all edges counted under a key."""
        if self._words[0] != self._known_files:
            self._open_new_peers()
        return self._count(key)

    def roll_back(self, capped_counts: Sequence[CappedCount]) -> None:
        """Release the places that a click reserved."""
        for each in capped_counts:
            self._own.set_count(each.cell_index, self._own.count_at(each.cell_index) - 1)

    def replace(self, totals: Mapping[bytes, ClickCount], now_s: int) -> None:
        """Set the counts of this edge to `totals`; other counts of running periods become 0.

        Each count changes in one store, so that other edges never see less than both values.

        Raises as `reserve`.
        """
        for key, end, clicks in self._own.each():
            if clicks and end > now_s and key not in totals:
                self._own.set_count(self._own.find(key), 0)
        for key, end, clicks in totals.values():
            cell_index = self._own.find(key)
            self._own.set_count(cell_index if cell_index >= 0 else self._own.insert(key, end, now_s), clicks)

    def take_changed(self) -> list[ClickCount]:
        """Return the counts of this edge that changed since the last call."""
        found = [
            ClickCount(key, self._own.end_at(cell_index), self._own.count_at(cell_index))
            for key, cell_index in self._changed.items()
            if self._own.find(key) == cell_index
        ]
        self._changed = {}
        self._round = next(_rounds)
        return found

    def restore_changed(self, counted: Iterable[ClickCount]) -> None:
        """Mark counts as changed again after a failed sync."""
        for key, _end, _clicks in counted:
            cell_index = self._own.find(key)
            if cell_index >= 0:
                self._changed[key] = cell_index

    @property
    def changes(self) -> int:
        """The number of counts that changed since the last call of `take_changed`."""
        return len(self._changed)

    def each(self) -> list[ClickCount]:
        """Return every count of this edge."""
        return list(self._own.each())

    def close(self) -> None:
        for file in (self._own, *self._peers.values()):
            file.close()
        self._words.release()
        self._map.close()
        os.close(self._descriptor)

    def _reserve(self, capped_counts: Sequence[CappedCount], now_s: int) -> int:
        if self._words[0] != self._known_files:
            self._open_new_peers()
        own = self._own
        for index, each in enumerate(capped_counts):
            each.cell_index = own.find_with_hint(each.key, each.cell_index)
            counted = own.count_at(each.cell_index) if each.cell_index >= 0 else 0
            if self._peers:
                counted += self._count_of_peers(each.key)
            if counted >= each.limit:
                return index
        for each in capped_counts:
            if each.cell_index < 0:
                found = own.find(each.key)
                each.cell_index = found if found >= 0 else own.insert(each.key, each.end, now_s)
                each.changed_round = -1
        for each in capped_counts:
            cell_index = each.cell_index
            own.set_count(cell_index, own.count_at(cell_index) + 1)
            if each.changed_round != self._round:
                self._changed[each.key] = cell_index
                each.changed_round = self._round
        return -1

    def _count(self, key: bytes) -> int:
        cell_index = self._own.find(key)
        own = 0 if cell_index < 0 else self._own.count_at(cell_index)
        return own + self._count_of_peers(key)

    def _count_of_peers(self, key: bytes) -> int:
        counted = 0
        for file in self._peers.values():
            cell_index = file.find(key)
            if cell_index >= 0:
                counted += file.count_at(cell_index)
        return counted

    def _open_new_peers(self) -> None:
        """Open the new files of other edges."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, 0)
        try:
            self._known_files = self._words[0]
            for path in self._directory.glob("counts-*.map"):
                if path.name != self._name and path.name not in self._peers:
                    self._peers[path.name] = CountsFile(path, writes=False)
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, 0)


def counts_name(edge: int) -> str:
    """Return the name of the counts file of an edge."""
    return f"counts-{edge:03d}.map"
