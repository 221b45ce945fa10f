"""The visitors of offers in the last 24 hours, or in the hours of their advertiser.

See docs/spec/tracking.md#unique-visitors and docs/decisions/0017.

One memory-mapped file holds buckets of 32 cells: 4 bytes of fingerprint and 4 bytes of second each. It begins small and
grows by segments (visitors_file.py): new visitors go to the last one, and earlier segments are looked through for
another 48 hours. A full bucket of the last possible segment drops its oldest. Two visitors are taken for one with
probability 32 / 2^32 a segment. The kernel keeps the pages when a process dies; every store is one machine word, so
that a death leaves none half-written.

A second is 24 hours before the visitor may be new again: with other hours it is earlier or later than the click.
"""

import fcntl
import logging
import mmap
import os
import struct
import sys
from pathlib import Path
from typing import Final

from trackyard.base.integers import i64
from trackyard.decision.visitor.visitor import VisitorKey
from trackyard.domain.tracking.ruleset import MAX_UNIQUE_HOURS, UNIQUE_HOURS
from trackyard.edge.state import visitors_file
from trackyard.edge.state.visitors_file import BUCKET_SIZE, HEADER, SEGMENTS_CELL, layout_of, start_of

WINDOW_S: Final = UNIQUE_HOURS * 3600
DEFAULT_SIZE: Final = 64 * 1024 * 1024
"""Eight million cells; a visitor with a cookie takes two for each offer."""
RETRY_S: Final = 60
"""Seconds after which a full disk is tried again."""

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
_KEEP_S: Final = MAX_UNIQUE_HOURS * 3600 + 60
"""Seconds for which an outgrown segment is looked through: an edge may have added a visitor while another grew it."""
_SAMPLE: Final = 64
"""Buckets that are counted to know how full a segment is."""
_CROWDED_CELLS: Final = _SAMPLE * _SLOTS // 3
"""With a third of the cells in use the next segment is made: no bucket of 250,000 is full yet."""

_log = logging.getLogger("trackyard.edge")


