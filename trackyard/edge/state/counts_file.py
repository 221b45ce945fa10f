"""The click counts of one edge: a memory-mapped file that this edge alone writes and every edge of the machine reads.

Segments of buckets of 16 places; each segment has four times the buckets of the one before, so the file grows in place
and nothing in it ever moves. A place: 16 bytes of key, the second its period ends, and the count, one word each.
"""

import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from trackyard.edge.state.mapped_file import open_reserved

NEVER: Final = 2**62
"""The end of a period that has none."""
REUSE_AFTER_S: Final = 3600
"""A place is given away so long after its period ended: whoever still counts in it would be an hour late."""
SEGMENTS: Final = 7
"""22 million counts at most, of each edge."""

_FORMAT: Final = 0x54594B_43_0001
_HEADER: Final = 4096
_FIRST_BUCKETS: Final = 256
_GROWS_BY: Final = 2
"""Bits: each segment is four times the one before."""
_PLACES: Final = 16
_PLACE: Final = 32
_BUCKET: Final = _PLACES * _PLACE
_WORD: Final = 8
_CACHED: Final = 50_000


class CountsFull(Exception):
    """There is no place for another count: the click cannot be decided."""


class Counted(NamedTuple):
    """One count. key: 16 bytes · end: when its period ends, UTC s · clicks: of this edge."""

    key: bytes
    end: int
    clicks: int


class CountsFile:
    """The file `path`. Places are numbers of words in it, and stay valid while the file lives.

    `fresh` says that the file was not there. `writes`: whether this process is its one writer; a reader never makes
    it. Errors: OSError, also when there is no room.
    """

    def __init__(self, path: Path, *, writes: bool) -> None:
        size = _end_of(1)
        if writes:
            self._descriptor = open_reserved(path, size, grow_only=True)
        else:
            self._descriptor = os.open(path, os.O_RDWR)
        self._places: dict[bytes, int] = {}
        self._segments = 1
        self._map = mmap.mmap(self._descriptor, size)
        self._words = memoryview(self._map).cast("Q")
        self.fresh = self._words[0] != _FORMAT
        if self.fresh and writes:
            self._words[1] = 1
            self._words[0] = _FORMAT
        self._follow()

    def find(self, key: bytes) -> int:
        """The place of a key; -1 = it has none. `key`: 16 bytes whose first word is not 0."""
        place = self._places.get(key)
        if place is not None and self._map[place * _WORD : place * _WORD + 16] == key:
            return place
        if self._words[1] != self._segments:
            self._follow()
        for start, buckets in self._tables:
            bucket = start + int.from_bytes(key[:8], "little") % buckets * _BUCKET
            at = self._map.find(key, bucket, bucket + _BUCKET)
            while at >= 0 and at % _PLACE:
                at = self._map.find(key, at + 1, bucket + _BUCKET)
            if at >= 0:
                return self._known(key, at // _WORD)
        return -1

    def find_again(self, key: bytes, place: int) -> int:
        """As `find`, quicker where the key has the place still that was found before."""
        if place >= 0 and self._map[place * _WORD : place * _WORD + 16] == key:
            return place
        return self.find(key)

    def count_at(self, place: int) -> int:
        """The count at a place."""
        return self._words[place + 3]

    def set_count(self, place: int, count: int) -> None:
        """Changes the count at a place; in one store."""
        self._words[place + 3] = count

    def end_at(self, place: int) -> int:
        """When the period of a place ends, UTC s."""
        return self._words[place + 2]

    def insert(self, key: bytes, end_s: int, now_s: int) -> int:
        """A place for a key that has none, counting 0; of a period that is over when one is free. Errors: CountsFull,
        OSError when the disk has no room."""
        while True:
            for start, buckets in self._tables:
                place = (start + int.from_bytes(key[:8], "little") % buckets * _BUCKET) // _WORD
                for at in range(place, place + _BUCKET // _WORD, _PLACE // _WORD):
                    if self._words[at] == 0 or self._words[at + 2] + REUSE_AFTER_S <= now_s:
                        self._put(at, key, end_s)
                        return self._known(key, at)
            self._grow()

    def each(self) -> Iterator[Counted]:
        """Every count there is, also of periods that are over."""
        for start, buckets in self._tables:
            for at in range(start // _WORD, (start + buckets * _BUCKET) // _WORD, _PLACE // _WORD):
                if self._words[at]:
                    key = self._map[at * _WORD : at * _WORD + 16]
                    yield Counted(key, self._words[at + 2], self._words[at + 3])

    def close(self) -> None:
        """Gives the file back."""
        self._words.release()
        self._map.close()
        os.close(self._descriptor)

    def _put(self, at: int, key: bytes, end_s: int) -> None:
        """The first word of the key goes first and comes last: a death in between leaves a free place."""
        words = self._words
        words[at] = 0
        words[at + 3] = 0
        words[at + 2] = end_s
        words[at + 1] = int.from_bytes(key[8:], sys.byteorder)
        words[at] = int.from_bytes(key[:8], sys.byteorder)

    def _known(self, key: bytes, place: int) -> int:
        if len(self._places) >= _CACHED:
            self._places.clear()
        self._places[key] = place
        return place

    def _grow(self) -> None:
        if self._segments >= SEGMENTS:
            raise CountsFull(f"{_end_of(SEGMENTS) // _PLACE} counts are in use")
        size = len(self._map)
        os.posix_fallocate(self._descriptor, size, _end_of(self._segments + 1) - size)
        self._words[1] = self._segments + 1
        self._follow()

    def _follow(self) -> None:
        """Maps the segments that the file has now."""
        self._segments = self._words[1]
        self._tables = [(_end_of(number), (_FIRST_BUCKETS << _GROWS_BY * number)) for number in range(self._segments)]
        self._words.release()
        self._map.close()
        self._map = mmap.mmap(self._descriptor, _end_of(self._segments))
        self._words = memoryview(self._map).cast("Q")


def _end_of(segments: int) -> int:
    """Where the first `segments` segments end."""
    return _HEADER + sum((_FIRST_BUCKETS << _GROWS_BY * number) for number in range(segments)) * _BUCKET


SMALLEST: Final = _end_of(1)
"""Bytes of a file that was made whole."""
