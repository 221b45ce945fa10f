"""The click counts of one edge: a memory-mapped file that every edge reads.

This edge alone writes it.

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

REUSE_AFTER_S: Final = 3600
"""A place is given away so long after its period ended: a click that still counts in it would be an hour late."""
SEGMENTS: Final = 7
"""22 million counts at most, of each edge."""

_FORMAT: Final = 0x54594B_43_0001
_HEADER_SIZE: Final = 4096
_FIRST_BUCKETS: Final = 256
_GROWTH_BITS: Final = 2
"""Bits: each segment is four times the one before."""
_CELLS_PER_BUCKET: Final = 16
_CELL_SIZE: Final = 32
_BUCKET_SIZE: Final = _CELLS_PER_BUCKET * _CELL_SIZE
_WORD_SIZE: Final = 8
_CACHE_SIZE: Final = 50_000


class CountsFull(Exception):
    """There is no place for another count: the click cannot be decided."""


class ClickCount(NamedTuple):
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
        self._cells_by_key: dict[bytes, int] = {}
        self._segments = 1
        self._map = mmap.mmap(self._descriptor, size)
        self._words = memoryview(self._map).cast("Q")
        self.fresh = self._words[0] != _FORMAT
        if self.fresh and writes:
            self._words[1] = 1
            self._words[0] = _FORMAT
        self._map_segments()

    def find(self, key: bytes) -> int:
        """The place of a key; -1 = it has none. `key`: 16 bytes, the first word not 0."""
        cell_index = self._cells_by_key.get(key)
        if cell_index is not None and self._map[cell_index * _WORD_SIZE : cell_index * _WORD_SIZE + 16] == key:
            return cell_index
        if self._words[1] != self._segments:
            self._map_segments()
        for start, buckets in self._tables:
            bucket = start + int.from_bytes(key[:8], "little") % buckets * _BUCKET_SIZE
            at = self._map.find(key, bucket, bucket + _BUCKET_SIZE)
            while at >= 0 and at % _CELL_SIZE:
                at = self._map.find(key, at + 1, bucket + _BUCKET_SIZE)
            if at >= 0:
                return self._cache_cell(key, at // _WORD_SIZE)
        return -1

    def find_with_hint(self, key: bytes, cell_index: int) -> int:
        """As `find`, quicker where the key has the place still that was found before."""
        if cell_index >= 0 and self._map[cell_index * _WORD_SIZE : cell_index * _WORD_SIZE + 16] == key:
            return cell_index
        return self.find(key)

    def count_at(self, cell_index: int) -> int:
        """The count at a place."""
        return self._words[cell_index + 3]

    def set_count(self, cell_index: int, count: int) -> None:
        """Changes the count at a place; in one store."""
        self._words[cell_index + 3] = count

    def end_at(self, cell_index: int) -> int:
        """When the period of a place ends, UTC s."""
        return self._words[cell_index + 2]

    def insert(self, key: bytes, end_s: int, now_s: int) -> int:
        """A place for a key that has none, counting 0; of a period that is over when one is free. Errors: CountsFull,
        OSError when the disk has no room."""
        while True:
            for start, buckets in self._tables:
                cell_index = (start + int.from_bytes(key[:8], "little") % buckets * _BUCKET_SIZE) // _WORD_SIZE
                for at in range(cell_index, cell_index + _BUCKET_SIZE // _WORD_SIZE, _CELL_SIZE // _WORD_SIZE):
                    if self._words[at] == 0 or self._words[at + 2] + REUSE_AFTER_S <= now_s:
                        self._write_cell(at, key, end_s)
                        return self._cache_cell(key, at)
            self._grow()

    def each(self) -> Iterator[ClickCount]:
        """Every count there is, also of periods that are over."""
        for start, buckets in self._tables:
            for at in range(
                start // _WORD_SIZE, (start + buckets * _BUCKET_SIZE) // _WORD_SIZE, _CELL_SIZE // _WORD_SIZE
            ):
                if self._words[at]:
                    key = self._map[at * _WORD_SIZE : at * _WORD_SIZE + 16]
                    yield ClickCount(key, self._words[at + 2], self._words[at + 3])

    def close(self) -> None:
        """Gives the file back."""
        self._words.release()
        self._map.close()
        os.close(self._descriptor)

    def _write_cell(self, at: int, key: bytes, end_s: int) -> None:
        """The first word of the key goes first and comes last: a death in between leaves a free place."""
        words = self._words
        words[at] = 0
        words[at + 3] = 0
        words[at + 2] = end_s
        words[at + 1] = int.from_bytes(key[8:], sys.byteorder)
        words[at] = int.from_bytes(key[:8], sys.byteorder)

    def _cache_cell(self, key: bytes, cell_index: int) -> int:
        if len(self._cells_by_key) >= _CACHE_SIZE:
            self._cells_by_key.clear()
        self._cells_by_key[key] = cell_index
        return cell_index

    def _grow(self) -> None:
        if self._segments >= SEGMENTS:
            raise CountsFull(f"{_end_of(SEGMENTS) // _CELL_SIZE} counts are in use")
        size = len(self._map)
        os.posix_fallocate(self._descriptor, size, _end_of(self._segments + 1) - size)
        self._words[1] = self._segments + 1
        self._map_segments()

    def _map_segments(self) -> None:
        """Maps the segments that the file has now."""
        self._segments = self._words[1]
        self._tables = [
            (_end_of(number), (_FIRST_BUCKETS << _GROWTH_BITS * number)) for number in range(self._segments)
        ]
        self._words.release()
        self._map.close()
        self._map = mmap.mmap(self._descriptor, _end_of(self._segments))
        self._words = memoryview(self._map).cast("Q")


def _end_of(segments: int) -> int:
    """Where the first `segments` segments end."""
    return _HEADER_SIZE + sum((_FIRST_BUCKETS << _GROWTH_BITS * number) for number in range(segments)) * _BUCKET_SIZE


MIN_FILE_SIZE: Final = _end_of(1)
"""Bytes of a file that was made whole."""
