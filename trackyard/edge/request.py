"""Requests and answers of the tracking listener, as plain values that know no server."""

from typing import Final
from urllib.parse import unquote_to_bytes

MAX_URL = 8 * 1024
MAX_PARAMETER = 2 * 1024
MAX_PARAMETERS = 1000
"""More than this are not read: they are no parameters of ours, and reading them costs other visitors time."""

_PRINTABLE: Final = bytes(code if 32 <= code < 127 else 32 for code in range(256))
"""Leaves printable ASCII as it is and changes everything else: the quickest way to tell."""
_LITERAL: Final = _PRINTABLE.replace(b"%", b" ").replace(b"+", b" ")
"""Leaves what stands for itself in a query string, and changes everything else."""
_CONTROLS: Final = dict.fromkeys([*range(32), *range(127, 160)])


class Request:
    """One request. headers: by lower-case name, repeated ones joined by ", ", cookies by "; " · peer: normalised
    address · trusted: whether the peer is a trusted proxy · tls: whether the peer came by TLS of our own."""

    __slots__ = ("body", "headers", "method", "path", "peer", "query", "tls", "trusted")

    def __init__(
        self,
        method: str,
        path: str,
        query: bytes,
        headers: dict[bytes, bytes],
        peer: str,
        trusted: bool,
        body: bytes = b"",
        tls: bool = False,
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.peer = peer
        self.trusted = trusted
        self.body = body
        self.tls = tls

    def moved(self, path: str, query: bytes) -> "Request":
        """The same request to another target."""
        return Request(self.method, path, query, self.headers, self.peer, self.trusted, self.body, self.tls)

    def header(self, name: bytes) -> str:
        """The text of a header, cleaned and cut like a parameter; "" when it is not there."""
        value = self.headers.get(name)
        if value is None:
            return ""
        if len(value) <= MAX_PARAMETER and value.translate(_PRINTABLE) == value:
            return value.decode("ascii")
        return cleaned(value.decode("utf-8", "replace"))[0]


class Response:
    """One answer. `location`: ASCII · `headers`: more headers, each with its line end · `recorded`: to be sent only
    when `Edge.commit` took its record · `durable`: only when everything in the journal so far is synced."""

    __slots__ = ("body", "content_type", "durable", "headers", "location", "recorded", "status")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        content_type: bytes = b"application/json",
        location: bytes = b"",
        headers: bytes = b"",
        recorded: bool = False,
        durable: bool = False,
    ) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.location = location
        self.headers = headers
        self.recorded = recorded
        self.durable = durable


def cleaned(text: str) -> tuple[str, bool]:
    """A stranger's text without control characters, at most 2 KB of UTF-8; True when it was cut."""
    if not text.isprintable():
        text = text.translate(_CONTROLS)
    if len(text) * 4 > MAX_PARAMETER:
        encoded = text.encode("utf-8", "replace")
        if len(encoded) > MAX_PARAMETER:
            return encoded[:MAX_PARAMETER].decode("utf-8", "ignore"), True
    return text, False


def read_pairs(query: bytes) -> tuple[dict[str, str], bool]:
    """The parameters of a query string or urlencoded body, the last of a name wins; True when one was cut."""
    if len(query) <= MAX_PARAMETER and query.translate(_LITERAL) == query:
        params = {}
        for pair in query.decode("ascii").split("&"):
            name, _, value = pair.partition("=")
            params[name] = value
        return params, False
    return _read_encoded(query)


def _read_encoded(query: bytes) -> tuple[dict[str, str], bool]:
    params: dict[str, str] = {}
    any_cut = False
    for pair in query.split(b"&", MAX_PARAMETERS)[:MAX_PARAMETERS]:
        name, _, value = pair.partition(b"=")
        params[_unquoted(name)], cut = cleaned(_unquoted(value))
        any_cut = any_cut or cut
    return params, any_cut


def _unquoted(text: bytes) -> str:
    return unquote_to_bytes(text.replace(b"+", b" ")).decode("utf-8", "replace")
