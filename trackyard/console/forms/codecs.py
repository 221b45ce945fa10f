"""Structured parameters as lines of text, in which people write them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

EMPTY: Final = "(empty)"
"""What a line says for an empty value."""


class LineCodec(Protocol):
    """Writes a value of an answer as lines, and lines as parameters.

    Lines that it cannot read are left to the API, which refuses them.
    """

    def lines(self, found: object) -> Iterable[str]:
        """Return the lines of a value."""

    def pairs(self, name: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield lines as parameters. name: of the whole parameter."""


@dataclass(frozen=True)
class KeyedLines:
    """A map of lists, one key a line: `GB: 2635167, 2641364`."""

    def lines(self, found: object) -> Iterable[str]:
        """Return the lines of a map."""
        if isinstance(found, Mapping):
            for key, values in found.items():
                yield f"{key}: {', '.join(str(value) or EMPTY for value in values)}"

    def pairs(self, name: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the values of each key. A line without a key is sent as the whole, which the API refuses."""
        for line in lines:
            key, colon, values = line.partition(":")
            if not colon:
                yield name, line
            for value in values.split(",") if colon else ():
                yield f"{name}[{key.strip()}][]", "" if value.strip() == EMPTY else value.strip()
        if not lines:
            yield name, ""

    def tree(self, lines: Sequence[str]) -> dict[str, list[str]]:
        """Return the map that lines write."""
        tree: dict[str, list[str]] = {}
        for name, value in self.pairs("", lines):
            if name:
                tree.setdefault(name.removesuffix("[]").strip("[]"), []).append(value)
        return tree
