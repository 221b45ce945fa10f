"""The visitors of offers in the last 24 hours.

See docs/spec/tracking.md#unique-visitors and docs/decisions/0017.

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
from trackyard.decision.visitor.visitor import ADDRESS_ONLY, VisitorKey
from trackyard.edge.state.claims import Claim, ClaimKind, Claims
from trackyard.edge.state.mapped_file import open_reserved

WINDOW_S: Final = 24 * 3600
DEFAULT_SIZE: Final = 64 * 1024 * 1024
"""Eight million places; a visitor with a cookie takes two for each offer."""

HEADER: Final = 4096
_BUCKET_SIZE: Final = 256
_TIMES_OFFSET: Final = 128
_CELL_SIZE: Final = 4
_SLOTS: Final = 32
_FINGERPRINT_MASK: Final = 0xFFFFFFFF
_FREE: Final = bytes(_CELL_SIZE)
_ORDER: Final = sys.byteorder
_TIMES: Final = struct.Struct("@32I")
_VISITOR: Final = ClaimKind.VISITOR  # its look-up is slow
_SWEEP_CHUNK: Final = 1024 * 1024
_RANDOM_OFFSET: Final = 10
"""Where the random digits of a click id begin."""
_FORMAT: Final = 0x5456 << 16 | hash((1, 2, 3)) & 0xFFFF
"""Keys are hashes of numbers, which are the same in every process of one interpreter, and no more than that: an
interpreter that hashes otherwise makes a new file, and fills it from the journals."""


class UniqueVisitors:
    """The visitors of the last 24 hours, in the file `path` of `size` bytes (a multiple of 256) and a header.

    `shared`: whether other processes use the file at the same time; each step then locks its buckets · `claims`: where
    a claim is noted before it is made; None = nowhere, it cannot be undone · `writes`: whether this process may make
    the file; one that only looks takes it as it is, of whatever size. `fresh` says that the file is new, or of
    another size than before, and `set_loaded` was not called yet: no visitor is known. Errors: OSError when there is
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
        self._buckets = size // _BUCKET_SIZE
        self._shared = shared
        self._claims = claims

    def seen(self, offer: int, visitor: VisitorKey, cookie: str, now_s: int) -> bool:
        """Whether the address with the user agent, or the cookie ("" = none), was new to the offer in the last 24
        hours; of a visitor with ADDRESS_ONLY the cookie is ignored. Claims nothing."""
        if self._find_cell(hash((offer, visitor[0], visitor[1])), now_s)[1]:
            return True
        return cookie != "" and visitor[1] != ADDRESS_ONLY and self._find_cell(_cookie_key(offer, cookie), now_s)[1]

    def claim(self, offer: int, visitor: VisitorKey, cookie: str, now_s: int, new_cookie: str = "") -> bool:
        """Whether this visitor is new to the offer, who then is not for 24 hours: by address and user agent, and by the
        cookie `new_cookie` with this click ("" = none). A visitor with
        ADDRESS_ONLY is known by the address and no cookie.

        Who was seen stays as it was: the hours count from the last time it was new. Errors: OSError when the claim
        cannot be noted; then it was not made.
        """
        key: i64 = hash((offer, visitor[0], visitor[1]))
        if visitor[1] == ADDRESS_ONLY:
            cookie = new_cookie = ""
        # Most are seen: that is found out without a lock.
        cell_index, fresh = self._find_cell(key, now_s)
        if fresh:
            return False
        if cookie and cookie != new_cookie and self._find_cell(_cookie_key(offer, cookie), now_s)[1]:
            return False
        other: i64 = _cookie_key(offer, new_cookie) if new_cookie else key
        if not self._shared:
            self._set(cell_index, key, other, now_s)
            return True
        bucket, second = self._bucket(key), self._bucket(other)
        self._lock(bucket, second)
        try:
            cell_index, fresh = self._find_cell(key, now_s)
            if not fresh:
                self._set(cell_index, key, other, now_s)
            return not fresh
        finally:
            self._unlock(bucket, second)

    def remember(self, offer: int, visitor: VisitorKey, new_cookie: str, at_s: int) -> None:
        """Makes the visitor seen at `at_s`, again or for the first time: what a record of the journal says."""
        keys = [hash((offer, visitor[0], visitor[1]))]
        if visitor[1] != ADDRESS_ONLY:
            keys.append(_cookie_key(offer, new_cookie))
        for key in keys:
            bucket = self._bucket(key)
            self._lock(bucket, bucket)
            cell_index, _ = self._find_cell(key, at_s)
            if self._cells[cell_index - _SLOTS] != key & _FINGERPRINT_MASK or self._cells[cell_index] < at_s:
                self._store(cell_index, key & _FINGERPRINT_MASK, at_s)
            self._unlock(bucket, bucket)

    def roll_back(self, claim: Claim) -> None:
        """Roll back a noted claim; one that was not made, or is rolled back already, stays so."""
        if claim.other_cell_index:
            self._free(claim.other_cell_index, claim.other_fingerprint, claim.value)
        self._free(claim.cell_index, claim.fingerprint, claim.value)

    def remove_since(self, second: int) -> None:
        """Forgets who was new after `second`, in a file that no one else uses."""
        for start in range(HEADER, len(self._map), _SWEEP_CHUNK):
            piece = self._cells[start // _CELL_SIZE : (start + _SWEEP_CHUNK) // _CELL_SIZE].tolist()
            for bucket in range(0, len(piece), _BUCKET_SIZE // _CELL_SIZE):
                times = piece[bucket + _TIMES_OFFSET // _CELL_SIZE : bucket + _BUCKET_SIZE // _CELL_SIZE]
                if max(times) <= second:
                    continue
                first = start // _CELL_SIZE + bucket + _TIMES_OFFSET // _CELL_SIZE
                for slot, time in enumerate(times):
                    if time > second:
                        self._cells[first + slot] = 0

    def set_loaded(self) -> None:
        """Mark the file as fully loaded."""
        self._cells[0] = _FORMAT
        self.fresh = False

    def sync(self) -> None:
        """Sync earlier claims to disk; for a thread of its own. Raises OSError."""
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Gives the file back."""
        self._cells.release()
        self._map.close()
        os.close(self._descriptor)

    def _bucket(self, key: i64) -> i64:
        """Where the bucket of a key begins."""
        return HEADER + (key >> 32 & _FINGERPRINT_MASK) % self._buckets * _BUCKET_SIZE

    def _find_cell(self, key: i64, now_s: int) -> tuple[i64, bool]:
        """The cell for the time of a key, its own, else a free one, else the oldest; and whether it was seen in the
        24 hours before `now_s`."""
        bucket = self._bucket(key)
        fingerprint: i64 = key & _FINGERPRINT_MASK
        first = bucket // _CELL_SIZE + _SLOTS
        fingerprints, sought = self._map[bucket : bucket + _TIMES_OFFSET], int(fingerprint).to_bytes(_CELL_SIZE, _ORDER)
        # Nearly all are new, and this is the quickest question whether any is there.
        slot: i64 = _find(fingerprints, sought) if fingerprints.partition(sought)[1] else -1
        if slot >= 0:
            cell_index = first + slot
            # A time ahead of the clock is as good as now: the clock went back. Without a lock the place may have been
            # given to another meanwhile: so the fingerprint is read after the time.
            fresh = now_s - self._cells[cell_index] < WINDOW_S and self._cells[cell_index - _SLOTS] == fingerprint
            return cell_index, fresh
        return self._find_vacant_cell(bucket, fingerprint, now_s), False

    def _find_vacant_cell(self, bucket: i64, fingerprint: i64, now_s: int) -> i64:
        """The cell for the time of a key that is new in its bucket: a free one or one whose visitor is new again, else
        the oldest."""
        first = bucket // _CELL_SIZE + _SLOTS
        # Most are one of these: so one is tried before all of them are read.
        cell_index: i64 = first + fingerprint % _SLOTS
        if now_s - self._cells[cell_index] >= WINDOW_S:
            return cell_index
        times = self._map[bucket + _TIMES_OFFSET : bucket + _BUCKET_SIZE]
        slot: i64 = _find(times, _FREE)
        if slot < 0:
            seconds = _TIMES.unpack(times)
            slot = seconds.index(min(seconds))
        return first + slot

    def _set(self, cell_index: i64, key: i64, other: i64, now_s: int) -> None:
        """Set the time of a key, found at `cell_index`, and of another one; `other` = key: it alone."""
        fingerprint: i64 = key & _FINGERPRINT_MASK
        if other == key or self._bucket(other) == self._bucket(key):
            self._note_claim(cell_index, now_s, fingerprint, 0, 0)
            self._store(cell_index, fingerprint, now_s)
            if other != key:
                # Its place is looked for when the first is taken: both might have found the same.
                self._set(self._find_cell(other, now_s)[0], other, other, now_s)
            return
        # The other one is the cookie that this click gives: no visitor has it yet, so none looks for it.
        other_fingerprint: i64 = other & _FINGERPRINT_MASK
        other_cell_index = self._find_vacant_cell(self._bucket(other), other_fingerprint, now_s)
        self._note_claim(cell_index, now_s, fingerprint, other_cell_index, other_fingerprint)
        self._store(cell_index, fingerprint, now_s)
        self._store(other_cell_index, other_fingerprint, now_s)

    def _note_claim(
        self, cell_index: i64, now_s: int, fingerprint: i64, other_cell_index: i64, other_fingerprint: i64
    ) -> None:
        if self._claims is not None:
            self._claims.add_claim(_VISITOR, cell_index, now_s, fingerprint, other_cell_index, other_fingerprint)

    def _store(self, cell_index: i64, fingerprint: i64, second: int) -> None:
        """Write a time into the cell `cell_index`, and its fingerprint."""
        cells = self._cells
        free = cells[cell_index] == 0
        if free or cells[cell_index - _SLOTS] != fingerprint:
            # The time first: a death between the two leaves an entry that is too young, not one that calls another
            # visitor seen.
            if not free:
                cells[cell_index] = 0
            cells[cell_index - _SLOTS] = fingerprint
        cells[cell_index] = second

    def _free(self, cell_index: int, fingerprint: int, second: int) -> None:
        bucket = cell_index * _CELL_SIZE // _BUCKET_SIZE * _BUCKET_SIZE
        self._lock(bucket, bucket)
        if self._cells[cell_index] == second and self._cells[cell_index - _SLOTS] == fingerprint:
            self._cells[cell_index] = 0
        self._unlock(bucket, bucket)

    def _lock(self, one: int, other: int) -> None:
        """Locks two buckets, always in the same order: two who want the same two do not wait for each other."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET_SIZE, min(one, other))
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET_SIZE, max(one, other))

    def _unlock(self, one: int, other: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET_SIZE, one)
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET_SIZE, other)


def _cookie_key(offer: int, cookie: str) -> i64:
    """The key of a cookie, a click id: its random half is unique."""
    return hash((offer, int(cookie[_RANDOM_OFFSET:], 16)))


def _find(cells: bytes, cell: bytes) -> i64:
    """Return the slot of a cell; -1 = it is in none."""
    at = cells.find(cell)
    while at >= 0 and at % _CELL_SIZE:
        at = cells.find(cell, at + 1)
    return -1 if at < 0 else at // _CELL_SIZE


def _open(path: Path, size: int) -> int:
    """Open the file; one of another size or form is replaced."""
    if path.exists() and (path.stat().st_size != HEADER + size or _format_of(path) not in (0, _FORMAT)):
        path.unlink()
    return open_reserved(path, HEADER + size)


def _format_of(path: Path) -> int:
    """What a file says of its form; 0 = it is not made whole yet."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(_CELL_SIZE), sys.byteorder)