class VisitorClaim:
    """The entries that a new visitor took: by address and user agent, and by cookie.

    second: UTC, 24 hours before it may be new again; both entries hold it
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
    """The visitors that were seen, in a file that grows up to `size` bytes (a multiple of 256).

    shared: other processes use the file at the same time; each step then locks its buckets
    writes: this process may create the file; a process that only reads accepts a complete file of any size
    fresh: the file is new or of a new size, and `set_loaded` was not called; no visitor is known
    segments: number of segments in use
    growing: another thread is in `grow`

    Raises OSError when the disk has too little space for the file.
    """

    def __init__(self, path: Path, *, size: int = DEFAULT_SIZE, shared: bool = False, writes: bool = True) -> None:
        # Closing one of several descriptors of a file drops its locks, and each mapping has one: the locks have a file
        # of their own.
        self._locks = os.open(_locks_path(path), os.O_RDWR | os.O_CREAT, 0o644) if writes else -1
        self._descriptor = -1
        self._shared = shared
        self.growing = False
        self._dropped = 0
        self._retry_s = 0
        self._is_failing = False
        self._sampled: i64 = 0
        self._older: list[tuple[int, int, int, int]] = []
        """The outgrown segments that may have visitors, the youngest first: start, buckets, second, number."""
        try:
            if writes:
                self._descriptor = visitors_file.open_visitors(path, layout_of(size))
            else:
                self._descriptor = os.open(path, os.O_RDWR)
            header = visitors_file.read_header(self._descriptor)
            if not header.segments:
                raise OSError(f"{path} is not complete")
            self.fresh = not header.loaded
            self._map = mmap.mmap(self._descriptor, HEADER)
            self._cells = memoryview(self._map).cast("I")
            self._map_segments()
        except BaseException:
            _close(self._descriptor)
            _close(self._locks)
            raise

    def seen(self, offer: int, visitor: VisitorKey, cookie: str, now_s: int) -> bool:
        """Return whether the visitor is known for the offer and not new again yet; this claims nothing.

        The visitor is known by address and user agent, or by the cookie ("" = none); with ADDRESS_ONLY by the address,
        with BY_SUB by its sub.
        """
        if self._find_cell(hash((offer, visitor[0], visitor[1])), now_s)[1]:
            return True
        if cookie != "" and visitor[1] >= 0 and self._find_cell(_cookie_key(offer, cookie), now_s)[1]:
            return True
        return self._shared and self.refresh() and self.seen(offer, visitor, cookie, now_s)

    def claim(
        self,
        offer: int,
        visitor: VisitorKey,
        cookie: str,
        now_s: int,
        new_cookie: str = "",
        hours: int = UNIQUE_HOURS,
    ) -> VisitorClaim | None:
        """Claim the uniqueness of a visitor for `hours`; None = the visitor may not be new again yet.

        The visitor is then known by address and user agent, and by the cookie `new_cookie` of this click ("" = none).
        A visitor with a negative second number, such as ADDRESS_ONLY, is known by no cookie. The hours of a seen
        visitor count from the last time it was new.
        """
        key: i64 = hash((offer, visitor[0], visitor[1]))
        if visitor[1] < 0:
            cookie = new_cookie = ""
        # Most visitors were seen: that needs no lock.
        cell_index, seen = self._find_cell(key, now_s)
        if seen:
            return None
        if cookie and cookie != new_cookie:
            if self._shared:
                self.refresh()
            if self._find_cell(_cookie_key(offer, cookie), now_s)[1]:
                return None
        other: i64 = _cookie_key(offer, new_cookie) if new_cookie else key
        if not self._shared:
            return self._set(cell_index, key, other, now_s, hours)
        place, second = self._place(key), self._place(other)
        self._lock(place, second)
        try:
            # Who adds this visitor has this lock, whichever segment it goes to: if the file grew, that is seen now.
            self.refresh()
            cell_index, seen = self._find_cell(key, now_s)
            return None if seen else self._set(cell_index, key, other, now_s, hours)
        finally:
            self._unlock(place, second)

    def remember(
        self, offer: int, visitor: VisitorKey, new_cookie: str, at_s: int, now_s: int, hours: int = UNIQUE_HOURS
    ) -> None:
        """Make a visitor of a journal record seen at `at_s`. now_s: when a segment that is full is outgrown."""
        second = _stored_second(at_s, hours)
        keys = [hash((offer, visitor[0], visitor[1]))]
        if visitor[1] >= 0:
            keys.append(_cookie_key(offer, new_cookie))
        for key in keys:
            place = self._place(key)
            self._lock(place, place)
            fingerprint: i64 = key & _FINGERPRINT_MASK
            cell_index = self._find_slot(self._bucket(key), fingerprint)
            if cell_index < 0:
                cell_index = self._find_vacant_cell(key, at_s, now_s)
            if self._cells[cell_index - _SLOTS] != fingerprint or self._cells[cell_index] < second:
                self._store(cell_index, fingerprint, second)
            self._unlock(place, place)

    def roll_back(self, claim: VisitorClaim) -> None:
        """Free the entries of a claim, unless another visitor took them since."""
        if claim.cookie_cell:
            self._free(claim.cookie_cell, claim.cookie_fingerprint, claim.second)
        self._free(claim.cell_index, claim.fingerprint, claim.second)

    def remove_since(self, second: int) -> None:
        """Drop the entries behind `second`, in a file that no other process uses; 0 = all of them."""
        for start in range(HEADER, len(self._map), _SWEEP_CHUNK):
            piece = self._cells[start // _CELL_SIZE : (start + _SWEEP_CHUNK) // _CELL_SIZE].tolist()
            for bucket in range(0, len(piece), BUCKET_SIZE // _CELL_SIZE):
                times = piece[bucket + _TIMES_OFFSET // _CELL_SIZE : bucket + BUCKET_SIZE // _CELL_SIZE]
                if max(times) <= second:
                    continue
                first = start // _CELL_SIZE + bucket + _TIMES_OFFSET // _CELL_SIZE
                for slot, time in enumerate(times):
                    if time > second:
                        self._cells[first + slot] = 0

    def set_loaded(self) -> None:
        """Mark the file as loaded."""
        visitors_file.set_loaded(self._descriptor)
        self.fresh = False

    def sync(self) -> None:
        """Sync earlier claims to disk, in a thread of its own. Raises OSError."""
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        self._cells.release()
        self._map.close()
        _close(self._descriptor)
        _close(self._locks)

    # --- growing ----------------------------------------------------------------------------------------

    @property
    def used_bytes(self) -> int:
        """The bytes of the segments that may have visitors."""
        return (self._buckets + sum([buckets for _, buckets, _, _ in self._older])) * BUCKET_SIZE

    def take_dropped(self) -> int:
        """Return how many entries made room for others within their 24 hours since the last call."""
        dropped, self._dropped = self._dropped, 0
        return dropped

    def is_crowded(self, now_s: int) -> bool:
        """Return whether the next segment will soon be needed, by a sample of the last one."""
        if self.segments >= self._most or now_s < self._retry_s:
            return False
        buckets: i64 = min(_SAMPLE, self._buckets)
        if self._sampled + buckets > self._buckets:
            self._sampled = 0
        first = (self._start + self._sampled * BUCKET_SIZE) // _CELL_SIZE
        self._sampled += buckets
        cells = self._cells[first : first + buckets * _SLOTS * 2].tolist()
        used: i64 = 0
        for bucket in range(_SLOTS, len(cells), 2 * _SLOTS):
            for second in cells[bucket : bucket + _SLOTS]:
                if now_s - second < WINDOW_S:
                    used += 1
        return used * _SAMPLE >= _CROWDED_CELLS * buckets

    def grow(self, segments: int, now_s: int) -> None:
        """Add a segment to a file of so many; another thread may do it. Then call `refresh`. Raises OSError."""
        visitors_file.grow(self._descriptor, segments, now_s)

    def refresh(self) -> bool:
        """Take over segments that were added; return whether there were some."""
        if self._cells[SEGMENTS_CELL] == self.segments:
            return False
        self._map_segments()
        return True

    def set_growth_result(self, fault: BaseException | None, now_s: int) -> None:
        """Log a fault of `grow` once, and wait before the next attempt; or log the size."""
        if fault is None:
            _log.info("unique visitors file grown", extra={"size_mb": self.used_bytes >> 20})
        elif not self._is_failing:
            _log.error("unique visitors file not grown", extra={"error": str(fault), "retry_s": RETRY_S})
        self._is_failing = fault is not None
        self._retry_s = 0 if fault is None else now_s + RETRY_S

    def find_expired_segment(self, now_s: int) -> int:
        """Stop looking through a segment that has no visitors of 24 hours; return its number, -1 = none."""
        if not self._older or now_s - self._older[-1][2] < _KEEP_S:
            return -1
        return self._older.pop()[3]

    def release(self, number: int) -> None:
        """Return the blocks of an expired segment to the disk; another thread may do it. Raises OSError."""
        visitors_file.release(self._descriptor, number)

    def _make_room(self, now_s: int) -> bool:
        """Add a segment for a bucket that is full before another thread did so; return whether there is one."""
        if self.growing or self.segments >= self._most or now_s < self._retry_s:
            return False
        fault: OSError | None = None
        try:
            self.grow(self.segments, now_s)
        except OSError as error:
            fault = error
        grown = self.refresh()
        self.set_growth_result(fault, now_s)
        return grown

    def _map_segments(self) -> None:
        """Map the segments that the file has now. Raises OSError."""
        header = visitors_file.read_header(self._descriptor)
        mapped = mmap.mmap(self._descriptor, start_of(header.first, header.segments))
        self._cells.release()
        self._map.close()
        self._map = mapped
        self._cells = memoryview(mapped).cast("I")
        self._first: i64 = header.first
        self.segments = header.segments
        self._most = header.most
        segments = [
            (
                start_of(header.first, number),
                visitors_file.buckets_of(header.first, number),
                header.outgrown[number],
                number,
            )
            for number in reversed(header.live_segments())
        ]
        self._start: i64 = segments[0][0]
        self._buckets: i64 = segments[0][1]
        self._older = segments[1:]

    # --- cells ------------------------------------------------------------------------------------------

    def _bucket(self, key: i64) -> i64:
        """Return the byte offset of the bucket of a key in the last segment."""
        return self._start + (key >> 32 & _FINGERPRINT_MASK) % self._buckets * BUCKET_SIZE

    def _find_cell(self, key: i64, now_s: int) -> tuple[i64, bool]:
        """Return the cell for the time of a key, and whether it was seen in the 24 hours before `now_s`.

        The cell is that in the last segment; -1 = the key has none.
        """
        fingerprint: i64 = key & _FINGERPRINT_MASK
        cell_index = self._find_slot(self._bucket(key), fingerprint)
        if cell_index >= 0 and self._is_seen(cell_index, fingerprint, now_s):
            return cell_index, True
        if self._older:
            for start, buckets, _, _ in self._older:
                bucket: i64 = start + (key >> 32 & _FINGERPRINT_MASK) % buckets * BUCKET_SIZE
                found = self._find_slot(bucket, fingerprint)
                if found >= 0 and self._is_seen(found, fingerprint, now_s):
                    return cell_index, True
        return cell_index, False

    def _find_slot(self, bucket: i64, fingerprint: i64) -> i64:
        """Return the cell for the time of a fingerprint in a bucket; -1 = it has none."""
        fingerprints, sought = self._map[bucket : bucket + _TIMES_OFFSET], int(fingerprint).to_bytes(_CELL_SIZE, _ORDER)
        # Nearly all keys are new, and `partition` finds that out fastest.
        slot: i64 = _find(fingerprints, sought) if fingerprints.partition(sought)[1] else -1
        return -1 if slot < 0 else bucket // _CELL_SIZE + _SLOTS + slot

    def _is_seen(self, cell_index: i64, fingerprint: i64, now_s: int) -> bool:
        # A time ahead of the clock counts as now: the clock went back, or the visitor has more hours than 24. Without a
        # lock another visitor may have taken
        # the cell meanwhile, so that the fingerprint is read after the time.
        return now_s - self._cells[cell_index] < WINDOW_S and self._cells[cell_index - _SLOTS] == fingerprint

    def _find_vacant_cell(self, key: i64, at_s: int, now_s: int) -> i64:
        """Return a cell for the time of a key that is new in its bucket of the last segment.

        It is free, or its visitor is new again at `at_s`. When there is none the file grows at `now_s`; if it cannot,
        the cell of the oldest is taken.
        """
        bucket = self._bucket(key)
        first = bucket // _CELL_SIZE + _SLOTS
        # Most cells are vacant: one is tried before all of them are read.
        cell_index: i64 = first + (key & _FINGERPRINT_MASK) % _SLOTS
        if at_s - self._cells[cell_index] >= WINDOW_S:
            return cell_index
        times = self._map[bucket + _TIMES_OFFSET : bucket + BUCKET_SIZE]
        slot: i64 = _find(times, _FREE)
        if slot < 0:
            seconds = _TIMES.unpack(times)
            oldest = min(seconds)
            if at_s - oldest < WINDOW_S:
                if self._make_room(now_s):
                    return self._find_vacant_cell(key, at_s, now_s)
                self._dropped += 1
            slot = seconds.index(oldest)
        return first + slot

    def _set(self, cell_index: i64, key: i64, other: i64, now_s: int, hours: int) -> VisitorClaim:
        """Set the time of a key, found at `cell_index` (-1 = it has no cell), and of another one.

        other: `key` = no other
        """
        if cell_index < 0:
            cell_index = self._find_vacant_cell(key, now_s, now_s)
        stored = now_s if hours == UNIQUE_HOURS else _stored_second(now_s, hours)
        claim = VisitorClaim(stored, cell_index, key & _FINGERPRINT_MASK)
        self._store(cell_index, claim.fingerprint, stored)
        if other != key:
            # The cookie that this click gives: no visitor has it yet, so that no other edge looks for it. Its cell is
            # chosen when the first is taken: both keys may have the same bucket.
            claim.cookie_fingerprint = other & _FINGERPRINT_MASK
            claim.cookie_cell = self._find_vacant_cell(other, now_s, now_s)
            self._store(claim.cookie_cell, claim.cookie_fingerprint, stored)
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
        place = (cell_index * _CELL_SIZE - HEADER) // BUCKET_SIZE % self._first
        self._lock(place, place)
        if self._cells[cell_index] == second and self._cells[cell_index - _SLOTS] == fingerprint:
            self._cells[cell_index] = 0
        self._unlock(place, place)

    def _place(self, key: i64) -> i64:
        """Return the number of the lock of a key: it locks its bucket in every segment."""
        return (key >> 32 & _FINGERPRINT_MASK) % self._first

    def _lock(self, one: int, other: int) -> None:
        """Lock two places, always in the same order, so that two edges never wait for each other."""
        fcntl.lockf(self._locks, fcntl.LOCK_EX, 1, min(one, other))
        if one != other:
            fcntl.lockf(self._locks, fcntl.LOCK_EX, 1, max(one, other))

    def _unlock(self, one: int, other: int) -> None:
        fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, one)
        if one != other:
            fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, other)


def _stored_second(at_s: int, hours: int) -> int:
    """Return the second to store for a visitor that was new at `at_s`."""
    return at_s + (hours - UNIQUE_HOURS) * 3600


def _cookie_key(offer: int, cookie: str) -> i64:
    """Return the key of a cookie, a click id: its random half is unique."""
    return hash((offer, int(cookie[_RANDOM_OFFSET:], 16)))


def _find(cells: bytes, cell: bytes) -> i64:
    """Return the slot of a cell; -1 = there is none."""
    at = cells.find(cell)
    while at >= 0 and at % _CELL_SIZE:
        at = cells.find(cell, at + 1)
    return -1 if at < 0 else at // _CELL_SIZE


def is_complete(path: Path) -> bool:
    """Return whether there is a file of visitors that can be read; one of an earlier version cannot."""
    try:
        with path.open("rb") as file:
            return visitors_file.read_header(file.fileno()).segments > 0
    except FileNotFoundError:
        return False


def _locks_path(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_suffix(".lock")


def _close(descriptor: int) -> None:
    """Close a descriptor; -1 = it was not opened."""
    if descriptor >= 0:
        os.close(descriptor)
