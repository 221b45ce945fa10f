"""Requests to URLs of users during a request to the API.

Few run at once, since each holds a thread of the API.
"""

import asyncio
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from trackyard.base.errors import TooManyRequests
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.literal_hosts import refused_host
from trackyard.outbound.results import TIMEOUT_S, HttpResult, SiteLook

MAX_CONCURRENT: Final = 4


class OnDemandClient:
    """Sends single requests, one at a time for each owner and `at_once` in all.

    Safe to use from several threads. allow: networks that the operator permits as a whole. tls: see OutboundClient.
    Owners are affiliates by their numbers, and domains by theirs below 0.
    """

    def __init__(
        self,
        allow: Sequence[Network] = (),
        *,
        at_once: int = MAX_CONCURRENT,
        seconds: float = TIMEOUT_S,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allow = allow
        self._at_once = at_once
        self._seconds = seconds
        self._tls = tls
        self._running: set[int] = set()
        self._lock = threading.Lock()

    def refused_host(self, url: str) -> str:
        """Return the host of a URL that contains a blocked IP address, else ""."""
        return refused_host(url, self._allow)

    def fetch(self, owner: int, url: str, headers: Mapping[str, str]) -> HttpResult:
        """Return the result of one GET request.

        Raises TooManyRequests while the owner has a request running, or `at_once` others run.
        """
        with self._running_for(owner):
            return asyncio.run(self._get(url, headers))

    def post(self, owner: int, url: str, headers: Mapping[str, str], body: bytes) -> HttpResult:
        """Return the result of one POST request. Raises TooManyRequests as `fetch` does."""
        with self._running_for(owner):
            return asyncio.run(self._post(url, headers, body))

    def look(self, owner: int, url: str) -> SiteLook:
        """Return how far one GET request came. Raises TooManyRequests as `fetch` does."""
        with self._running_for(owner):
            return asyncio.run(self._look(url))

    @contextmanager
    def _running_for(self, owner: int) -> Iterator[None]:
        with self._lock:
            if owner in self._running or len(self._running) >= self._at_once:
                raise TooManyRequests(int(self._seconds))
            self._running.add(owner)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(owner)

    async def _get(self, url: str, headers: Mapping[str, str]) -> HttpResult:
        async with self._client() as client:
            return await client.get(url, headers)

    async def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpResult:
        async with self._client() as client:
            return await client.post(url, headers, body)

    async def _look(self, url: str) -> SiteLook:
        async with self._client() as client:
            return await client.look(url)

    def _client(self) -> OutboundClient:
        return OutboundClient(self._allow, seconds=self._seconds, tls=self._tls)
