"""The rate, threads and queues of strangers (docs/spec/callers.md#strangers).

Methods without a key and pages for anyone share them, so that an act (trackyard/base/strangers.py) costs the same
at each door. Everything runs in the event loop of one API, so nothing is locked.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from anyio import CapacityLimiter
from starlette.requests import Request

from trackyard.base.errors import TooManyRequests
from trackyard.base.rate_limits import Limiter, MonotonicClock, RateLimiter
from trackyard.base.strangers import PLACES, StrangerAct, StrangersBusy, at_door, refused
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.wire.http.origins import address_of
from trackyard.wire.http.rate_limits import ApiLimits, SharedLimits, take_shared

SHOW_THREADS: Final = 2
"""For what strangers look at, such as the form of sign-in: it waits for no password of others."""
MAX_WAITING: Final = 50
"""Requests of strangers that wait for a thread, of either kind."""


@dataclass(frozen=True, slots=True)
class Door:
    """A way in for strangers. path: as it is declared. act: None where a stranger only looks."""

    path: str
    act: StrangerAct | None = None


class _Lane:
    """Threads, and the requests that run in them or wait for them."""

    def __init__(self, threads: int) -> None:
        self.threads = CapacityLimiter(threads)
        self.served = 0

    @property
    def is_full(self) -> bool:
        """Return whether as many wait as may."""
        return self.served >= self.threads.total_tokens + MAX_WAITING


class Strangers:
    """Admits the requests of strangers.

    shared: what the APIs of all machines count together; None = each counts by itself.
    """

    def __init__(
        self, limits: ApiLimits, shared: SharedLimits | None = None, seconds: MonotonicClock = time.monotonic
    ) -> None:
        self._rate, self._shared = limits.of_strangers(), shared
        self._rates: Limiter = RateLimiter(self._rate, seconds)
        self._acts, self._looks = _Lane(PLACES), _Lane(SHOW_THREADS)

    async def count(self, door: Door, request: Request) -> None:
        """Count a request of a wide network over the APIs of all machines. Raises TooManyRequests."""
        network = wide_network_of(address_of(request))
        request.state.standing = standing = await take_shared(self._rates, self._shared, "network", self._rate, network)
        if standing.wait:
            raise refused(door.act, door.path, "rate", TooManyRequests(standing.wait))

    @contextmanager
    def place(self, door: Door) -> Iterator[CapacityLimiter]:
        """Yield the threads in which a request of a stranger runs or waits. Raises StrangersBusy."""
        lane = self._looks if door.act is None else self._acts
        if lane.is_full:
            raise refused(door.act, door.path, "busy", StrangersBusy())
        lane.served += 1
        try:
            with at_door(door.path):
                yield lane.threads
        finally:
            lane.served -= 1
