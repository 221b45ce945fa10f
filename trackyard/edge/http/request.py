"""Requests and answers of the tracking listener as plain values."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final, Protocol

from trackyard.decision.target.queries import MAX_PARAMETER, PRINTABLE, clean_text

MAX_URL = 8 * 1024
_STATUS_LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


class Request:
    """One request.

    headers: by lower-case name; repeated ones are joined by ", ", cookies by "; "
    peer: normalised address
    trusted: the peer is a trusted proxy
    tls: the connection has TLS of this listener
    forgiven: what was wrong with its head and was taken all the same (domain/tracking/forgiven.py)
    """

    __slots__ = ("body", "forgiven", "headers", "method", "path", "peer", "query", "tls", "trusted")

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
        forgiven: int = 0,
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.peer = peer
        self.trusted = trusted
        self.body = body
        self.tls = tls
        self.forgiven = forgiven

    def with_target(self, path: str, query: bytes, forgiven: int = 0) -> "Request":
        """Return the same request to another target. forgiven: what was wrong with the one that was sent."""
        bits = self.forgiven | forgiven
        return Request(self.method, path, query, self.headers, self.peer, self.trusted, self.body, self.tls, bits)

    def with_body(self, body: bytes, forgiven: int) -> "Request":
        """Return the same request with another body. forgiven: what was wrong with the one that was sent."""
        bits = self.forgiven | forgiven
        return Request(self.method, self.path, self.query, self.headers, self.peer, self.trusted, body, self.tls, bits)

    def header(self, name: bytes) -> str:
        """Return a header, cleaned and cut like a parameter; "" = it is missing."""
        value = self.headers.get(name)
        if value is None:
            return ""
        if len(value) <= MAX_PARAMETER and value.translate(PRINTABLE) == value:
            return value.decode("ascii")
        return clean_text(value.decode("utf-8", "replace"))[0]


class Response:
    """One answer.

    location: ASCII
    headers: more headers, each with its line end
    recorded: sent only after `EdgeHandler.commit` wrote its record
    durable: sent only after a sync of the journal
    """

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


class DeferredResponse(Response):
    """A durable answer with a body that may come later.

    ready: the body came
    waiter: called with the body; None while the connection does not wait
    """

    __slots__ = ("ready", "waiter")

    def __init__(self, body: bytes, content_type: bytes, headers: bytes) -> None:
        super().__init__(200, body, content_type, headers=headers, durable=True)
        self.ready = False
        self.waiter: Callable[[], None] | None = None

    def complete(self, body: bytes) -> None:
        """Set the body; the first one counts."""
        if self.ready:
            return
        self.ready = True
        self.body = body
        if self.waiter is not None:
            self.waiter()


class HeldResponse(Response):
    """An answer that is sent later: after the look-up of a click, or after the delay of a limit.

    status: the expected status, for the metrics
    decided: the answer to send; None before the decision
    waiter: called with the decision; None while no connection waits
    """

    __slots__ = ("decided", "waiter")

    def __init__(self, status: int) -> None:
        super().__init__(status, durable=True)
        self.decided: Response | None = None
        self.waiter: Callable[[], None] | None = None

    def settle(self, response: Response) -> None:
        """Set the answer."""
        self.decided = response
        if self.waiter is not None:
            self.waiter()


class RequestHandler(Protocol):
    """The function that answers, without a server."""

    def handle(self, request: Request) -> Response:
        """Return the answer; a `recorded` one is sent only after `commit` returned True."""
        ...

    @property
    def commit(self) -> Callable[[], bool]:
        """Write the records of the answers since the last call; return whether that worked."""
        ...


def serialize(response: Response, date: bytes, connection: bytes, *, head: bool) -> bytes:
    """Return the bytes of an answer."""
    status_line = _STATUS_LINES[response.status]
    if response.location:
        return b"%b%b%b%bLocation: %b\r\nContent-Length: 0\r\n\r\n" % (
            status_line,
            date,
            response.headers,
            connection,
            response.location,
        )
    if response.status == HTTPStatus.NO_CONTENT:
        return b"".join((status_line, date, response.headers, connection, b"\r\n"))
    length = b"Content-Length: %d\r\n\r\n" % len(response.body)
    content_type = b"Content-Type: " + response.content_type + b"\r\n"
    body = b"" if head else response.body
    return b"".join((status_line, date, response.headers, connection, content_type, length, body))
