"""The names that user agents are read as: systems with their versions, browsers, vendors.

They are taken from the very data that visitor.py reads agents with, so that what a list offers is what a click has.
Where a name is a piece of the agent, the pattern that cuts it out is asked for the words it can match; patterns that
match anything name nothing.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as regex  # type: ignore[attr-defined]
from typing import Any, Final

MAX_WORDS: Final = 100
"""Words that one pattern may have before it counts as matching anything."""

_REFERENCE: Final = re.compile(r"\$(\d)")
_NO_VENDORS: Final = re.compile(r"Generic|Spider")

_NUMBERED_RELEASES: Final[dict[str, tuple[str, ...]]] = {
    "Android": tuple(str(number) for number in range(4, 17)),
    "iOS": (*(str(number) for number in range(9, 19)), "26"),
    "Mac OS X": (*(f"10.{number}" for number in range(9, 16)), "11", "12", "13", "14", "15", "26"),
    "Windows Phone": ("7.5", "8.0", "8.1", "10.0"),
    "KaiOS": ("2.5", "3.0", "3.1"),
    "Tizen": ("4.0", "5.0", "5.5", "6.0", "6.5", "7.0", "8.0"),
    "HarmonyOS": ("2", "3", "4", "5"),
}
"""Releases of systems with a number in the user agent, which no pattern has."""


@cache
def _matchers() -> Any:
    """(browsers, systems, devices) of ua-parser; megabytes, so read when first asked for."""
    from ua_parser_builtins.matchers import MATCHERS

    return MATCHERS


@cache
def systems() -> tuple[str, ...]:
    """Operating systems, by name."""
    return _sorted(_expanded_names((matcher.family, matcher.regex) for matcher in _matchers()[1]))


@cache
def versions(system: str) -> tuple[str, ...]:
    """Known versions of a system, oldest first; none for one that has none or is unknown."""
    fixed = {
        ".".join(part for part in (matcher.major, matcher.minor) if part and "$" not in part)
        for matcher in _matchers()[1]
        if matcher.family == system and matcher.major and "$" not in matcher.major
    }
    return tuple(sorted(fixed.union(_NUMBERED_RELEASES.get(system, ())), key=_version_key))


@cache
def browsers() -> tuple[str, ...]:
    """Browsers, by name."""
    return _sorted(_expanded_names((matcher.family, matcher.regex) for matcher in _matchers()[0]))


@cache
def vendors() -> tuple[str, ...]:
    """Makers of devices, by name."""
    found = _expanded_names((matcher.brand or "", matcher.regex) for matcher in _matchers()[2])
    return _sorted(name for name in found if not _NO_VENDORS.match(name))


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name and name != "Other"}, key=lambda name: (name.lower(), name)))


def _expanded_names(templates: Iterable[tuple[str, str]]) -> Iterator[str]:
    for template, pattern in templates:
        group = _REFERENCE.search(template)
        if group is None:
            yield template
            continue
        for word in _words_of_group(pattern, int(group[1])):
            name = template.replace(group[0], word)
            if not _REFERENCE.search(name):
                yield name


def _words_of_group(pattern: str, number: int) -> set[str]:
    """Every word the group `number` of a pattern can match; none when they are too many."""
    group = _find_group(regex.parse(pattern), number)
    return (_words(group) or set()) if group is not None else set()


def _find_group(tree: Any, number: int) -> Any:
    for node, argument in tree:
        if node is op.SUBPATTERN and argument[0] == number:
            return argument[3]
        for inner in _children(node, argument):
            found = _find_group(inner, number)
            if found is not None:
                return found
    return None


def _children(node: Any, argument: Any) -> list[Any]:
    if node is op.SUBPATTERN:
        return [argument[3]]
    if node is op.BRANCH:
        return list(argument[1])
    if node in (op.MAX_REPEAT, op.MIN_REPEAT):
        return [argument[2]]
    return []


def _words(tree: Any) -> set[str] | None:
    """The words a tree matches; None when they are too many."""
    words = {""}
    for node, argument in tree:
        more = _node_words(node, argument)
        if more is None or len(words) * len(more) > MAX_WORDS:
            return None
        words = {word + ending for word in words for ending in more}
    return words


def _node_words(node: Any, argument: Any) -> set[str] | None:
    if node is op.LITERAL:
        return {chr(argument)}
    if node is op.AT:
        return {""}
    if node is op.IN:
        return {chr(code) for kind, code in argument} if all(kind is op.LITERAL for kind, _ in argument) else None
    if node is op.SUBPATTERN:
        return _words(argument[3])
    if node is op.BRANCH:
        parts = [_words(branch) for branch in argument[1]]
        return None if any(part is None for part in parts) else set[str]().union(*(part for part in parts if part))
    if node in (op.MAX_REPEAT, op.MIN_REPEAT) and argument[1] == 1:
        once = _words(argument[2])
        return None if once is None else once | ({""} if argument[0] == 0 else set())
    return None


def _version_key(text: str) -> tuple[tuple[int, int | str], ...]:
    """Numbers before words, numbers as numbers."""
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in text.split("."))
