"""The file of visitors: its header, how it is made, and how it grows (docs/decisions/0017).

It is a header and segments of buckets, each eight times the one before; the last segment in use takes new visitors.
Nothing in the file ever moves. A segment is reserved on the disk before it is used, so that a full disk does not cause
SIGBUS later.
"""

import errno
import fcntl
import mmap
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

HEADER: Final = 4096
BUCKET_SIZE: Final = 256
FIRST_SIZE: Final = 8 * 1024 * 1024
"""The first segment has at most so many bytes."""

FORMAT_CELL: Final = 0
"""The cell of the header that holds the format once the file is loaded; 0 = it was not loaded."""
SEGMENTS_CELL: Final = 1
"""The cell that holds the number of segments in use."""
_OUTGROWN_CELL: Final = 4
"""The first of the cells that hold when each segment was outgrown, UTC s."""
_RELEASED: Final = 1
"""Instead of a second: the blocks of the segment went back to the disk."""

_FORMAT: Final = 0x5457 << 16 | hash((1, 2, 3)) & 0xFFFF
"""Keys are hashes of numbers, which are the same in every process of one interpreter. An interpreter with other hashes
makes a new file and fills it from the journals."""

_GROWTH_BITS: Final = 3
_PAGE_BUCKETS: Final = 16
"""Segments begin at pages."""
_MAX_SEGMENTS: Final = 12
_CELL: Final = struct.Struct("=I")
_HEADER: Final = struct.Struct(f"={4 + _MAX_SEGMENTS}I")


class Layout(NamedTuple):
    """How the space of a file is divided.

    first: number of buckets in the first segment. segments: the largest number of segments.
    """

    first: int
    segments: int


class FileHeader(NamedTuple):
    """The header of a file.

    loaded: it holds the visitors of 24 hours
    segments: number of segments in use; 0 = the file is not complete
    first: buckets of the first segment
    most: number of segments, at most
    outgrown: for each segment but the last in use, the second since which it takes no new visitors
    """

    loaded: bool
    segments: int
    first: int
    most: int
    outgrown: tuple[int, ...]

    def live_segments(self) -> list[int]:
        """Return the numbers of the segments that may have visitors."""
        return [number for number in range(self.segments) if self.outgrown[number] != _RELEASED]


def layout_of(size: int) -> Layout:
    """Return the layout of a file with a last segment of `size` bytes."""
    buckets, segments = size // BUCKET_SIZE, 1
    while buckets * BUCKET_SIZE > FIRST_SIZE and segments < _MAX_SEGMENTS:
        buckets, segments = (buckets >> _GROWTH_BITS) // _PAGE_BUCKETS * _PAGE_BUCKETS, segments + 1
    return Layout(buckets, segments)


def buckets_of(first: int, number: int) -> int:
    """Return the number of buckets of a segment. number: from 0."""
    return first << _GROWTH_BITS * number


def start_of(first: int, number: int) -> int:
    """Return the byte offset of a segment, which is the end of the one before."""
    return HEADER + sum(buckets_of(first, each) for each in range(number)) * BUCKET_SIZE


def read_header(descriptor: int) -> FileHeader:
    """Return the header of a file; `segments` is 0 when the file is not complete."""
    data = os.pread(descriptor, _HEADER.size, 0)
    form, segments, first, most, *outgrown = _HEADER.unpack(data.ljust(_HEADER.size, b"\0"))
    complete = (
        form in (0, _FORMAT)
        and 1 <= segments <= most <= _MAX_SEGMENTS
        and os.fstat(descriptor).st_size >= start_of(first, segments)
    )
    return FileHeader(form == _FORMAT, segments if complete else 0, first, most, tuple(outgrown))


def open_visitors(path: Path, layout: Layout) -> int:
    """Open a file for its writers; an empty file replaces a file with another layout or version.

    Raises OSError, also when the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            try:
                if _prepare(descriptor, path, layout):
                    return descriptor
            finally:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def set_loaded(descriptor: int) -> None:
    """Mark a file as loaded."""
    _write_cell(descriptor, FORMAT_CELL, _FORMAT)


def grow(descriptor: int, segments: int, now_s: int) -> None:
    """Reserve the next segment and put it to use, unless the file has more than `segments` already.

    It waits for another process that does the same. Every step is one store of a word: a death leaves the file as it
    was, or grown.

    Raises OSError when the disk has no room; the file is then as it was.
    """
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        header = read_header(descriptor)
        if header.segments != segments or segments >= header.most:
            return
        begin, end = start_of(header.first, segments), start_of(header.first, segments + 1)
        _check_room(descriptor, end - begin)
        # A power cut may have left a part of a segment that was never put to use.
        os.ftruncate(descriptor, begin)
        try:
            os.posix_fallocate(descriptor, begin, end - begin)
        except OSError:
            os.ftruncate(descriptor, begin)
            raise
        _write_cell(descriptor, _OUTGROWN_CELL + segments - 1, now_s)
        _write_cell(descriptor, SEGMENTS_CELL, segments + 1)
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def release(descriptor: int, number: int) -> None:
    """Return the blocks of a segment to the disk, where its file system can do that. Raises OSError.

    number: the number of an outgrown segment without visitors of the last 24 hours
    """
    first = read_header(descriptor).first
    begin, end = start_of(first, number), start_of(first, number + 1)
    with mmap.mmap(descriptor, end) as mapped, suppress(OSError):
        mapped.madvise(mmap.MADV_REMOVE, begin, end - begin)
    _write_cell(descriptor, _OUTGROWN_CELL + number, _RELEASED)


def _prepare(descriptor: int, path: Path, layout: Layout) -> bool:
    """Make an empty file, take one that fits, or remove another.

    Return whether the file can be used; when it cannot, `path` is to be opened again.
    """
    try:
        is_same = os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        is_same = False
    if not is_same:
        return False
    if os.fstat(descriptor).st_size == 0:
        _make(descriptor, layout)
        return True
    header = read_header(descriptor)
    if not header.segments or (header.first, header.most) != layout:
        # Not in place: another process may look into it.
        path.unlink()
        return False
    for number in header.live_segments():
        begin = start_of(header.first, number)
        os.posix_fallocate(descriptor, begin, start_of(header.first, number + 1) - begin)
    return True


def _make(descriptor: int, layout: Layout) -> None:
    try:
        os.posix_fallocate(descriptor, 0, start_of(layout.first, 1))
        os.pwrite(descriptor, _HEADER.pack(0, 1, *layout, *[0] * _MAX_SEGMENTS), 0)
    except OSError:
        os.ftruncate(descriptor, 0)
        raise


def _check_room(descriptor: int, size: int) -> None:
    """Raise OSError unless as much room as a new segment takes is left to the journal."""
    disk = os.fstatvfs(descriptor)
    if disk.f_bavail * disk.f_frsize < 2 * size:
        raise OSError(errno.ENOSPC, f"the disk has less than {2 * size >> 20} MB of free space")


def _write_cell(descriptor: int, cell: int, value: int) -> None:
    os.pwrite(descriptor, _CELL.pack(value), cell * _CELL.size)
