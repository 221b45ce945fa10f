"""Calls to strangers that somebody waits for: few at once, since each holds one of the API's threads."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from trackyard.base.errors import TooManyRequests
from trackyard.outbound.client import TIMEOUT_S, HttpResult, OutboundClient
from trackyard.outbound.guard import Network

MAX_CONCURRENT: Final = 4


class OnDemandClient:
    """Makes single calls, one at a time for each owner and `at_once` in all. `allow`: networks in which every
    address may be called, given by the operator. Safe to use from several threads."""

    def __init__(
        self, allow: Sequence[Network] = (), *, at_once: int = MAX_CONCURRENT, seconds: float = TIMEOUT_S
    ) -> None:
        self._allow = allow
        self._at_once = at_once
        self._seconds = seconds
        self._running: set[int] = set()
        self._lock = threading.Lock()

    def fetch(self, owner: int, url: str, headers: Mapping[str, str]) -> HttpResult:
        """GET `url` once. Raises TooManyRequests while a call of this owner, or as many as may be, is under way."""
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
