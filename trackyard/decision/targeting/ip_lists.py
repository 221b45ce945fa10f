"""Lists of addresses as sorted spans: a look-up in ten thousand costs a few steps."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from trackyard.domain.tracking.ip_lists import find_address_range, find_packed

_IPV4: Final = 4
_IPV6: Final = 1 << 128
"""Separates the numbers of IPv6 addresses from the numbers of IPv4 addresses."""


class AddressSet:
    """Addresses, networks and ranges as separate spans, IPv4 apart from IPv6."""

    __slots__ = ("_ends4", "_ends6", "_starts4", "_starts6")

    def __init__(self, entries: Iterable[str]) -> None:
        spans4: list[tuple[int, int]] = []
        spans6: list[tuple[int, int]] = []
        for entry in entries:
            span = find_address_range(entry)
            if span is not None and span.first <= span.last:
                (spans4 if span.length == _IPV4 else spans6).append((span.first, span.last))
        self._starts4, self._ends4 = _merged_spans(spans4)
        self._starts6, self._ends6 = _merged_spans(spans6)

    def contains(self, text: str) -> bool:
        """Return whether an address is in one of the spans; another text is in none."""
        packed = find_packed(text)
        if packed is None:
            return False
        number = int.from_bytes(packed, "big")
        if len(packed) == _IPV4:
            position = bisect_right(self._starts4, number)
            return position > 0 and number <= self._ends4[position - 1]
        position = bisect_right(self._starts6, number)
        return position > 0 and number <= self._ends6[position - 1]


def address_number(text: str) -> int:
    """Return the number of an IP address, IPv4 apart from IPv6; 0 = the text is not an address."""
    packed = find_packed(text)
    return 0 if packed is None else packed_number(packed)


def packed_number(packed: bytes) -> int:
    """Return the number of the 4 or 16 bytes of an address."""
    number = int.from_bytes(packed, "big")
    return number if len(packed) == _IPV4 else number | _IPV6


def _merged_spans(spans: list[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the starts and ends of the spans in order; spans that overlap or touch are merged."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1] + 1:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return tuple(starts), tuple(ends)
