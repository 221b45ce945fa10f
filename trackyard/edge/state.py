"""What the edges of one machine must agree on: which visitors an offer has seen (behaviour.md §4, Unique).

One memory-mapped file of fixed size: buckets of eight entries, one cache line each; an entry is 4 bytes of
fingerprint and 4 bytes second. A full bucket forgets its oldest. Two visitors are taken for one with
probability 8 / 2^32. The kernel keeps the pages when a process dies.
"""

import fcntl
import mmap
import os
import struct
from hashlib import blake2b
from pathlib import Path
from typing import Final

WINDOW_S = 24 * 3600
DEFAULT_SIZE = 64 * 1024 * 1024
"""Eight million visitors in 24 hours."""
SEEN: Final = -1

_BUCKET = 64
_TIMES_AT = 32
_TIMES = struct.Struct("<8I")
_TIME = struct.Struct("<I")


class UniqueVisitors:
    """The visitors of the last 24 hours, in the file `path` of `size` bytes (a multiple of 64).

    `shared`: whether other processes use the file at the same time; each step then locks its bucket.
    Errors: OSError when there is no room for the file.
    """

    def __init__(self, path: Path, *, size: int = DEFAULT_SIZE, shared: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _reserve(self._descriptor, size)
            self._map = mmap.mmap(self._descriptor, size)
        except BaseException:
            os.close(self._descriptor)
            raise
        self._buckets = size // _BUCKET
        self._shared = shared

    def claim(self, offer: int, ip: str, ua: str, now_s: int) -> int:
        """Whether this visitor is new to the offer: SEEN, or a place that `release` takes.

        A visitor counts as new again 24 hours after the last time it was new.
        """
        digest = blake2b(f"{offer}\0{ip}\0{ua}".encode("utf-8", "replace"), digest_size=8).digest()
        bucket = int.from_bytes(digest[4:], "little") % self._buckets * _BUCKET
        if not self._shared:
            return self._claim(bucket, digest[:4], now_s)
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, _BUCKET, bucket)
        try:
            return self._claim(bucket, digest[:4], now_s)
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, _BUCKET, bucket)

    def release(self, place: int) -> None:
        """Takes a claim back: the click it was made for could not be recorded."""
        _TIME.pack_into(self._map, place, 0)

    def close(self) -> None:
        """Gives the file back."""
        self._map.close()
        os.close(self._descriptor)

    def _claim(self, bucket: int, fingerprint: bytes, now_s: int) -> int:
        found = self._map.find(fingerprint, bucket, bucket + _TIMES_AT)
        while found >= 0 and (found - bucket) % 4:
            found = self._map.find(fingerprint, found + 1, bucket + _TIMES_AT)
        times = bucket + _TIMES_AT
        if found >= 0:
            place = times + found - bucket
            (seen_at,) = _TIME.unpack_from(self._map, place)
            # A time ahead of the clock is as good as now: the clock went back.
            if now_s - seen_at < WINDOW_S:
                return SEEN
        else:
            kept = _TIMES.unpack_from(self._map, times)
            slot = kept.index(min(kept))
            place = times + slot * 4
            # The time first: a process that dies between the two leaves an entry that is too young, not one
            # that calls another visitor seen.
            _TIME.pack_into(self._map, place, 0)
            self._map[bucket + slot * 4 : bucket + slot * 4 + 4] = fingerprint
        _TIME.pack_into(self._map, place, now_s)
        return place


def _reserve(descriptor: int, size: int) -> None:
    """Gives the file its size and its blocks: a full disk must be an error here, not a SIGBUS later."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        status = os.fstat(descriptor)
        if status.st_size != size:
            os.ftruncate(descriptor, size)
        os.posix_fallocate(descriptor, 0, size)
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
