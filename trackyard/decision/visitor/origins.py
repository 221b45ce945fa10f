"""The kinds of networks of addresses (docs/spec/quality.md#origins-of-ip-addresses).

A file has whole spans in order, so that a look-up is one search. IPv6 counts by the first half of an address.
"""

import json
import sys
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

ORIGIN_FILE: Final = Path(__file__).parent / "data" / "origins.bin"
"""The file that is shipped; NOTICE names its sources."""

MAGIC: Final = b"trackyard origins 1\n"
_IPV4_BITS: Final = 32
_HALF_IPV6_BITS: Final = 64
_IPV6: Final = 1 << 128
_MASK: Final = (1 << _HALF_IPV6_BITS) - 1
_MOST_BYTES: Final = 64 * 1024 * 1024
"""Bytes of an unpacked file."""

Span = tuple[int, int, int]
"""The first and the last number of addresses, and their bits."""


class InvalidOrigins(Exception):
    """A file is not a file of origins; the message contains the reason."""


class OriginTable:
    """The bits of addresses. built_at: UTC seconds."""

    def __init__(self, starts4: "array[int]", bits4: bytes, starts6: "array[int]", bits6: bytes, built_at: int) -> None:
        self._starts4 = starts4
        self._bits4 = bits4
        self._starts6 = starts6
        self._bits6 = bits6
        self.built_at: Final = built_at

    @staticmethod
    def of_file(path: Path) -> "OriginTable":
        """Read a file. Raises InvalidOrigins."""
        try:
            content = path.read_bytes()
        except OSError as fault:
            raise InvalidOrigins(fault.strerror or str(fault)) from None
        if not content.startswith(MAGIC):
            raise InvalidOrigins("it is not a file of origins: `trackyard origins` makes one")
        try:
            return _parsed(content[len(MAGIC) :])
        except (ValueError, KeyError, TypeError, zlib.error) as fault:
            raise InvalidOrigins(f"it is damaged ({fault})") from None

    def find(self, number: int) -> int:
        """Return the bits of an address by its number, see ip_lists.address_number."""
        return self.find_span(number)[2]

    def find_span(self, number: int) -> Span:
        """Return the bits of an IP address, and the range of numbers around it with the same bits.

        The number of an IPv6 address is its first half.
        """
        if number >> _IPV4_BITS:
            return _span(self._starts6, self._bits6, (number & (_IPV6 - 1)) >> _HALF_IPV6_BITS, _MASK)
        return _span(self._starts4, self._bits4, number, (1 << _IPV4_BITS) - 1)

    def spans(self) -> tuple[list[Span], list[Span]]:
        """Return the spans with bits, of IPv4 and of IPv6."""
        of_ipv4 = _spans(self._starts4, self._bits4, (1 << _IPV4_BITS) - 1)
        return of_ipv4, _spans(self._starts6, self._bits6, _MASK)


def _span(starts: Sequence[int], bits: bytes, number: int, last: int) -> Span:
    place = bisect_right(starts, number) - 1
    end = starts[place + 1] - 1 if place + 1 < len(starts) else last
    return starts[place], end, bits[place]


def _spans(starts: Sequence[int], bits: bytes, last: int) -> list[Span]:
    ends = [*(start - 1 for start in starts[1:]), last]
    return [span for span in zip(starts, ends, bits, strict=True) if span[2]]


def _parsed(packed: bytes) -> OriginTable:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, _MOST_BYTES)
    if not unpacker.eof:
        raise ValueError("its end is missing")
    head, _, columns = content.partition(b"\n")
    header: dict[str, Any] = json.loads(head)
    sizes = [int(header["ipv4"]), int(header["ipv6"])]
    starts4, starts6 = array("I"), array("Q")
    place = 0
    found: list[bytes] = []
    for starts, size in zip((starts4, starts6), sizes, strict=True):
        starts.frombytes(columns[place : place + size * starts.itemsize])
        place += size * starts.itemsize
        found.append(columns[place : place + size])
        place += size
        if sys.byteorder == "big":
            starts.byteswap()
    if place != len(columns) or any(each[:1].tolist() != [0] for each in (starts4, starts6)):
        raise ValueError("its columns have another length")
    return OriginTable(starts4, found[0], starts6, found[1], int(header["built_at"]))


def pack_origins(ipv4: Iterable[Span], ipv6: Iterable[Span], built_at: int, sources: Sequence[str]) -> bytes:
    """Return a file of origins.

    ipv6: spans of the first halves of addresses. Spans may overlap: an address has the bits of all its spans.
    """
    columns = b""
    sizes: list[int] = []
    for spans, code, last in ((ipv4, "I", (1 << _IPV4_BITS) - 1), (ipv6, "Q", _MASK)):
        starts, bits = _partition(spans, last)
        column = array(code, starts)
        if sys.byteorder == "big":
            column.byteswap()
        columns += column.tobytes() + bytes(bits)
        sizes.append(len(starts))
    header = {"built_at": built_at, "sources": list(sources), "ipv4": sizes[0], "ipv6": sizes[1]}
    return MAGIC + zlib.compress(json.dumps(header).encode() + b"\n" + columns, 9)


def _partition(spans: Iterable[Span], last: int) -> tuple[list[int], list[int]]:
    """Return the starts of all spans without overlap, gaps included, and their bits."""
    changes: dict[int, list[tuple[int, int]]] = {}
    for first, end, bits in spans:
        if not 0 <= first <= end <= last:
            raise ValueError(f"no span of IP addresses: {first} to {end}")
        changes.setdefault(first, []).append((bits, 1))
        changes.setdefault(end + 1, []).append((bits, -1))
    counts = [0] * 8
    starts, found = [0], [0]
    for start in sorted(changes):
        for bits, step in changes[start]:
            for bit in range(8):
                counts[bit] += step * (bits >> bit & 1)
        now = sum(1 << bit for bit in range(8) if counts[bit])
        if start > last or now == found[-1]:
            continue
        if start == starts[-1]:
            found[-1] = now
        else:
            starts.append(start)
            found.append(now)
    return starts, found
