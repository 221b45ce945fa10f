"""Finished journals, compressed: `archive/{name}.log.zst` (docs/decisions/0029).

An archive contains the bytes of the journal in blocks. Each block is a zstd frame of its own: to read any place, one or
two blocks are unpacked. A frame that zstd skips follows, with the sizes of the blocks and the end of the segment.
`zstd -d` returns the journal. The file exists whole or not at all. Offsets refer to the uncompressed journal.
"""

import logging
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from zlib import crc32

import msgspec

from trackyard.journal.durable import sync_directory

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_log = logging.getLogger("trackyard.journal")

FOLDER = "archive"
BLOCK = 1024 * 1024

_LEVEL = 3
_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: _LEVEL,
    zstd.CompressionParameter.checksum_flag: 1,
}
_SKIPPABLE_FRAME = 0x184D2A54
"""Begins a frame that zstd skips; its length follows."""
_HEAD = struct.Struct("<II")
_TAIL = struct.Struct("<I4s")
_MAGIC = b"TYJ1"


class ArchiveDamaged(Exception):
    """An archive is incomplete, or its content differs from what was written."""


class ArchiveIndex(msgspec.Struct, frozen=True):
    """The index at the end of an archive.

    end: bytes of the journal
    sealed_at: UTC ms
    gaps: damaged places that were known (start, end)
    sizes: bytes of the blocks, compressed
    """

    end: int
    sealed_at: int
    gaps: list[tuple[int, int]]
    sizes: list[int]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ArchiveIndex).decode


def archive_path(directory: Path, name: str) -> Path:
    """Return the file of a finished journal, compressed."""
    return directory / FOLDER / f"{name}.log.zst"


def write_archive(path: Path, read: Callable[[int, int], bytes], index: ArchiveIndex) -> None:
    """Write the archive of a journal, in place of an earlier one.

    read: returns bytes of the journal (offset, length)
    index: its `sizes` are filled in

    The archive is read again and compared before it gets its name.

    Raises OSError, ArchiveDamaged; then nothing has changed.
    """
    path.parent.mkdir(exist_ok=True)
    partial = path.with_name(path.name + ".tmp")
    sums: list[int] = []
    sizes: list[int] = []
    with partial.open("wb") as file:
        for start in range(0, index.end, BLOCK):
            block = read(start, min(BLOCK, index.end - start))
            packed = zstd.compress(block, options=_OPTIONS)
            file.write(packed)
            sums.append(crc32(block))
            sizes.append(len(packed))
        encoded = _encode(msgspec.structs.replace(index, sizes=sizes))
        file.write(_HEAD.pack(_SKIPPABLE_FRAME, len(encoded) + _TAIL.size) + encoded + _TAIL.pack(len(encoded), _MAGIC))
        file.flush()
        os.fsync(file.fileno())
    with Archive(partial) as written:
        if written.index.sizes != sizes or [crc32(block) for block in written.each_block()] != sums:
            raise ArchiveDamaged(f"{partial.name} does not hold what was written")
    partial.rename(path)
    sync_directory(path.parent)


class Archive:
    """An open archive. Raises FileNotFoundError, ArchiveDamaged."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY)
        try:
            status = os.fstat(self._descriptor)
            self._version = (status.st_ino, status.st_mtime_ns, status.st_size)
            self.index = _read_index(self._path, self._version, self._descriptor)
        except BaseException:
            os.close(self._descriptor)
            raise
        self._starts = list(accumulate(self.index.sizes, initial=0))

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @property
    def size(self) -> int:
        """The bytes of the journal."""
        return self.index.end

    def read(self, start: int, length: int) -> bytes:
        """Return the bytes of the journal from an offset on, fewer at its end.

        A damaged block reads as zeros: no frame is found in it, so that it is a damaged place like any other.
        """
        end = min(start + length, self.index.end)
        if start >= end:
            return b""
        first, last = start // BLOCK, (end - 1) // BLOCK
        data = b"".join(self._block(number) for number in range(first, last + 1))
        return data[start - first * BLOCK : end - first * BLOCK]

    def each_block(self) -> Iterator[bytes]:
        """Yield the bytes of the journal, block by block. Raises ArchiveDamaged."""
        for number in range(len(self.index.sizes)):
            yield self._decompress(number)

    def _block(self, number: int) -> bytes:
        # Ranges are small and come one after the other: the same block is asked for again and again.
        key = (self._path, self._version, number)
        with _lock:
            found = _block_cache.get(key)
        if found is None:
            try:
                found = self._decompress(number)
            except ArchiveDamaged:
                _log.exception("journal archive damaged", extra={"archive": self._path.name})
                found = bytes(self._length(number))
            with _lock:
                while len(_block_cache) >= _CACHED_BLOCKS:
                    del _block_cache[next(iter(_block_cache))]
                _block_cache[key] = found
        return found

    def _decompress(self, number: int) -> bytes:
        packed = os.pread(self._descriptor, self.index.sizes[number], self._starts[number])
        unpacking = zstd.ZstdDecompressor()
        try:
            found = unpacking.decompress(packed, max_length=BLOCK + 1)  # damaged, it may claim any length
        except zstd.ZstdError as error:
            raise ArchiveDamaged(f"block {number} of {self._path.name}: {error}") from error
        if not unpacking.eof or len(found) != self._length(number):
            raise ArchiveDamaged(f"block {number} of {self._path.name} has another length")
        return found

    def _length(self, number: int) -> int:
        return min(BLOCK, self.index.end - number * BLOCK)


_CACHED_BLOCKS = 4
_lock = threading.Lock()
_block_cache: dict[tuple[Path, tuple[int, int, int], int], bytes] = {}
"""The last blocks that were read, of any archive."""


@lru_cache(maxsize=64)
def _decode_index(path: Path, version: tuple[int, int, int], encoded: bytes) -> ArchiveIndex:
    return _decode(encoded)


def _read_index(path: Path, version: tuple[int, int, int], descriptor: int) -> ArchiveIndex:
    tail = os.pread(descriptor, _TAIL.size, max(0, version[2] - _TAIL.size))
    if len(tail) < _TAIL.size or tail[4:] != _MAGIC:
        raise ArchiveDamaged(f"{path.name} does not end like an archive")
    length, _ = _TAIL.unpack(tail)
    try:
        index = _decode_index(path, version, os.pread(descriptor, length, version[2] - _TAIL.size - length))
    except (msgspec.MsgspecError, OSError) as error:
        raise ArchiveDamaged(f"the index of {path.name} does not read") from error
    blocks_end = version[2] - _HEAD.size - length - _TAIL.size
    if min(index.sizes, default=1) <= 0 or sum(index.sizes) != blocks_end or len(index.sizes) != -(-index.end // BLOCK):
        raise ArchiveDamaged(f"the index of {path.name} does not fit its blocks")
    return index
