"""The client for URLs of users (docs/spec/postbacks.md#delivery)."""

import hashlib
import hmac
import logging
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from types import TracebackType
from typing import Any, BinaryIO, Final, Self, cast

from aiohttp import (
    ClientConnectorDNSError,
    ClientError,
    ClientPayloadError,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    StreamReader,
    TCPConnector,
)
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_parser import RawResponseMessage
from yarl import URL

from trackyard.outbound.guard import BLOCKED, AddressFilter, Network
from trackyard.outbound.resolver import GetAddrInfo, ThreadResolver

TIMEOUT_S: Final = 10
MAX_BODY: Final = 65_536
MAX_INFORMATIONAL: Final = 5
"""Answers of status 1xx to one request; each of them costs as much as an answer."""
_USER_AGENT: Final = "Trackyard"

log = logging.getLogger("trackyard.outbound")


@dataclass(frozen=True, slots=True)
class HttpResult:
    """The result of a request.

    http_code: 0 = unreachable; `error` says why.
    body: its first bytes.
    is_refused: it was not made, and never will be.
    """

    http_code: int
    body: bytes = b""
    error: str = ""
    is_refused: bool = False

    @property
    def is_success(self) -> bool:
        """Return whether the receiver accepted the request."""
        return 200 <= self.http_code < 300

    @property
    def is_retryable(self) -> bool:
        """Return whether a retry may succeed: network error, too many requests, or an error of the server."""
        if self.is_refused:
            return False
        return self.http_code == 0 or self.http_code == 429 or self.http_code >= 500


class _BoundedProtocol(ResponseHandler):
    """Ends a request that gets one informational answer after another."""

    _informational = 0

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, content = await super().read()
        if not HTTPStatus.CONTINUE <= message.code < HTTPStatus.OK:
            self._informational = 0
        else:
            self._informational += 1
            if self._informational > MAX_INFORMATIONAL:
                raise ClientPayloadError(f"answered with more than {MAX_INFORMATIONAL} informational answers")
        return message, content


class _BoundedConnector(TCPConnector):
    """Makes connections that end after MAX_INFORMATIONAL informational answers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = cast("partial[ResponseHandler]", partial(_BoundedProtocol, loop=self._loop))


class OutboundClient:
    """Sends GET requests to URLs of users.

    No redirects, no cookies, no proxies of the environment; 10 s and 64 KB at most (a download: `max_bytes`);
    certificates are verified, private addresses refused when the socket is made.
    """

    def __init__(
        self,
        allow: Sequence[Network] = (),
        *,
        lookup: GetAddrInfo = socket.getaddrinfo,
        seconds: float = TIMEOUT_S,
    ) -> None:
        self._resolver = ThreadResolver(lookup)
        self._session = ClientSession(
            connector=_BoundedConnector(
                resolver=self._resolver,
                socket_factory=AddressFilter(allow).open_socket,
                use_dns_cache=False,
                limit=0,
                keepalive_timeout=5,
            ),
            timeout=ClientTimeout(total=seconds),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            headers={"User-Agent": _USER_AGENT, "Accept": "*/*", "Accept-Encoding": "identity"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._resolver.close()

    async def get(self, url: str, headers: Mapping[str, str]) -> HttpResult:
        """Return the result of a GET request. Errors of the other side are in the result."""
        try:
            target = _target(url)
        except ValueError as error:
            return HttpResult(0, error=f"not a URL that can be called: {error}")
        try:
            async with self._session.get(target, headers=headers, allow_redirects=False) as response:
                return HttpResult(response.status, body=await _read(response.content))
        except TimeoutError:
            return HttpResult(0, error=f"no answer within {self._session.timeout.total:g} s")
        except (ClientError, OSError, ValueError) as error:
            return HttpResult(0, error=_error_text(error, target))

    async def download(self, url: str, target_file: BinaryIO, max_bytes: int) -> HttpResult:
        """Write the answer of a GET request into `target_file`. Errors are in the result.

        An answer that is longer than `max_bytes`, or incomplete, is an error.
        """
        try:
            target = _target(url)
        except ValueError as error:
            return HttpResult(0, error=str(error))
        try:
            async with self._session.get(target, allow_redirects=False) as response:
                if not 200 <= response.status < 300:
                    return HttpResult(response.status, error=f"answered {response.status}")
                size = 0
                async for piece in response.content.iter_chunked(MAX_BODY):
                    size += len(piece)
                    if size > max_bytes:
                        return HttpResult(response.status, error=f"is larger than {max_bytes} bytes")
                    target_file.write(piece)
                return HttpResult(response.status)
        except TimeoutError:
            return HttpResult(0, error=f"not there whole within {self._session.timeout.total:g} s")
        except (ClientError, OSError, ValueError) as error:
            return HttpResult(0, error=_error_text(error, target))


def wire_url(url: str) -> str:
    """Return a URL as it is sent and signed; `url` itself when it is malformed."""
    try:
        return str(_target(url))
    except ValueError:
        return url


def signature(secret: str, second: int, url: str) -> str:
    """Return the X-Trackyard-Signature of a request: `t=<UTC second>,v1=<HMAC-SHA256 of "t.url">`."""
    mac = hmac.new(secret.encode(), f"{second}.{url}".encode(), hashlib.sha256)
    return f"t={second},v1={mac.hexdigest()}"


def _target(url: str) -> URL:
    target = URL(url).with_fragment(None)
    if target.scheme not in ("http", "https") or not target.host:
        raise ValueError("it needs http:// or https:// and a host")
    return target


def _error_text(error: Exception, target: URL) -> str:
    """Return the text of an error for users.

    A name without an address and one with a refused address read alike, so that errors name no host of a private
    network; the log has the reason.
    """
    text = str(error) or type(error).__name__
    if isinstance(error, ClientConnectorDNSError) or BLOCKED in text:
        log.info("host refused", extra={"host": target.host, "reason": text})
        return f"{target.host} has no address that may be called"
    return text


async def _read(content: StreamReader) -> bytes:
    body = bytearray()
    while len(body) < MAX_BODY and (piece := await content.read(MAX_BODY - len(body))):
        body += piece
    return bytes(body)
