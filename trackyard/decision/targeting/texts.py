"""Parts and regular expressions of texts that browsers send.

See docs/spec/tracking.md#texts-of-targeting.

An expression runs in time that is linear in the text, whatever it is: visitors write the text, and a click must not
wait for it. The engine is Rust's, which pydantic brings: it has neither look-around nor back-references, and
bounds the memory of an expression.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

TextMatch = Callable[[str], bool]
"""Whether a text has one of several parts, or matches one of several expressions."""

LONGEST_EXPRESSION: Final = 256
"""Characters of a regular expression."""
LONGEST_TEXT: Final = 2048
"""Characters of a text that are looked at."""

_CACHE_SIZE: Final = 1024


class InvalidExpression(Exception):
    """A text is not a regular expression that runs in linear time."""


def find_match(values: tuple[str, ...], is_regexp: bool) -> TextMatch | None:
    """Return the match of values; None = there are none. Raises InvalidExpression."""
    given = tuple(value for value in values if value.strip())
    if not given:
        return None
    return _match_expressions(given) if is_regexp else _match_parts(given)


@lru_cache(_CACHE_SIZE)
def _match_parts(values: tuple[str, ...]) -> TextMatch:
    parts = tuple(value.strip().casefold() for value in values)

    def match(text: str) -> bool:
        folded = text[:LONGEST_TEXT].casefold()
        return any(part in folded for part in parts)

    return match


@lru_cache(_CACHE_SIZE)
def _match_expressions(values: tuple[str, ...]) -> TextMatch:
    searches = tuple(compile_expression(value) for value in values)

    def match(text: str) -> bool:
        looked_at = text[:LONGEST_TEXT]
        return any(search(looked_at) for search in searches)

    return match


@lru_cache(_CACHE_SIZE)
def compile_expression(value: str) -> TextMatch:
    """Return the search for a regular expression in any case. Raises InvalidExpression."""
    from pydantic_core import SchemaError, SchemaValidator  # edges without expressions do not load it

    if len(value) > LONGEST_EXPRESSION:
        raise InvalidExpression
    try:
        found = SchemaValidator({"type": "str", "pattern": f"(?i){value}", "regex_engine": "rust-regex"})
    except SchemaError:
        raise InvalidExpression from None
    return found.isinstance_python
