"""The click counts of one edge: a memory-mapped file that every edge reads and this one writes.

The file is segments of buckets of 16 cells. Each segment has four times the buckets of the one before, so that the file
grows in place and nothing in it ever moves. A cell is 16 bytes of key, the second its period ends, and the count, one
word each.
"""

import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from trackyard.edge.state.mapped_file import open_reserved

REUSE_AFTER_S: Final = 3600
"""A cell is reused so long after its period ended: a click that still counts in it would be an hour late."""
SEGMENTS: Final = 7
"""At most 22 million counts of each edge."""

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
    """The file has no room for another count: the click cannot be decided."""


class ClickCount(NamedTuple):
    """One count of an edge. key: 16 bytes; end: of its period, UTC s."""

    key: bytes
    end: int
    clicks: int


class CountsFile:
    """The file of the counts of one edge; a cell index is a number of words and stays valid.

    writes: this process is its one writer; a reader never creates the file
    fresh: the file is new

    Raises OSError, also when the disk is full.
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
        """Return the cell index of a key; -1 = it has none. `key`: 16 bytes, the first word not 0."""
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
        """Find a key faster when it still has the cell that an earlier look-up found."""
        if cell_index >= 0 and self._map[cell_index * _WORD_SIZE : cell_index * _WORD_SIZE + 16] == key:
            return cell_index
        return self.find(key)

    def count_at(self, cell_index: int) -> int:
        """Return the count in a cell."""
        return self._words[cell_index + 3]

    def set_count(self, cell_index: int, count: int) -> None:
        """Change the count in a cell, in one store."""
        self._words[cell_index + 3] = count

    def end_at(self, cell_index: int) -> int:
        """Return when the period of a cell ends, UTC s."""
        return self._words[cell_index + 2]

    def insert(self, key: bytes, end_s: int, now_s: int) -> int:
        """Return a new cell for a key, with the count 0; cells of ended periods are reused.

        Raises CountsFull, OSError when the disk has no room.
        """
        while True:
            for start, buckets in self._tables:
                cell_index = (start + int.from_bytes(key[:8], "little") % buckets * _BUCKET_SIZE) // _WORD_SIZE
                for at in range(cell_index, cell_index + _BUCKET_SIZE // _WORD_SIZE, _CELL_SIZE // _WORD_SIZE):
                    if self._words[at] == 0 or self._words[at + 2] + REUSE_AFTER_S <= now_s:
                        self._write_cell(at, key, end_s)
                        return self._cache_cell(key, at)
            self._grow()

    def each(self) -> Iterator[ClickCount]:
        """Yield every count, also of ended periods."""
        for start, buckets in self._tables:
            for at in range(
                start // _WORD_SIZE, (start + buckets * _BUCKET_SIZE) // _WORD_SIZE, _CELL_SIZE // _WORD_SIZE
            ):
                if self._words[at]:
                    key = self._map[at * _WORD_SIZE : at * _WORD_SIZE + 16]
                    yield ClickCount(key, self._words[at + 2], self._words[at + 3])

    def close(self) -> None:
        self._words.release()
        self._map.close()
        os.close(self._descriptor)

    def _write_cell(self, at: int, key: bytes, end_s: int) -> None:
        """Write a cell. The first word of the key is cleared first and set last: a death leaves a free cell."""
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
        """Map the segments that the file has now."""
        self._segments = self._words[1]
        self._tables = [
            (_end_of(number), (_FIRST_BUCKETS << _GROWTH_BITS * number)) for number in range(self._segments)
        ]
        self._words.release()
        self._map.close()
        self._map = mmap.mmap(self._descriptor, _end_of(self._segments))
        self._words = memoryview(self._map).cast("Q")


def _end_of(segments: int) -> int:
    """Return the byte offset at which the first `segments` segments end."""
    return _HEADER_SIZE + sum((_FIRST_BUCKETS << _GROWTH_BITS * number) for number in range(segments)) * _BUCKET_SIZE


MIN_FILE_SIZE: Final = _end_of(1)
"""Bytes of a complete file."""
