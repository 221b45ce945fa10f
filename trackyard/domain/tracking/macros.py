"""Templates of URLs: `{name}` is replaced by its percent-encoded value; an unknown macro stays.

docs/spec/tracking.md#macros, docs/spec/postbacks.md#macros
"""

import re
from collections.abc import Container
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote

_is_plain = re.compile(r"[A-Za-z0-9_.~-]*\Z").match
_MACRO = re.compile(r"\{([a-z_0-9]+)\}")
_ENCODED_MACRO = re.compile(r"%7B([a-z_0-9]{1,40})%7D", re.IGNORECASE | re.ASCII)


class MacroValues(Protocol):
    """Values by macro name: a dict, or an object that computes only the values of a template."""

    def get(self, name: str, /) -> str | None:
        """Return the value, not encoded; None for an unknown macro."""
        ...


class Template:
    """A URL split once at its macros: `literals[0] + value(names[0]) + literals[1] + …`."""

    __slots__ = ("literals", "names")

    def __init__(self, text: str) -> None:
        pieces = _MACRO.split(text)
        self.literals: tuple[str, ...] = tuple(pieces[0::2])
        self.names: tuple[str, ...] = tuple(pieces[1::2])

    def fill(self, values: MacroValues) -> str:
        """Return the URL with the macros of `values` replaced, percent-encoded; others stay."""
        if not self.names:
            return self.literals[0]
        out = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            value = values.get(name)
            out.append(f"{{{name}}}" if value is None else encode_value(value))
            out.append(literal)
        return "".join(out)


def with_braces(url: str, names: Container[str]) -> str:
    """Return a URL of staff or affiliates in which percent-encoded braces around known names are decoded.

    Spreadsheets, forms and builders of URLs encode them: `%7Bclickid%7D`.
    """
    if "%7" not in url:
        return url
    return _ENCODED_MACRO.sub(lambda found: f"{{{found[1].lower()}}}" if found[1].lower() in names else found[0], url)


def encode_value(value: str) -> str:
    """Return a value, percent-encoded for a URL."""
    # Most values need no quoting, which is slow.
    if value.isascii() and (value.isalnum() or value.replace("-", "").isalnum() or _is_plain(value)):
        return value
    return _quoted(value)


@lru_cache(maxsize=4096)
def _quoted(value: str) -> str:
    return quote(value, safe="")


@lru_cache(maxsize=65536)
def cached_template(text: str) -> Template:
    """Return the template of a URL, from a cache."""
    return Template(text)
