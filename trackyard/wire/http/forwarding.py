"""Forwards inbound postbacks and pixels from the API's address to a tracking address.

The tracking listener answers: it writes the journal and applies every limit. A signed header carries the caller's
address (domain/tracking/forwarding.py).
"""

import http.client
import logging
import ssl
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import quote, urlsplit

import anyio
import anyio.to_thread
from anyio import CapacityLimiter, Semaphore
from starlette.requests import Request
from starlette.responses import Response

from trackyard.base.clock import Clock
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import BodyTooLarge, TooManyRequests, Unavailable
from trackyard.domain.platform.own_requests import DELIVERY_HEADER, ORIGIN_HEADER
from trackyard.domain.tracking.forwarding import FORGIVEN_HEADER, FORWARDED_HEADER, signed_caller
from trackyard.domain.tracking.near_misses import plain_target
from trackyard.wire.endpoint import MEGABYTE
from trackyard.wire.response.errors import MethodNotAllowed

PATHS: Final = frozenset(("/postback", "/success.jpg", "/success.php"))
METHODS: Final = ("GET", "HEAD", "POST", "OPTIONS")
MAX_CONCURRENT: Final = 16
MAX_WAITING: Final = 256
"""Requests that may run or wait at once; further ones are a 429."""
MAX_HELD_BYTES: Final = 32 * MEGABYTE
"""Bytes of bodies that may be held at once; more are a 429."""
TIMEOUT_S: Final = 5.0
"""Time of an answer, and of waiting for a slot; a request without a slot by then is a 503."""
FORGIVEN_STATE: Final = "forgiven"
"""What was wrong with the head of a request and was taken all the same, in the state of its scope."""
_UNQUOTED: Final = "".join(map(chr, range(0x21, 0x7F)))
"""Characters of a query that stay as they came; others are percent-encoded."""
_FORWARDED_HEADERS: Final = (
    *("content-type", "cookie", "origin", "referer", "user-agent"),
    *("access-control-request-headers", "access-control-request-method"),
    *(DELIVERY_HEADER.lower(), ORIGIN_HEADER.lower()),
)
_HOP_BY_HOP_HEADERS: Final = frozenset(("connection", "date", "keep-alive", "server", "transfer-encoding"))

log = logging.getLogger("trackyard.api")


def find_forwarded(path: str) -> str | None:
    """Return the one of PATHS that the path of a request is, or can mean only; None = it is another."""
    near = path.rstrip("/")
    if near in PATHS:
        return near
    plain = plain_target(path, b"")
    near = "" if plain is None else plain[0].lower()
    return near if near in PATHS else None


class Forwarder:
    """Forwards requests to the tracking address `url`.

    verified: whether its certificate is checked.
    seconds: that an answer may take.
    max_wait: seconds that a request may wait for a slot.
    """

    def __init__(
        self,
        url: str,
        key: bytes,
        clock: Clock,
        *,
        verified: bool = True,
        seconds: float = TIMEOUT_S,
        max_wait: float = TIMEOUT_S,
    ) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._prefix = parts.path.rstrip("/")
        self._context: ssl.SSLContext | None = None
        if parts.scheme == "https":
            self._context = ssl.create_default_context()
            if not verified:
                self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE
        self._key = key
        self._clock = clock
        self._seconds, self._max_wait = seconds, max_wait
        self._threads, self._slots = CapacityLimiter(MAX_CONCURRENT), Semaphore(MAX_CONCURRENT)
        self._in_flight = self._held = 0

    async def __call__(self, request: Request, address: str) -> Response:
        """Return the answer of the tracking listener to the request of a caller at `address`.

        Errors: MethodNotAllowed, BodyTooLarge, TooManyRequests, Unavailable.
        """
        if request.method not in METHODS:
            raise MethodNotAllowed(list(METHODS))
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                self._held += len(chunk)
                if len(body) > MEGABYTE:
                    raise BodyTooLarge
                if self._held > MAX_HELD_BYTES:
                    raise TooManyRequests(1)
            return await self._in_slot(partial(self._forward, request, address, bytes(body)))
        finally:
            self._held -= len(body)

    async def _in_slot(self, forward: Callable[[], Response]) -> Response:
        if self._in_flight >= MAX_WAITING:
            raise TooManyRequests(1)
        self._in_flight += 1
        try:
            with anyio.move_on_after(self._max_wait) as wait:
                await self._slots.acquire()
            if wait.cancelled_caught:
                log.warning("tracking URL busy", extra={"requests": self._in_flight})
                raise _unavailable("The tracking URL is busy: try again later")
            try:
                return await anyio.to_thread.run_sync(forward, limiter=self._threads)
            finally:
                self._slots.release()
        finally:
            self._in_flight -= 1

    def _forward(self, request: Request, address: str, body: bytes) -> Response:
        query = quote(request.scope["query_string"], safe=_UNQUOTED)
        path = self._prefix + quote(request.scope["path"].rstrip("/"), safe=_UNQUOTED)
        headers = {name: value for name in _FORWARDED_HEADERS if (value := request.headers.get(name)) is not None}
        headers["cookie"] = "; ".join(request.headers.getlist("cookie"))
        headers[FORWARDED_HEADER.decode()] = signed_caller(self._key, address, self._clock.now_ms()).decode()
        headers[FORGIVEN_HEADER.decode()] = str(getattr(request.state, FORGIVEN_STATE, "") or "")
        connection = self._connection()
        try:
            target = f"{path}?{query}" if query else path
            connection.request(request.method, target, body or None, {k: v for k, v in headers.items() if v})
            answer = connection.getresponse()
            content = answer.read(MEGABYTE + 1)
        except (OSError, ValueError, http.client.HTTPException) as fault:
            log.warning("tracking URL unreachable", extra={"path": path, "error": str(fault)})
            raise _unavailable("No tracking URL answers: try again later") from None
        finally:
            connection.close()
        if len(content) > MEGABYTE:
            raise _unavailable("The answer of the tracking URL is over the limit of 1 MB")
        response = Response(content, answer.status)
        response.raw_headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in answer.getheaders()
            if name.lower() not in _HOP_BY_HOP_HEADERS
        ]
        return response

    def _connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._seconds)
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._seconds, context=self._context)


def _unavailable(text: str) -> Unavailable:
    return Unavailable(text, code=ErrorCode.NO_TRACKING_ADDRESS, retry_after=5)
