"""Parameters of query strings and forms, of bounded length (docs/spec/tracking.md#bounds)."""

from typing import Final
from urllib.parse import unquote_to_bytes

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
    """Return the parameters when no value needs quoting in JSON or in a URL, else None."""
    if len(query) > MAX_PARAMETER or query.translate(_UNRESERVED) != query:
        return None
    params = {}
    for pair in query.decode("ascii").split("&"):
        parts = pair.split("=")
        if len(parts) != 2:
            return None
        params[parts[0]] = parts[1]
    return params


def read_query_params(query: bytes) -> tuple[dict[str, str], bool]:
    """Return the parameters of a query string or urlencoded body; True = a value was cut.

    The last of a name wins.
    """
    if len(query) <= MAX_PARAMETER and query.translate(_LITERAL) == query:
        params = {}
        for pair in query.decode("ascii").split("&"):
            name, _, value = pair.partition("=")
            params[name] = value
        return params, False
    return _read_encoded_params(query)


def _read_encoded_params(query: bytes) -> tuple[dict[str, str], bool]:
    params: dict[str, str] = {}
    any_cut = False
    for pair in query.split(b"&", MAX_PARAMETERS)[:MAX_PARAMETERS]:
        name, _, value = pair.partition(b"=")
        params[_unquoted(name)], cut = clean_text(_unquoted(value))
        any_cut = any_cut or cut
    return params, any_cut


def _unquoted(text: bytes) -> str:
    return unquote_to_bytes(text.replace(b"+", b" ")).decode("utf-8", "replace")
