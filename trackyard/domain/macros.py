"""Macros in URLs: `{name}` is replaced by its percent-encoded value, an unknown macro stays (behaviour.md §4, §6)."""

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote

_MACRO = re.compile(r"\{([a-z_0-9]+)\}")


class Template:
    """A URL split once at its macros: `literals[0] + value(names[0]) + literals[1] + …`."""

    __slots__ = ("literals", "names")

    def __init__(self, text: str) -> None:
        pieces = _MACRO.split(text)
        self.literals: tuple[str, ...] = tuple(pieces[0::2])
        self.names: tuple[str, ...] = tuple(pieces[1::2])

    def fill(self, values: Mapping[str, str]) -> str:
        """The URL with every macro of `values` replaced, percent-encoded; the others stay as written."""
        if not self.names:
            return self.literals[0]
        out = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            value = values.get(name)
            out.append(f"{{{name}}}" if value is None else quote(value, safe=""))
            out.append(literal)
        return "".join(out)


@lru_cache(maxsize=65536)
def template(text: str) -> Template:
    """The template of a URL, kept."""
    return Template(text)
