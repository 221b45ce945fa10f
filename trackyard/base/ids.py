"""Identifiers: 24 lower-case hex digits, 40 for API keys.

docs/spec/api-conventions.md#identifiers. A click id has 4 bytes second, 1 byte edge number and 7 random bytes
(docs/spec/conversions.md#the-click-of-a-postback). Other ids of 24 digits have 4 bytes second and 8 random bytes. So
both sort by time.
"""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

IMPORT_EDGE = 255
"""The edge number in the click ids of imported conversions; no edge gets it."""

EDGE_NUMBERS = range(1, 251)
"""The numbers of edges, one for each edge process slot of a data directory."""

_HEX24 = re.compile(r"[0-9a-f]{24}\Z")


@dataclass(frozen=True, slots=True)
class ClickId:
    """The parts of a click id: its second (UTC epoch) and the edge that made it."""

    second: int
    edge: int


def lowercase_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Return ids in lower case, as they are stored; clients write them in any case."""
    return tuple(each.lower() for each in ids)


def new_click_id(now_ms: int, edge: int) -> str:
    """Return a click id of 24 hex digits for a click at `now_ms` on edge `edge` (0..255)."""
    return f"{now_ms // 1000:08x}{edge:02x}{secrets.token_hex(7)}"


def new_id(now_ms: int) -> str:
    """Return a random id of 24 hex digits that sorts by its second."""
    return f"{now_ms // 1000:08x}{secrets.token_hex(8)}"


def new_api_key() -> str:
    """Return a secret of 40 hex digits."""
    return secrets.token_hex(20)


def is_number(text: str) -> bool:
    """Return whether a text is ASCII digits only.

    `isdecimal` and `int` of Python take the digits of every script: int("١٢") is 12.
    """
    return text.isascii() and text.isdecimal()


def is_hex24(text: str) -> bool:
    """Return whether `text` has the form of an id of 24 lower-case hex digits."""
    return _HEX24.match(text) is not None


def names_no_click(click_id: str) -> bool:
    """Return whether a click id is of a conversion without a click: an import or a promo code made it."""
    found = find_click_id(click_id)
    return found is not None and found.edge == IMPORT_EDGE


def find_click_id(text: str) -> ClickId | None:
    """Return the parts of a click id; None for other text."""
    if not is_hex24(text):
        return None
    return ClickId(second=int(text[:8], 16), edge=int(text[8:10], 16))
