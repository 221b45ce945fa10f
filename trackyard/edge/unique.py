"""Which visitors an offer has seen in the last 24 hours (behaviour.md §4, Unique; docs/decisions/0017).

One memory-mapped file of fixed size: buckets of 32 places, each 4 bytes of fingerprint and 4 bytes second. A full
bucket forgets its oldest. Two visitors are taken for one with probability 32 / 2^32. The kernel keeps the pages when
a process dies; every store is one machine word, so that a death leaves none half-made.
"""

import fcntl
import mmap
import os
import struct
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Final

from trackyard.edge.claims import Claim, Claims, Kind
from trackyard.edge.mapped import open_reserved

WINDOW_S: Final = 24 * 3600
DEFAULT_SIZE: Final = 64 * 1024 * 1024
"""Eight million places; a visitor with a cookie takes two for each offer."""

_FORMAT: Final = 0x54595601
HEADER: Final = 4096
_BUCKET: Final = 256
_TIMES_AT: Final = 128
_CELL: Final = 4
_TIMES: Final = struct.Struct("@32I")
_DIGEST: Final = struct.Struct("<Q4s")
_VISITOR: Final = Kind.VISITOR  # its look-up is slow
_SWEPT_AT_ONCE: Final = 1024 * 1024


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

    def seen(self, offer: int, ip: str, ua: str, cookie: str, now_s: int) -> bool:
        """Whether the address with the user agent, or the cookie ("" = none), was new to the offer in the last 24
        hours. Claims nothing."""
        if self._is_fresh(*self._key(f"{offer}\0{ip}\0{ua}"), now_s):
            return True
        return cookie != "" and self._is_fresh(*self._key(_cookie_key(offer, cookie)), now_s)

    def claim(self, offer: int, ip: str, ua: str, cookie: str, now_s: int, given: str = "") -> bool:
        """Whether this visitor is new to the offer, who then is not for 24 hours: by address and user agent, and by the
        cookie `given` with this click ("" = none).

        Who was seen stays as it was: the hours count from the last time it was new. Errors: OSError when the claim
        cannot be noted; then it was not made.
        """
        bucket, fingerprint = self._key(f"{offer}\0{ip}\0{ua}")
        # Most are seen: that is found out without a lock.
        if self._is_fresh(bucket, fingerprint, now_s):
            return False
        if cookie and cookie != given and self._is_fresh(*self._key(_cookie_key(offer, cookie)), now_s):
            return False
        second, second_fingerprint = self._key(_cookie_key(offer, given)) if given else (bucket, b"")
        if not self._shared:
            self._set(bucket, fingerprint, now_s)
            if given:
                self._set(second, second_fingerprint, now_s)
            return True
        self._lock(bucket, second)
        try:
            if self._is_fresh(bucket, fingerprint, now_s):
                return False
            self._set(bucket, fingerprint, now_s)
            if given:
                self._set(second, second_fingerprint, now_s)
            return True
        finally:
            self._unlock(bucket, second)

    def remember(self, offer: int, ip: str, ua: str, given: str, at_s: int) -> None:
        """Makes the visitor seen at `at_s`, again or for the first time: what a record of the journal says."""
        for bucket, fingerprint in (self._key(f"{offer}\0{ip}\0{ua}"), self._key(_cookie_key(offer, given))):
            self._lock(bucket, bucket)
            place = self._find(bucket, fingerprint)
            if place < 0 or self._cells[place] < at_s:
                self._place(bucket, fingerprint, place, at_s)
            self._unlock(bucket, bucket)

    def undo(self, claim: Claim) -> None:
        """Makes a noted claim never have been; one that was not made, or is undone already, stays so."""
        place = claim.place
        bucket = place * _CELL // _BUCKET * _BUCKET
        self._lock(bucket, bucket)
        if self._cells[place] == claim.value and self._cells[place - _TIMES_AT // _CELL] == claim.mark:
            self._cells[place] = 0
        self._unlock(bucket, bucket)

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

    def _key(self, text: str) -> tuple[int, bytes]:
        """Where a visitor's bucket begins, and its fingerprint."""
        number, fingerprint = _DIGEST.unpack(blake2b(text.encode("utf-8", "replace"), digest_size=12).digest())
        return HEADER + number % self._buckets * _BUCKET, fingerprint

    def _is_fresh(self, bucket: int, fingerprint: bytes, now_s: int) -> bool:
        place = self._find(bucket, fingerprint)
        # A time ahead of the clock is as good as now: the clock went back. Without a lock the place may have been
        # given to another meanwhile: so the fingerprint is read again, after the time.
        return (
            place >= 0
            and now_s - self._cells[place] < WINDOW_S
            and self._map[place * _CELL - _TIMES_AT : place * _CELL - _TIMES_AT + _CELL] == fingerprint
        )

    def _find(self, bucket: int, fingerprint: bytes) -> int:
        """The cell of the time beside `fingerprint`; -1 = it is not there."""
        end = bucket + _TIMES_AT
        at = self._map.find(fingerprint, bucket, end)
        while at >= 0 and at % _CELL:
            at = self._map.find(fingerprint, at + 1, end)
        return -1 if at < 0 else (at + _TIMES_AT) // _CELL

    def _set(self, bucket: int, fingerprint: bytes, now_s: int) -> None:
        self._place(bucket, fingerprint, self._find(bucket, fingerprint), now_s)

    def _place(self, bucket: int, fingerprint: bytes, place: int, second: int) -> None:
        """Writes a time beside its fingerprint, which stands beside cell `place`; -1 = it takes the oldest's place."""
        cells = self._cells
        mark = int.from_bytes(fingerprint, sys.byteorder)
        found = place >= 0
        if not found:
            times = _TIMES.unpack_from(self._map, bucket + _TIMES_AT)
            # Most are free until the file is full of visitors of some day.
            oldest = 0 if 0 in times else min(times)
            place = (bucket + _TIMES_AT) // _CELL + times.index(oldest)
        if self._claims is not None:
            self._claims.note(_VISITOR, place, second, mark)
        if not found:
            # The time first: a death between the two leaves an entry that is too young, not one that calls another
            # visitor seen.
            cells[place] = 0
            cells[place - _TIMES_AT // _CELL] = mark
        cells[place] = second

    def _lock(self, one: int, other: int) -> None:
        """Locks two buckets, always in the same order: two who want the same two do not wait for each other."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET, min(one, other))
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET, max(one, other))

    def _unlock(self, one: int, other: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET, one)
        if one != other:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET, other)


def _cookie_key(offer: int, cookie: str) -> str:
    """A text that no address begins like."""
    return f"{offer}\0\0{cookie}"


def _open(path: Path, size: int) -> int:
    """A file of another size is begun anew: what stands in it would be looked for elsewhere."""
    if path.exists() and path.stat().st_size != HEADER + size:
        path.unlink()
    return open_reserved(path, HEADER + size)
