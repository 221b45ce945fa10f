"""The part of the client that needs aiohttp.

The first request loads it, as it takes a tenth of a second and 10 MB.
"""

import asyncio
import logging
import os
import re
import ssl
import time
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, BinaryIO, Final, Self, cast

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientSSLError,
    ClientTimeout,
    DummyCookieJar,
    ServerDisconnectedError,
    StreamReader,
    TCPConnector,
)
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http_parser import RawResponseMessage
from yarl import URL

from trackyard.outbound.guard import BLOCKED, AddressFilter, Network
from trackyard.outbound.resolver import GetAddrInfo, ThreadResolver
from trackyard.outbound.results import (
    KEPT_HEADERS,
    MAX_BODY,
    MAX_HEADER,
    HttpResult,
    ProbeResult,
    SiteLook,
    SitePart,
    read_retry_after,
    target_of,
)

MAX_INFORMATIONAL: Final = 5
"""Answers of status 1xx to one request; each of them costs as much as an answer."""
MAX_LOCATION: Final = 8192
_MAX_HEADER_LINE: Final = 65_536
_STATUS_BYTES: Final = 24
_STATUS_LINE: Final = re.compile(
    rb"\s*(?:HTTP/[0-9](?:\.[0-9])?|ICY)[ \t]+([2-5][0-9][0-9])(?:[^0-9]|$)", re.IGNORECASE
)
_INFORMATIONAL: Final = re.compile(rb"\s*HTTP/1\.[01] 1[0-9][0-9][ \r\n]")
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_USER_AGENT: Final = "Trackyard"

log = logging.getLogger("trackyard.outbound")


class _AnswerBroken(ClientError):
    """The answer to a request has a status line, but no HTTP after it, or ends too early.

    status: the status in its status line.
    """

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _TooManyInformational(ClientPayloadError):
    """An answer came behind more informational ones than are read."""


