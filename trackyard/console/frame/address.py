"""The address of a page holds its state (docs/spec/console.md#urls)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

Pair = tuple[str, str]
_MOST_DIGITS: Final = 6
"""Digits of the number of a page."""


@dataclass(frozen=True, slots=True)
class PageAddress:
    """A path and its query. Methods return other addresses; `str()` is the link."""

    path: str
    pairs: tuple[Pair, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}?{urlencode(self.pairs)}" if self.pairs else self.path

    @property
    def page(self) -> int:
        """Return the page of the list, counted from 1; 1 for what is not the number of a page."""
        text = self.get("page")
        digits = text.lstrip("0")
        return int(digits) if text.isascii() and text.isdecimal() and 0 < len(digits) <= _MOST_DIGITS else 1

    def get(self, name: str, default: str = "") -> str:
        """Return the first value of a name."""
        return next((value for key, value in self.pairs if key == name), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Return all values of a name, without empty ones."""
        return tuple(value for key, value in self.pairs if key == name and value)

    def set(self, name: str, *values: object) -> "PageAddress":
        """Return the address in which a name has these values. It then starts at the first page of its list."""
        kept = self.without(name)
        return PageAddress(self.path, (*kept.pairs, *((name, str(value)) for value in values)))

    def add(self, name: str, value: object) -> "PageAddress":
        """Return the address with one more value of a name."""
        if str(value) in self.all(name):
            return self.without("page")
        return PageAddress(self.path, (*self.without("page").pairs, (name, str(value))))

    def without(self, *names: str) -> "PageAddress":
        """Return the address without some parameters, and without the page number of its list."""
        gone = {*names, "page"}
        return PageAddress(self.path, tuple(pair for pair in self.pairs if pair[0] not in gone))

    def drop(self, name: str, value: object) -> "PageAddress":
        """Return the address without one value of a name."""
        return PageAddress(self.path, tuple(pair for pair in self.without("page").pairs if pair != (name, str(value))))

    def at_page(self, page: int) -> "PageAddress":
        """Return the address of another page of its list, counted from 1."""
        return PageAddress(self.path, (*self.without("page").pairs, ("page", str(page))))

    def hidden(self, *left_out: str) -> Iterable[Pair]:
        """Yield what a form must carry along so that the rest of the state stays."""
        return (pair for pair in self.without(*left_out).pairs)


def back_to(path: str, sent: str) -> str:
    """Return the address of a list that a form came from.

    Where the form has the address of another page, return only the path.
    """
    return sent if sent == path or (sent.startswith(f"{path}?") and sent.isprintable()) else path
