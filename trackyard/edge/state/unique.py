"""Which visitors an offer has seen in the last 24 hours (docs/spec/tracking.md#unique-visitors, docs/decisions/0017).

One memory-mapped file of fixed size: buckets of 32 places, each 4 bytes of fingerprint and 4 bytes second. A full
bucket forgets its oldest. Two visitors are taken for one with probability 32 / 2^32. The kernel keeps the pages when
a process dies; every store is one machine word, so that a death leaves none half-made.
"""

import fcntl
import mmap
import os
import struct
import sys
from pathlib import Path
from typing import Final

from trackyard.base.integers import i64
from trackyard.decision.visitor.visitor import ADDRESS_ALONE, Who
from trackyard.edge.state.claims import Claim, Claims, Kind
from trackyard.edge.state.mapped_file import open_reserved

WINDOW_S: Final = 24 * 3600
DEFAULT_SIZE: Final = 64 * 1024 * 1024
"""Eight million places; a visitor with a cookie takes two for each offer."""

HEADER: Final = 4096
_BUCKET: Final = 256
_TIMES_AT: Final = 128
_CELL: Final = 4
_SLOTS: Final = 32
_MARK: Final = 0xFFFFFFFF
_FREE: Final = bytes(_CELL)
_ORDER: Final = sys.byteorder
_TIMES: Final = struct.Struct("@32I")
_VISITOR: Final = Kind.VISITOR  # its look-up is slow
_SWEPT_AT_ONCE: Final = 1024 * 1024
_RANDOM_AT: Final = 10
"""Where the random digits of a click id begin."""
_FORMAT: Final = 0x5456 << 16 | hash((1, 2, 3)) & 0xFFFF
"""Keys are hashes of numbers, which are the same in every process of one interpreter, and no more than that: an
interpreter that hashes otherwise begins the file anew, and reads it from the journals."""


