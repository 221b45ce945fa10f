"""Frames, the form of records in a journal file.

A frame is, in big endian: magic 2 bytes, kind 1 byte, length u32, CRC-32 of kind, length and payload u32, payload. The
magic begins with a byte that no UTF-8 text contains, so that it never is in a JSON payload: a reader that lost its
place looks for it to find the next frame.
"""

import struct
from enum import Enum
from typing import NamedTuple
from zlib import crc32

MAGIC = b"\xfeT"
HEADER_SIZE = 11
MAX_PAYLOAD = 64 * 1024 * 1024
"""A longer length is damage, not a record."""

_HEADER = struct.Struct(">2sBII")
_CHECKED = struct.Struct(">BI")
_HEADER_CACHE_SIZE = 4096
_header_cache: dict[int, tuple[bytes, int]] = {}
"""Magic, kind and length as bytes, and their checksum, by length and kind: records are of few lengths."""


class Frame(NamedTuple):
    """A whole frame: byte offset, kind, payload, and the offset after it."""

    position: int
    kind: int
    payload: bytes
    end: int


class Unreadable(Enum):
    """The reason why a place has no frame."""

    TRUNCATED = "the bytes end before the frame does"
    CORRUPT = "no frame begins here, or its checksum is wrong"


def pack(kind: int, payload: bytes) -> bytes:
    """Return the bytes of one frame."""
    number = len(payload) << 8 | kind
    start = _header_cache.get(number)
    if start is None:
        checked = _CHECKED.pack(kind, len(payload))
        if len(_header_cache) >= _HEADER_CACHE_SIZE:
            _header_cache.clear()
        start = _header_cache[number] = (MAGIC + checked, crc32(checked))
    return b"%b%b%b" % (start[0], crc32(payload, start[1]).to_bytes(4, "big"), payload)


def read(data: bytes, position: int) -> Frame | Unreadable:
    """Return the frame that begins at byte `position` of `data`."""
    start = position + HEADER_SIZE
    if start > len(data):
        return Unreadable.TRUNCATED if MAGIC.startswith(data[position : position + 2]) else Unreadable.CORRUPT
    magic, kind, length, checksum = _HEADER.unpack_from(data, position)
    if magic != MAGIC or length > MAX_PAYLOAD:
        return Unreadable.CORRUPT
    end = start + length
    if end > len(data):
        return Unreadable.TRUNCATED
    payload = data[start:end]
    if crc32(payload, crc32(data[position + 2 : position + 7])) != checksum:
        return Unreadable.CORRUPT
    return Frame(position, kind, payload, end)


def find_next(data: bytes, position: int) -> Frame | None:
    """Return the first whole frame at or after `position`; None = there is none."""
    at = data.find(MAGIC, position)
    while at >= 0:
        found = read(data, at)
        if isinstance(found, Frame):
            return found
        at = data.find(MAGIC, at + 1)
    return None
