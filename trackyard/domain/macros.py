"""Macros in URLs: `{name}` is replaced by its percent-encoded value, an unknown macro stays (behaviour.md §4, §6)."""

import re
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote

_MACRO = re.compile(r"\{([a-z_0-9]+)\}")


class Values(Protocol):
    """Values by macro name: a dict, or something that computes only what a template asks for."""

    def get(self, name: str, /) -> str | None:
        """The value, not encoded; None when there is no macro of this name."""
        ...


class Template:
    """A URL split once at its macros: `literals[0] + value(names[0]) + literals[1] + …`."""

    __slots__ = ("literals", "names")

    def __init__(self, text: str) -> None:
        pieces = _MACRO.split(text)
        self.literals: tuple[str, ...] = tuple(pieces[0::2])
        self.names: tuple[str, ...] = tuple(pieces[1::2])

    def fill(self, values: Values) -> str:
        """The URL with every macro of `values` replaced, percent-encoded; the others stay as written."""
        if not self.names:
            return self.literals[0]
        out = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            value = values.get(name)
            if value is None:
                value = f"{{{name}}}"
            elif not (value.isalnum() and value.isascii()):  # most values need no quoting, which is slow
                value = quote(value, safe="")
            out.append(value)
            out.append(literal)
        return "".join(out)


@lru_cache(maxsize=65536)
def template(text: str) -> Template:
    """The template of a URL, kept."""
    return Template(text)
