"""Ids in paths: what cannot be one names nothing (docs/spec/api-conventions.md#identifiers)."""

from typing import Any

from trackyard.base.errors import NotFound
from trackyard.base.ids import is_hex24
from trackyard.wire.endpoint import ApiRequest


def path_number(request: ApiRequest[Any], name: str = "id") -> int:
    """Return the integer id in the path. Raises NotFound."""
    text = request.path[name]
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotFound
    return int(text)


def path_hex(request: ApiRequest[Any], name: str = "id") -> str:
    """Return the id of 24 hex digits in the path. Raises NotFound."""
    text = request.path[name].lower()
    if not is_hex24(text):
        raise NotFound
    return text
