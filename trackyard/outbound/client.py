"""The client for URLs of users (docs/spec/postbacks.md#delivery)."""

import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from trackyard.outbound.guard import Network
from trackyard.outbound.results import TIMEOUT_S, HttpResult, ProbeResult, SiteLook

if TYPE_CHECKING:
    from trackyard.outbound.session import OutboundSession


class OutboundClient:
    """Sends requests to URLs of users.

    It follows no redirects, and uses no cookies and no proxies of the environment. An answer may take 10 s and have
    64 KB (a download: `max_bytes`). Certificates are verified; private addresses are refused when the socket is made.
    The first request opens its session.
    tls: the trusted certificates; None = the system's.
    """

    def __init__(
        self,
        allow: Sequence[Network] = (),
        *,
        lookup: Callable[..., list[Any]] = socket.getaddrinfo,
        seconds: float = TIMEOUT_S,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allow = allow
        self._lookup = lookup
        self._seconds = seconds
        self._tls = tls
        self._opened: OutboundSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()

    async def get(self, url: str, headers: Mapping[str, str], *, seconds: float | None = None) -> HttpResult:
        """Return the result of a GET request. Errors of the other side are in the result.

        seconds: how long it may take; None = as long as any request of the client.
        """
        return await self._session().send("GET", url, headers, self._seconds if seconds is None else seconds)

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, seconds: float | None = None
    ) -> HttpResult:
        """Return the result of a POST request, with the same limits as `get`."""
        return await self._session().send("POST", url, headers, self._seconds if seconds is None else seconds, body)

    async def probe(self, url: str) -> ProbeResult:
        """Return the begin of the answer to a GET request, which is not read. Errors are in the result."""
        return await self._session().probe(url, self._seconds)

    async def look(self, url: str) -> SiteLook:
        """Return how far a GET request came. A client looks at one site only, as it keeps one certificate."""
        return await self._session().look(url, self._seconds)

    async def download(
        self, url: str, target_file: BinaryIO, max_bytes: int, headers: Mapping[str, str] | None = None
    ) -> HttpResult:
        """Write the answer of a GET request into `target_file`. Errors are in the result.

        An answer that is longer than `max_bytes`, or incomplete, is an error.
        """
        return await self._session().download(url, target_file, max_bytes, headers or {})

    def _session(self) -> "OutboundSession":
        if self._opened is None:
            from trackyard.outbound.session import OutboundSession

            self._opened = OutboundSession(self._allow, self._lookup, self._seconds, self._tls)
        return self._opened
