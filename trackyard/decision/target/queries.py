"""Parameters of query strings and forms, of bounded length (docs/spec/tracking.md#bounds)."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote_to_bytes

from trackyard.base.encodings import readable_text
from trackyard.domain.tracking.forgiven import EMPTY_REPEAT, ENCODING
from trackyard.domain.tracking.near_misses import LINK_NAMES

MAX_PARAMETER = 2 * 1024
MAX_PARAMETERS = 1000
"""More are not read: no caller needs them, and reading them costs other visitors time."""

PRINTABLE: Final = bytes(code if 32 <= code < 127 else 32 for code in range(256))
"""Keeps printable ASCII and changes everything else: the fastest check."""
_LITERAL: Final = PRINTABLE.replace(b"%", b" ").replace(b"+", b" ")
"""Keeps characters that are literal in a query string, and changes everything else."""
_UNRESERVED: Final = bytes(
    code if code < 128 and (chr(code).isalnum() or code in b"-._~&=") else ord("-") for code in range(256)
)
"""Keeps characters that are literal everywhere or separate parameters; changes everything else."""
_LINK_NAMES: Final = LINK_NAMES
_CONTROLS: Final = dict.fromkeys([*range(32), *range(127, 160)])


def clean_text(text: str) -> tuple[str, bool]:
    """Return a text without control characters, at most 2 KB of UTF-8; True = it was cut."""
    if not text.isprintable():
        text = text.translate(_CONTROLS)
    if len(text) * 4 > MAX_PARAMETER:
        encoded = text.encode("utf-8", "replace")
        if len(encoded) > MAX_PARAMETER:
            return encoded[:MAX_PARAMETER].decode("utf-8", "ignore"), True
    return text, False


def find_plain_params(query: bytes) -> dict[str, str] | None:
    """Return the parameters when no value needs quoting in JSON or in a URL, else None.

    None too where something may be forgiven: a repeated name, a name in capitals, or a dot at the end of the link.
    """
    if len(query) > MAX_PARAMETER or query.translate(_UNRESERVED) != query or query.endswith(b"."):
        return None
    params = {}
    pairs = query.decode("ascii").split("&")
    for pair in pairs:
        parts = pair.split("=")
        if len(parts) != 2:
            return None
        name = parts[0]
        if name not in _LINK_NAMES and not name.islower():
            return None
        params[name] = parts[1]
    return params if len(params) == len(pairs) else None


def read_query_params(query: bytes) -> tuple[dict[str, str], bool, int]:
    """Return the parameters of a query string or form, whether a value was cut, and what was forgiven.

    The last of a name wins, unless it is empty.
    """
    if len(query) <= MAX_PARAMETER and query.translate(_LITERAL) == query:
        params = {}
        pairs = query.decode("ascii").split("&")
        for pair in pairs:
            name, _, value = pair.partition("=")
            params[name] = value
        if len(params) == len(pairs):
            return params, False, 0
        split = [pair.partition("=") for pair in pairs]
        params, forgiven = _without_empty_repeats([(name, value) for name, _, value in split])
        return params, False, forgiven
    return _read_encoded_params(query)


def _read_encoded_params(query: bytes) -> tuple[dict[str, str], bool, int]:
    any_cut = False
    forgiven = 0
    pairs = []
    for pair in query.split(b"&", MAX_PARAMETERS)[:MAX_PARAMETERS]:
        sent_name, _, sent_value = pair.partition(b"=")
        name, is_name_other = _unquoted(sent_name)
        text, is_value_other = _unquoted(sent_value)
        value, cut = clean_text(text)
        if is_name_other or is_value_other:
            forgiven |= ENCODING
        any_cut = any_cut or cut
        pairs.append((name, value))
    params = dict(pairs)
    if len(params) != len(pairs):
        params, repeats = _without_empty_repeats(pairs)
        forgiven |= repeats
    return params, any_cut, forgiven


def _without_empty_repeats(pairs: Sequence[tuple[str, str]]) -> tuple[dict[str, str], int]:
    """Return parameters without repeats that are empty, and what was forgiven."""
    params: dict[str, str] = {}
    forgiven = 0
    for name, value in pairs:
        if not value and params.get(name):
            forgiven = EMPTY_REPEAT
        else:
            params[name] = value
    return params, forgiven


def _unquoted(text: bytes) -> tuple[str, bool]:
    """Return the text of percent-encoded bytes; True = it is not UTF-8."""
    return readable_text(unquote_to_bytes(text.replace(b"+", b" ")))
