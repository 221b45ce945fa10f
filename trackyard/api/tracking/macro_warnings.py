"""Warnings about macros in URLs that are not filled (docs/spec/tracking.md#unknown-macros)."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from trackyard.domain.tracking.macro_registry import MACROS, MacroPlace
from trackyard.domain.tracking.reference.unknown_macros import unfilled_macros
from trackyard.wire.endpoint import ApiRequest

MAX_WARNED: Final = 20
"""Macros that a request is warned of: finding what was meant by each takes time."""


def warn_of_macros(
    request: ApiRequest[Any], place: MacroPlace, sent: Mapping[str, Any], *, likely_only: bool = False
) -> None:
    """Add a warning for each macro in what was sent that is not filled there, MAX_WARNED at most.

    sent: texts by the name of their parameter; lists and maps of them are read too.
    likely_only: see unfilled_macros.
    """
    found = (
        f"[{name}] {sentence}"
        for name, text in _texts(sent, "")
        for sentence in unfilled_macros(text, place, likely_only=likely_only)
    )
    for sentence in islice(found, MAX_WARNED):
        request.warn(sentence)


def warn_where_none_is_filled(request: ApiRequest[Any], sent: Mapping[str, str | None]) -> None:
    """Add a warning for each URL with a macro that is called, or shown, as it is written."""
    for name, text in sent.items():
        named = [each for each in MACROS if f"{{{each.name}}}" in (text or "")]
        if named:
            request.warn(f"[{name}] Macros are not filled here: {{{named[0].name}}} stays as text.")


def _texts(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, f"{name}[{key}]" if name else key)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{name}[{index}]")
