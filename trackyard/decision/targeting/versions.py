"""Versions of operating systems: 9 is before 10, and 10 equals 10.0.

See docs/spec/tracking.md#restrictions-and-targeting-groups.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

Version = tuple[int, ...]
"""The numbers of a version without zeros at the end, so that tuples compare like versions."""

VersionRange = tuple[Version, Version]
"""Versions from the first up to the second, which is excluded."""

_NUMBERS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_MAX_TEXT_LENGTH: Final = 64
_MAX_DIGITS: Final = 18
_MAX_NUMBER: Final = 10**_MAX_DIGITS
_END: Final[Version] = (_MAX_NUMBER + 1,)


class VersionSet:
    """Allowed versions.

    A version of words, such as Vista, is neither before nor after others: it is allowed by its name.
    """

    __slots__ = ("_ranges", "_words")

    def __init__(self, ranges: Iterable[VersionRange], words: Iterable[str]) -> None:
        self._ranges = tuple(ranges)
        self._words = frozenset(words)

    def contains(self, text: str) -> bool:
        """Return whether the version of an agent is allowed; an unknown one ("") is not."""
        version = find_version(text[:_MAX_TEXT_LENGTH])
        if version is None:
            return text.casefold() in self._words
        for least, below in self._ranges:  # noqa: SIM110 (a generator costs more than the look)
            if least <= version < below:
                return True
        return False


@lru_cache(maxsize=4096)
def find_version(text: str) -> Version | None:
    """Return the version at the beginning of a text; None = it begins with no number."""
    numbers = _numbers(text)
    return None if numbers is None else _without_zeros(numbers)


def versions_of(wanted: Iterable[tuple[str, str]]) -> VersionSet:
    """Return the set of versions of (comparison, version) pairs.

    wanted: the comparison is LT, LTE, EQ, GT, GTE, or "" for a release with all versions under it: 17 includes 17.2,
    and 10.0 includes 10.0.3 but not 10.1

    A version of any pair is allowed. "From 12" and "before 15" together would be all versions, so they mean
    the versions between.
    """
    ranges: list[VersionRange] = []
    above: list[VersionRange] = []
    below: list[VersionRange] = []
    words: list[str] = []
    for comparison, text in wanted:
        numbers = _numbers(text.strip())
        if numbers is not None:
            bucket = above if comparison in ("GT", "GTE") else below if comparison in ("LT", "LTE") else ranges
            bucket.append(_version_range(comparison, numbers))
        elif comparison not in ("LT", "GT"):
            words.append(text.strip().casefold())
    if above and below and (least := min(above)[0]) < (end := max(below)[1]):
        above, below = [(least, end)], []
    return VersionSet((*ranges, *above, *below), words)


def _version_range(comparison: str, numbers: Version) -> VersionRange:
    version = _without_zeros(numbers)
    following = (*version, 0)  # No version ends with a zero, so nothing is between the two.
    match comparison:
        case "LT":
            return (), version
        case "LTE":
            return (), following
        case "GT":
            return following, _END
        case "GTE":
            return version, _END
        case "EQ":
            return version, following
        case _:
            return version, (*numbers[:-1], numbers[-1] + 1)


def _numbers(text: str) -> Version | None:
    found = _NUMBERS.match(text)
    if found is None:
        return None
    # Visitors write agents: longer numbers are not read.
    return tuple(int(part) if len(part) <= _MAX_DIGITS else _MAX_NUMBER for part in found[0].split("."))


def _without_zeros(numbers: Version) -> Version:
    length = len(numbers)
    while length and not numbers[length - 1]:
        length -= 1
    return numbers[:length]
