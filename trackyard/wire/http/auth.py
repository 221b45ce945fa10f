"""The key of a request (docs/spec/callers.md#keys-and-passwords). It is never logged."""

from collections.abc import Callable

from starlette.datastructures import Headers

from trackyard.domain.people.callers import Caller
from trackyard.domain.people.sessions import BROWSER_KEY

Authenticate = Callable[[str], Caller | None]
"""Returns the caller of a key; None for an unknown key, or a caller that may not call."""

KEY_NAMES = frozenset({"API-Key", "api-key"})
MAX_KEY = 200


def find_key(headers: Headers, query: bytes) -> str | None:
    """Return the key of the header API-Key (any case), by default of the query.

    The rest of the query may be malformed.
    """
    header = headers.get("api-key")
    if header:
        return header.strip()
    pairs = (piece.partition(b"=") for piece in query.split(b"&"))
    named = ((name.decode("latin-1"), value.decode("latin-1")) for name, _, value in pairs)
    return next((value for name, value in named if name in KEY_NAMES and value), None)


def find_caller(authenticate: Authenticate, key: str | None) -> Caller | None:
    """Return the caller of a key, or None. The key of a browser's session is for pages alone."""
    return authenticate(key) if key and len(key) <= MAX_KEY and not key.startswith(BROWSER_KEY) else None