class _BoundedProtocol(ResponseHandler):
    """Keeps the status line of an answer, and bounds the informational answers before it."""

    _informational = 0
    _connector: "_BoundedConnector | None" = None
    _begin = b""

    @property
    def status(self) -> int:
        """Return the status of the answer that is being read; 0 = its status line is not there."""
        found = _STATUS_LINE.match(self._begin)
        return int(found[1]) if found is not None else 0

    def set_response_params(self, **params: Any) -> None:
        """Prepare for the answer to a new request."""
        self._begin = b""
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Read a part of an answer."""
        if len(self._begin) < _STATUS_BYTES or _INFORMATIONAL.match(self._begin):
            self._begin = _without_informational(self._begin + data)
        super().data_received(data)

    def of(self, connector: "_BoundedConnector") -> Self:
        """Return the protocol, which notes the certificate of its connection in a connector."""
        self._connector = connector
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        certificate = transport.get_extra_info("peercert")
        if self._connector is not None and certificate:
            self._connector.certificate_end = ssl.cert_time_to_seconds(str(certificate["notAfter"]))

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, content = await super().read()
        if not HTTPStatus.CONTINUE <= message.code < HTTPStatus.OK:
            self._informational = 0
        else:
            self._informational += 1
            if self._informational > MAX_INFORMATIONAL:
                raise _TooManyInformational(f"answered with more than {MAX_INFORMATIONAL} informational answers")
        return message, content


def _without_informational(begin: bytes) -> bytes:
    """Return the begin of an answer behind the informational ones, as far as their heads are there."""
    for _ in range(MAX_INFORMATIONAL):
        end = _HEAD_END.search(begin) if _INFORMATIONAL.match(begin) else None
        if end is None:
            break
        begin = begin[end.end() :]
    return begin[:_MAX_HEADER_LINE] if _INFORMATIONAL.match(begin) else begin[:_STATUS_BYTES]


class _StatusResponse(ClientResponse):
    """An answer of which the status line decides, whatever its headers are."""

    async def start(self, connection: Connection) -> Self:
        """Read the head of the answer. Raises _AnswerBroken where it has a status line and no readable head."""
        protocol = cast(_BoundedProtocol, connection.protocol)
        try:
            await super().start(connection)
        except (ClientError, TimeoutError) as error:
            if protocol.status:
                raise _AnswerBroken(protocol.status) from error
            raise
        return self


class _BoundedConnector(TCPConnector):
    """Makes connections that end after MAX_INFORMATIONAL informational answers.

    certificate_end: when the certificate of the last TLS connection ends, Unix seconds.
    """

    certificate_end: int | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = cast("partial[ResponseHandler]", partial(self._make_protocol, loop=self._loop))

    def _make_protocol(self, loop: asyncio.AbstractEventLoop) -> _BoundedProtocol:
        return _BoundedProtocol(loop).of(self)


class OutboundSession:
    """The connections of one OutboundClient, made in its event loop."""

    def __init__(
        self, allow: Sequence[Network], lookup: GetAddrInfo, seconds: float, tls: ssl.SSLContext | None = None
    ) -> None:
        self._resolver = ThreadResolver(lookup)
        self._connector = _BoundedConnector(
            resolver=self._resolver,
            socket_factory=AddressFilter(allow).open_socket,
            use_dns_cache=False,
            limit=0,
            keepalive_timeout=5,
            ssl=True if tls is None else tls,
        )
        self._session = ClientSession(
            connector=self._connector,
            timeout=ClientTimeout(total=seconds),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            response_class=_StatusResponse,
            max_line_size=_MAX_HEADER_LINE,
            max_field_size=_MAX_HEADER_LINE,
            headers={"User-Agent": _USER_AGENT, "Accept": "*/*", "Accept-Encoding": "identity"},
        )
        # A server that ends a kept connection gets no second request in silence: each request is an attempt of its own.
        self._session._retry_connection = False

    async def close(self) -> None:
        """Close the connections and the look-ups."""
        await self._session.close()
        await self._resolver.close()

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], seconds: float, body: bytes | None = None
    ) -> HttpResult:
        """Return the result of a request of so many seconds. Errors of the other side are in the result.

        The status line decides: a body or a head that cannot be read after it changes nothing.
        """
        timeout = ClientTimeout(total=seconds)
        try:
            target = target_of(url)
        except ValueError as error:
            return HttpResult(0, error=f"not a URL that can be called: {error}")
        try:
            async with self._session.request(
                method, target, headers=headers, data=body, allow_redirects=False, timeout=timeout
            ) as response:
                wait = read_retry_after(response.headers.get("Retry-After", ""), time.time())
                return HttpResult(response.status, body=await _read_most(response), retry_after=wait)
        except _AnswerBroken as broken:
            return HttpResult(broken.status)
        except TimeoutError:
            return HttpResult(0, error=f"no answer within {seconds:g} s", is_late=True)
        except (ClientError, OSError, ValueError) as error:
            return HttpResult(0, error=_error_text(error, target))

    async def probe(self, url: str, seconds: float) -> ProbeResult:
        """Return the begin of the answer to a GET request of so many seconds. Errors are in the result."""
        start = time.monotonic()
        try:
            target = target_of(url)
            timeout = ClientTimeout(total=seconds)
            async with self._session.get(target, allow_redirects=False, timeout=timeout) as response:
                took = round((time.monotonic() - start) * 1000)
                return ProbeResult(response.status, response.headers.get("Location", "")[:MAX_LOCATION], took)
        except _AnswerBroken as broken:
            return ProbeResult(broken.status)
        except TimeoutError:
            return ProbeResult(0, error=f"no answer within {seconds:g} s")
        except (ClientError, OSError) as error:
            return ProbeResult(0, error=_error_text(error, target))
        except ValueError as error:
            return ProbeResult(0, error=f"not a URL that can be called: {error}")

    async def look(self, url: str, seconds: float) -> SiteLook:
        """Return how far a GET request of so many seconds came."""
        try:
            target = target_of(url)
        except ValueError as error:
            return SiteLook(SitePart.NAME, f"not a URL that can be called: {error}")
        try:
            timeout = ClientTimeout(total=seconds)
            async with self._session.get(target, allow_redirects=False, timeout=timeout) as response:
                body = await _read(response.content)
                return SiteLook(None, "", response.status, body, self._connector.certificate_end)
        except TimeoutError:
            part = SitePart.CONNECTION if self._connector.certificate_end is None else SitePart.ANSWER
            return SiteLook(part, f"no answer within {seconds:g} s", certificate_end=self._connector.certificate_end)
        except (ClientError, OSError, ValueError) as error:
            end = self._connector.certificate_end
            return SiteLook(_part_of(error), _error_text(error, target), certificate_end=end)

    async def download(self, url: str, target_file: BinaryIO, max_bytes: int, headers: Mapping[str, str]) -> HttpResult:
        """Write the answer of a GET request into `target_file`. Errors are in the result.

        An answer that is longer than `max_bytes`, or incomplete, is an error.
        """
        try:
            target = target_of(url)
        except ValueError as error:
            return HttpResult(0, error=str(error))
        try:
            async with self._session.get(target, headers=headers, allow_redirects=False) as response:
                kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
                kept = {name: value for name, value in kept.items() if len(value) <= MAX_HEADER}
                if not 200 <= response.status < 300:
                    return HttpResult(response.status, error=f"answered {response.status}", headers=kept)
                size = 0
                async for piece in response.content.iter_chunked(MAX_BODY):
                    size += len(piece)
                    if size > max_bytes:
                        return HttpResult(response.status, error=f"is larger than {max_bytes} bytes")
                    target_file.write(piece)
                return HttpResult(response.status, headers=kept)
        except TimeoutError:
            return HttpResult(0, error=f"not there whole within {self._session.timeout.total:g} s")
        except (ClientError, OSError, ValueError) as error:
            return HttpResult(0, error=_error_text(error, target))


def _part_of(error: Exception) -> SitePart:
    """Return the part that a request lacked. The order follows the classes, which derive from each other."""
    if isinstance(error, ClientConnectorDNSError) or BLOCKED in str(error):
        return SitePart.NAME
    if isinstance(error, ClientSSLError):
        return SitePart.CERTIFICATE
    if isinstance(error, ClientConnectorError):
        return SitePart.CONNECTION
    return SitePart.ANSWER


def _error_text(error: Exception, target: URL) -> str:
    """Return the text of an error for users.

    A name without an IP address and one with a refused IP address read alike, so that errors show no host of a private
    network; the log has the reason.
    """
    text = str(error)
    if isinstance(error, ClientConnectorDNSError) or BLOCKED in text:
        log.info("host refused", extra={"host": target.host, "reason": text})
        return f"{target.host} has no IP address that may be called"
    place = f"{target.host}:{target.port}"
    if isinstance(error, ClientConnectorCertificateError):
        return f"the certificate of {place} is not valid: {_certificate_reason(error.certificate_error)}"
    if isinstance(error, ClientSSLError):
        return f"no encrypted connection to {place}: its server speaks no TLS, or a version that is too old"
    if isinstance(error, ClientConnectorError):
        return f"no connection to {place}: {_reason(error.os_error)}"
    if isinstance(error, _TooManyInformational):
        return text
    return _answer_fault(error)


def _answer_fault(error: Exception) -> str:
    """Return the fault in the answer of a server that was reached."""
    if isinstance(error, ServerDisconnectedError):
        return "the server closed the connection without an answer"
    if isinstance(error, OSError):
        return f"the connection ended before the answer: {_reason(error)}"
    if isinstance(error, ClientResponseError):
        return "the answer is not HTTP"
    if isinstance(error, ClientError):
        return "the answer is damaged, or ends early"
    return f"not a URL that can be called: {error}"


def _certificate_reason(error: Exception) -> str:
    return error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else str(error)


def _reason(error: OSError) -> str:
    if error.errno is not None:
        return os.strerror(error.errno).lower()
    return (error.strerror or str(error)).lower() or "the server closed it"


async def _read(content: StreamReader) -> bytes:
    body = bytearray()
    while len(body) < MAX_BODY and (piece := await content.read(MAX_BODY - len(body))):
        body += piece
    return bytes(body)


async def _read_most(response: ClientResponse) -> bytes:
    """Return the body as far as it can be read. A connection that is not at its end is not used again."""
    body = bytearray()
    try:
        while len(body) < MAX_BODY and (piece := await response.content.read(MAX_BODY - len(body))):
            body += piece
    except (ClientError, OSError, ValueError):
        response.close()
    return bytes(body)