class UniqueVisitors:
    """The visitors of the last 24 hours, in the file `path` of `size` bytes (a multiple of 256) and a header.

    `shared`: whether other processes use the file at the same time; each step then locks its buckets · `claims`: where
    a claim is noted before it is made; None = nowhere, it cannot be undone · `writes`: whether this process may make
    the file; one that only looks takes it as it is, of whatever size. `fresh` says that the file is new, or of
    another size than before, and `set_known` was not called yet: nobody is known. Errors: OSError when there is
    no room for the file.
    """

    def __init__(
        self,
        path: Path,
        *,
        size: int = DEFAULT_SIZE,
        shared: bool = False,
        claims: Claims | None = None,
        writes: bool = True,
    ) -> None:
        self._descriptor = _open(path, size) if writes else os.open(path, os.O_RDWR)
        if not writes:
            size = os.fstat(self._descriptor).st_size - HEADER
        try:
            self._map = mmap.mmap(self._descriptor, HEADER + size)
        except BaseException:
            os.close(self._descriptor)
            raise
        self._cells = memoryview(self._map).cast("I")
        self.fresh = self._cells[0] != _FORMAT
        self._buckets = size // _BUCKET
        self._shared = shared
        self._claims = claims

    def seen(self, offer: int, who: Who, cookie: str, now_s: int) -> bool:
        """Whether the address with the user agent, or the cookie ("" = none), was new to the offer in the last 24
        hours; of a visitor with ADDRESS_ALONE the cookie is ignored. Claims nothing."""
        if self._look(hash((offer, who[0], who[1])), now_s)[1]:
            return True
        return cookie != "" and who[1] != ADDRESS_ALONE and self._look(_of_cookie(offer, cookie), now_s)[1]

    def claim(self, offer: int, who: Who, cookie: str, now_s: int, given: str = "") -> bool:
        """Whether this visitor is new to the offer, who then is not for 24 hours: by address and user agent, and by the
        cookie `given` with this click ("" = none). A visitor with ADDRESS_ALONE is known by the address and no cookie.

        Who was seen stays as it was: the hours count from the last time it was new. Errors: OSError when the claim
        cannot be noted; then it was not made.
        """
        key: i64 = hash((offer, who[0], who[1]))
        if who[1] == ADDRESS_ALONE:
            cookie = given = ""
        # Most are seen: that is found out without a lock.
        place, fresh = self._look(key, now_s)
        if fresh:
            return False
        if cookie and cookie != given and self._look(_of_cookie(offer, cookie), now_s)[1]:
            return False
        other: i64 = _of_cookie(offer, given) if given else key
        if not self._shared:
            self._set(place, key, other, now_s)
            return True
        bucket, second = self._bucket(key), self._bucket(other)
        self._lock(bucket, second)
        try:
            place, fresh = self._look(key, now_s)
            if not fresh:
                self._set(place, key, other, now_s)
            return not fresh
        finally:
            self._unlock(bucket, second)

    def remember(self, offer: int, who: Who, given: str, at_s: int) -> None:
        """Makes the visitor seen at `at_s`, again or for the first time: what a record of the journal says."""
        keys = [hash((offer, who[0], who[1]))]
        if who[1] != ADDRESS_ALONE:
            keys.append(_of_cookie(offer, given))
        for key in keys:
            bucket = self._bucket(key)
            self._lock(bucket, bucket)
            place, _ = self._look(key, at_s)
            if self._cells[place - _SLOTS] != key & _MARK or self._cells[place] < at_s:
                self._store(place, key & _MARK, at_s)
            self._unlock(bucket, bucket)

    def undo(self, claim: Claim) -> None:
        """Makes a noted claim never have been; one that was not made, or is undone already, stays so."""
        if claim.other_place:
            self._free(claim.other_place, claim.other_mark, claim.value)
        self._free(claim.place, claim.mark, claim.value)

    def forget_since(self, second: int) -> None:
        """Forgets who was new after `second`, in a file that no one else uses."""
        for start in range(HEADER, len(self._map), _SWEPT_AT_ONCE):
            piece = self._cells[start // _CELL : (start + _SWEPT_AT_ONCE) // _CELL].tolist()
            for bucket in range(0, len(piece), _BUCKET // _CELL):
                times = piece[bucket + _TIMES_AT // _CELL : bucket + _BUCKET // _CELL]
                if max(times) <= second:
                    continue
                first = start // _CELL + bucket + _TIMES_AT // _CELL
                for slot, time in enumerate(times):
                    if time > second:
                        self._cells[first + slot] = 0

    def set_known(self) -> None:
        """Says that whoever is known of was told to the file."""
        self._cells[0] = _FORMAT
        self.fresh = False

    def sync(self) -> None:
        """Makes what was claimed before the call survive a power cut; for a thread of its own. Errors: OSError."""
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Gives the file back."""
        self._cells.release()
        self._map.close()
        os.close(self._descriptor)

    def _bucket(self, key: i64) -> i64:
        """Where the bucket of a key begins."""
        return HEADER + (key >> 32 & _MARK) % self._buckets * _BUCKET

    def _look(self, key: i64, now_s: int) -> tuple[i64, bool]:
        """The cell for the time of a key, its own, else a free one, else the oldest; and whether it was seen in the
        24 hours before `now_s`."""
        bucket = self._bucket(key)
        mark: i64 = key & _MARK
        first = bucket // _CELL + _SLOTS
        marks, sought = self._map[bucket : bucket + _TIMES_AT], int(mark).to_bytes(_CELL, _ORDER)
        # Nearly all are new, and this is the quickest question whether any is there.
        slot: i64 = _find(marks, sought) if marks.partition(sought)[1] else -1
        if slot >= 0:
            place = first + slot
            # A time ahead of the clock is as good as now: the clock went back. Without a lock the place may have been
            # given to another meanwhile: so the fingerprint is read after the time.
            fresh = now_s - self._cells[place] < WINDOW_S and self._cells[place - _SLOTS] == mark
            return place, fresh
        return self._vacant(bucket, mark, now_s), False

    def _vacant(self, bucket: i64, mark: i64, now_s: int) -> i64:
        """The cell for the time of a key that is new in its bucket: a free one or one whose visitor is new again, else
        the oldest."""
        first = bucket // _CELL + _SLOTS
        # Most are one of these: so one is tried before all of them are read.
        place: i64 = first + mark % _SLOTS
        if now_s - self._cells[place] >= WINDOW_S:
            return place
        times = self._map[bucket + _TIMES_AT : bucket + _BUCKET]
        slot: i64 = _find(times, _FREE)
        if slot < 0:
            seconds = _TIMES.unpack(times)
            slot = seconds.index(min(seconds))
        return first + slot

    def _set(self, place: i64, key: i64, other: i64, now_s: int) -> None:
        """Makes a key, for which `place` was found, and another one be of `now_s`; `other` = key: it alone."""
        mark: i64 = key & _MARK
        if other == key or self._bucket(other) == self._bucket(key):
            self._note(place, now_s, mark, 0, 0)
            self._store(place, mark, now_s)
            if other != key:
                # Its place is looked for when the first is taken: both might have found the same.
                self._set(self._look(other, now_s)[0], other, other, now_s)
            return
        # The other one is the cookie that this click gives: nobody has it yet, so nobody looks for it.
        other_mark: i64 = other & _MARK
        other_place = self._vacant(self._bucket(other), other_mark, now_s)
        self._note(place, now_s, mark, other_place, other_mark)
        self._store(place, mark, now_s)
        self._store(other_place, other_mark, now_s)

    def _note(self, place: i64, now_s: int, mark: i64, other_place: i64, other_mark: i64) -> None:
        if self._claims is not None:
            self._claims.note(_VISITOR, place, now_s, mark, other_place, other_mark)

    def _store(self, place: i64, mark: i64, second: int) -> None:
        """Writes a time into the cell `place`, beside its fingerprint."""
        cells = self._cells
        free = cells[place] == 0
        if free or cells[place - _SLOTS] != mark:
            # The time first: a death between the two leaves an entry that is too young, not one that calls another
            # visitor seen.
            if not free:
                cells[place] = 0
            cells[place - _SLOTS] = mark
        cells[place] = second

    def _free(self, place: int, mark: int, second: int) -> None:
        bucket = place * _CELL // _BUCKET * _BUCKET
        self._lock(bucket, bucket)
        if self._cells[place] == second and self._cells[place - _SLOTS] == mark:
            self._cells[place] = 0
        self._unlock(bucket, bucket)

    def _lock(self, one: int, other: int) -> None:
        """Locks two buckets, always in the same order: two who want the same two do not wait for each other."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET, min(one, other))
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET, max(one, other))

    def _unlock(self, one: int, other: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET, one)
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET, other)


def _of_cookie(offer: int, cookie: str) -> i64:
    """The key of a cookie, a click id: its random half tells it from all others."""
    return hash((offer, int(cookie[_RANDOM_AT:], 16)))


def _find(cells: bytes, cell: bytes) -> i64:
    """The slot in which a cell stands; -1 = in none."""
    at = cells.find(cell)
    while at >= 0 and at % _CELL:
        at = cells.find(cell, at + 1)
    return -1 if at < 0 else at // _CELL


def _open(path: Path, size: int) -> int:
    """A file of another size or form is begun anew: what stands in it would be looked for elsewhere."""
    if path.exists() and (path.stat().st_size != HEADER + size or _form_of(path) not in (0, _FORMAT)):
        path.unlink()
    return open_reserved(path, HEADER + size)


def _form_of(path: Path) -> int:
    """What a file says of its form; 0 = it is not made whole yet."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(_CELL), sys.byteorder)
