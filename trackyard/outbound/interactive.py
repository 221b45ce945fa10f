"""Requests to URLs of users during a request to the API.

Few run at once, since each holds a thread of the API.
"""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from trackyard.base.errors import TooManyRequests
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import TIMEOUT_S, HttpResult

MAX_CONCURRENT: Final = 4


class OnDemandClient:
    """Sends single requests, one at a time for each owner and `at_once` in all.

    Safe to use from several threads. allow: networks that the operator permits as a whole.
    """

    def __init__(
        self, allow: Sequence[Network] = (), *, at_once: int = MAX_CONCURRENT, seconds: float = TIMEOUT_S
    ) -> None:
        self._allow = allow
        self._at_once = at_once
        self._seconds = seconds
        self._running: set[int] = set()
        self._lock = threading.Lock()

    def fetch(self, owner: int, url: str, headers: Mapping[str, str]) -> HttpResult:
        """Return the result of one GET request.

        Raises TooManyRequests while the owner has a request running, or `at_once` others run.
        """
        with self._lock:
            if owner in self._running or len(self._running) >= self._at_once:
                raise TooManyRequests(int(self._seconds))
            self._running.add(owner)
        try:
            return asyncio.run(self._get(url, headers))
        finally:
            with self._lock:
                self._running.discard(owner)

    async def _get(self, url: str, headers: Mapping[str, str]) -> HttpResult:
        async with OutboundClient(self._allow, seconds=self._seconds) as client:
            return await client.get(url, headers)
