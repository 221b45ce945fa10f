"""The visitors of offers in the last 24 hours.

See docs/spec/tracking.md#unique-visitors and docs/decisions/0017.

One memory-mapped file of fixed size holds buckets of 32 cells: 4 bytes of fingerprint and 4 bytes of second each. A
full bucket drops its oldest. Two visitors are taken for one with probability 32 / 2^32. The kernel keeps the pages when
a process dies; every store is one machine word, so that a death leaves none half-written.
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
from trackyard.edge.state.mapped_file import open_reserved

WINDOW_S: Final = 24 * 3600
DEFAULT_SIZE: Final = 64 * 1024 * 1024
"""Eight million cells; a visitor with a cookie takes two for each offer."""

HEADER: Final = 4096
_BUCKET_SIZE: Final = 256
_TIMES_OFFSET: Final = 128
_CELL_SIZE: Final = 4
_SLOTS: Final = 32
_FINGERPRINT_MASK: Final = 0xFFFFFFFF
_FREE: Final = bytes(_CELL_SIZE)
_ORDER: Final = sys.byteorder
_TIMES: Final = struct.Struct("@32I")
_SWEEP_CHUNK: Final = 1024 * 1024
_RANDOM_OFFSET: Final = 10
"""The offset of the random digits of a click id."""
_FORMAT: Final = 0x5456 << 16 | hash((1, 2, 3)) & 0xFFFF
"""Keys are hashes of numbers, which are the same in every process of one interpreter. An interpreter with other hashes
makes a new file and fills it from the journals."""


class VisitorClaim:
    """The entries that a new visitor took: by address and user agent, and by cookie.

    second: UTC, when it was new; both entries hold it
    cookie_cell: 0 = no entry was taken for a cookie
    """

    __slots__ = ("cell_index", "cookie_cell", "cookie_fingerprint", "fingerprint", "second")

    def __init__(self, second: int, cell_index: i64, fingerprint: i64) -> None:
        self.second = second
        self.cell_index = cell_index
        self.fingerprint = fingerprint
        self.cookie_cell: i64 = 0
        self.cookie_fingerprint: i64 = 0


class UniqueVisitors:
    """The visitors of the last 24 hours, in a file of `size` bytes (a multiple of 256) and a header.

    shared: other processes use the file at the same time; each step then locks its buckets
    writes: this process may make the file; a process that only looks takes a file of any size
    fresh: the file is new or has another size than before, and `set_loaded` was not called; no visitor is known

    Raises OSError when there is no room for the file.
    """

    def __init__(self, path: Path, *, size: int = DEFAULT_SIZE, shared: bool = False, writes: bool = True) -> None:
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

    def seen(self, offer: int, visitor: VisitorKey, cookie: str, now_s: int) -> bool:
        """Return whether a visitor was new to the offer in the last 24 hours, without a claim.

        The visitor is known by address and user agent, or by the cookie ("" = none); with ADDRESS_ONLY by the address.
        """
        if self._find_cell(hash((offer, visitor[0], visitor[1])), now_s)[1]:
            return True
        return cookie != "" and visitor[1] != ADDRESS_ONLY and self._find_cell(_cookie_key(offer, cookie), now_s)[1]

    def claim(
        self, offer: int, visitor: VisitorKey, cookie: str, now_s: int, new_cookie: str = ""
    ) -> VisitorClaim | None:
        """Claim the uniqueness of a visitor for 24 hours; None = the visitor was seen in the last 24 hours.

        The visitor is then known by address and user agent, and by the cookie `new_cookie` of this click ("" = none).
        A visitor with ADDRESS_ONLY is known by the address and no cookie. The hours of a seen visitor count from the
        last time it was new.
        """
        key: i64 = hash((offer, visitor[0], visitor[1]))
        if visitor[1] == ADDRESS_ONLY:
            cookie = new_cookie = ""
        # Most visitors were seen: that needs no lock.
        cell_index, seen = self._find_cell(key, now_s)
        if seen:
            return None
        if cookie and cookie != new_cookie and self._find_cell(_cookie_key(offer, cookie), now_s)[1]:
            return None
        other: i64 = _cookie_key(offer, new_cookie) if new_cookie else key
        if not self._shared:
            return self._set(cell_index, key, other, now_s)
        bucket, second = self._bucket(key), self._bucket(other)
        self._lock(bucket, second)
        try:
            cell_index, seen = self._find_cell(key, now_s)
            return None if seen else self._set(cell_index, key, other, now_s)
        finally:
            self._unlock(bucket, second)

    def remember(self, offer: int, visitor: VisitorKey, new_cookie: str, at_s: int) -> None:
        """Make a visitor of a journal record seen at `at_s`."""
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

    def roll_back(self, claim: VisitorClaim) -> None:
        """Free the entries of a claim, unless another visitor took them since."""
        if claim.cookie_cell:
            self._free(claim.cookie_cell, claim.cookie_fingerprint, claim.second)
        self._free(claim.cell_index, claim.fingerprint, claim.second)

    def remove_since(self, second: int) -> None:
        """Drop the visitors that were new after `second`, in a file that no other process uses."""
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
        """Mark the file as loaded."""
        self._cells[0] = _FORMAT
        self.fresh = False

    def sync(self) -> None:
        """Sync earlier claims to disk, in a thread of its own. Raises OSError."""
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        self._cells.release()
        self._map.close()
        os.close(self._descriptor)

    def _bucket(self, key: i64) -> i64:
        """Return the byte offset of the bucket of a key."""
        return HEADER + (key >> 32 & _FINGERPRINT_MASK) % self._buckets * _BUCKET_SIZE

    def _find_cell(self, key: i64, now_s: int) -> tuple[i64, bool]:
        """Return the cell for the time of a key, and whether it was seen in the 24 hours before `now_s`.

        The cell is that of the key, else a free one, else the oldest.
        """
        bucket = self._bucket(key)
        fingerprint: i64 = key & _FINGERPRINT_MASK
        first = bucket // _CELL_SIZE + _SLOTS
        fingerprints, sought = self._map[bucket : bucket + _TIMES_OFFSET], int(fingerprint).to_bytes(_CELL_SIZE, _ORDER)
        # Nearly all keys are new, and `partition` finds that out fastest.
        slot: i64 = _find(fingerprints, sought) if fingerprints.partition(sought)[1] else -1
        if slot >= 0:
            cell_index = first + slot
            # A time ahead of the clock counts as now: the clock went back. Without a lock another visitor may have
            # taken the cell meanwhile, so that the fingerprint is read after the time.
            fresh = now_s - self._cells[cell_index] < WINDOW_S and self._cells[cell_index - _SLOTS] == fingerprint
            return cell_index, fresh
        return self._find_vacant_cell(bucket, fingerprint, now_s), False

    def _find_vacant_cell(self, bucket: i64, fingerprint: i64, now_s: int) -> i64:
        """Return a cell for the time of a key that is new in its bucket.

        It is free, or its visitor is new again, or it is the oldest.
        """
        first = bucket // _CELL_SIZE + _SLOTS
        # Most cells are vacant: one is tried before all of them are read.
        cell_index: i64 = first + fingerprint % _SLOTS
        if now_s - self._cells[cell_index] >= WINDOW_S:
            return cell_index
        times = self._map[bucket + _TIMES_OFFSET : bucket + _BUCKET_SIZE]
        slot: i64 = _find(times, _FREE)
        if slot < 0:
            seconds = _TIMES.unpack(times)
            slot = seconds.index(min(seconds))
        return first + slot

    def _set(self, cell_index: i64, key: i64, other: i64, now_s: int) -> VisitorClaim:
        """Set the time of a key, found at `cell_index`, and of another one; `other` = key: no other."""
        claim = VisitorClaim(now_s, cell_index, key & _FINGERPRINT_MASK)
        self._store(cell_index, claim.fingerprint, now_s)
        if other != key:
            # The cookie that this click gives: no visitor has it yet, so that no other edge looks for it. Its cell is
            # chosen when the first is taken: both keys may have the same bucket.
            claim.cookie_fingerprint = other & _FINGERPRINT_MASK
            claim.cookie_cell = self._find_vacant_cell(self._bucket(other), claim.cookie_fingerprint, now_s)
            self._store(claim.cookie_cell, claim.cookie_fingerprint, now_s)
        return claim

    def _store(self, cell_index: i64, fingerprint: i64, second: int) -> None:
        """Write a time and a fingerprint into a cell."""
        cells = self._cells
        free = cells[cell_index] == 0
        if free or cells[cell_index - _SLOTS] != fingerprint:
            # The time first: a death between the two leaves a free cell, not another visitor that counts as seen.
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
        """Lock two buckets, always in the same order, so that two edges never wait for each other."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET_SIZE, min(one, other))
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET_SIZE, max(one, other))

    def _unlock(self, one: int, other: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET_SIZE, one)
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET_SIZE, other)


def _cookie_key(offer: int, cookie: str) -> i64:
    """Return the key of a cookie, a click id: its random half is unique."""
    return hash((offer, int(cookie[_RANDOM_OFFSET:], 16)))


def _find(cells: bytes, cell: bytes) -> i64:
    """Return the slot of a cell; -1 = there is none."""
    at = cells.find(cell)
    while at >= 0 and at % _CELL_SIZE:
        at = cells.find(cell, at + 1)
    return -1 if at < 0 else at // _CELL_SIZE


def _open(path: Path, size: int) -> int:
    """Open the file; a file of another size or format is replaced."""
    if path.exists() and (path.stat().st_size != HEADER + size or _format_of(path) not in (0, _FORMAT)):
        path.unlink()
    return open_reserved(path, HEADER + size)


def _format_of(path: Path) -> int:
    """Return the format of a file; 0 = it is not complete."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(_CELL_SIZE), sys.byteorder)
