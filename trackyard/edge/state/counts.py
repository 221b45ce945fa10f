"""Exact click counts of every edge of a machine.

See docs/spec/conversions.md#caps and docs/decisions/0017.

Each edge counts in a file of its own, and the count is the sum of the files: a word has one writer, so it can be put
back exactly when its writer dies. Two edges that ask for places of one offer do so one after the other.
"""

import fcntl
import itertools
import mmap
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from trackyard.decision.click.caps import CappedCount
from trackyard.edge.state.claims import Claim, ClaimKind, Claims
from trackyard.edge.state.counts_file import ClickCount, CountsFile
from trackyard.edge.state.mapped_file import open_reserved

_SHARED_SIZE: Final = 4096
_LOCKS: Final = 2**20
_COUNT: Final = ClaimKind.COUNT

_rounds: Final = itertools.count()


class ClickCounts:
    """The counts of edge number `edge` and what the others counted, in files of `directory`.

    `shared`: whether other edges run at the same time · `claims`: where a place is noted before it is taken. `fresh`
    says that this edge's file was not there. Errors: OSError when there is no room.
    """

    def __init__(self, directory: Path, edge: int, *, shared: bool = False, claims: Claims) -> None:
        self._directory = directory
        self._name = counts_name(edge)
        self._shared = shared
        self._claims = claims
        # No two rounds of any edge have one number: who has it is noted already.
        self._round: int = next(_rounds)
        self._changed: dict[bytes, int] = {}
        # The word says how often a file came to be: who sees it change looks which.
        self._descriptor = open_reserved(directory / "counts.shared", _SHARED_SIZE)
        self._map = mmap.mmap(self._descriptor, _SHARED_SIZE)
        self._words = memoryview(self._map).cast("Q")
        self._peers: dict[str, CountsFile] = {}
        # No edge may open a file that is half-made.
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX)
        try:
            self._own = CountsFile(directory / self._name, writes=True)
            self._words[0] += 1
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN)
        self.fresh = self._own.fresh
        self._open_new_peers()

    def reserve(self, offer: int, capped_counts: Sequence[CappedCount], now_s: int) -> int:
        """Takes one place of each, or none: the index of the first that is full, -1 = all were taken.

        All places of a click are of one `offer`. Errors: CountsFull, OSError when a count cannot be kept; then none
        was taken.
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
        """The index of the first that is full, -1 = none is. Takes nothing."""
        if self._words[0] != self._known_files:
            self._open_new_peers()
        for index, each in enumerate(capped_counts):
            if self._count(each.key) >= each.limit:
                return index
        return -1

    def count(self, key: bytes) -> int:
        """Clicks counted under a key by all edges."""
        if self._words[0] != self._known_files:
            self._open_new_peers()
        return self._count(key)

    def roll_back(self, claim: Claim) -> None:
        """Gives a noted place back, whether it had been taken or not. The claims of an edge are undone from the last
        to the first."""
        self._own.set_count(claim.cell_index, claim.value)

    def restore(self, counted: Iterable[ClickCount], now_s: int) -> None:
        """Sets counts of this edge to what they were. Errors: as `reserve`."""
        for key, end, clicks in counted:
            cell_index = self._own.find(key)
            if cell_index < 0:
                cell_index = self._own.insert(key, end, now_s)
            self._own.set_count(cell_index, clicks)
            self._changed[key] = cell_index

    def add(self, capped_counts: Iterable[CappedCount], now_s: int) -> None:
        """Counts a click that the journal holds, whatever the limits. Errors: as `reserve`."""
        for each in capped_counts:
            cell_index = self._own.find(each.key)
            counted = 0 if cell_index < 0 else self._own.count_at(cell_index)
            self.restore([ClickCount(each.key, each.end, counted + 1)], now_s)

    def take_changed(self) -> list[ClickCount]:
        """The counts of this edge that changed since the last call, as they are now."""
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
        """How many counts of this edge changed since the last call of `take_changed`."""
        return len(self._changed)

    def each(self) -> list[ClickCount]:
        """Every count of this edge."""
        return list(self._own.each())

    def close(self) -> None:
        """Gives the files back."""
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
        taken = 0
        try:
            for each in capped_counts:
                cell_index = each.cell_index
                counted = own.count_at(cell_index)
                self._claims.add_claim(_COUNT, cell_index, counted, 0)
                own.set_count(cell_index, counted + 1)
                taken += 1
                if each.changed_round != self._round:
                    self._changed[each.key] = cell_index
                    each.changed_round = self._round
        except OSError:
            self._roll_back(capped_counts[:taken])
            raise
        return -1

    def _roll_back(self, capped_counts: Sequence[CappedCount]) -> None:
        for each in capped_counts:
            self._own.set_count(each.cell_index, self._own.count_at(each.cell_index) - 1)
            self._claims.remove_last()

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
    """The name of an edge's file of counts."""
    return f"counts-{edge:03d}.map"
