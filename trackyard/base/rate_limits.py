"""The limiter port, and its adapter in the memory of one process: a bucket of tokens for each name.

Everything runs in one event loop, so nothing is locked.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor
from typing import Final, NamedTuple, Protocol, TypeVar

T = TypeVar("T")

MonotonicClock = Callable[[], float]
"""Returns seconds that never decrease."""

MAX_NAMES: Final = 50_000
"""Callers, networks and keys that are remembered; the least recent ones are forgotten first."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit by name.

    burst: at once after a pause.
    """

    per_second: int
    burst: int


class RateLimitStatus(NamedTuple):
    """The state of one name.

    remaining: what it may do at once.
    reset: seconds until that is `limit` again.
    wait: seconds until it may act; 0 = now.
    """

    limit: int
    remaining: int
    reset: int
    wait: int


class Limiter(Protocol):
    """Counts by name, such as a caller's or a network's."""

    def peek(self, name: str) -> RateLimitStatus:
        """Return the state of a name without counting anything."""

    def take(self, name: str) -> RateLimitStatus:
        """Return the state of a name after it acted once more. What has to wait is not counted."""


class RateLimiter:
    """The limiter of one process."""

    def __init__(self, rate: RateLimit, seconds: MonotonicClock = time.monotonic) -> None:
        self._rate = rate
        self._seconds = seconds
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when there were so many

    def peek(self, name: str) -> RateLimitStatus:
        """Return the state of a name without counting anything."""
        return self._status(self._tokens(name))

    def take(self, name: str) -> RateLimitStatus:
        """Return the state of a name after it acted once more. What has to wait is not counted."""
        tokens = self._tokens(name)
        status = self._status(tokens - 1 if tokens >= 1 else tokens)
        wait = 0 if tokens >= 1 else ceil((1 - tokens) / self._rate.per_second)
        self._buckets[name] = (tokens if wait else tokens - 1, self._seconds())
        forget_oldest(self._buckets, name)
        return status._replace(wait=wait)

    def _tokens(self, name: str) -> float:
        rate = self._rate
        tokens, since = self._buckets.get(name, (rate.burst, 0.0))
        return min(float(rate.burst), tokens + (self._seconds() - since) * rate.per_second)

    def _status(self, tokens: float) -> RateLimitStatus:
        rate = self._rate
        return RateLimitStatus(rate.burst, floor(tokens), ceil((rate.burst - tokens) / rate.per_second), 0)


def forget_oldest(names: OrderedDict[str, T], name: str) -> None:
    """Make a name the most recent one, and forget the least recent beyond MAX_NAMES."""
    names.move_to_end(name)
    if len(names) > MAX_NAMES:
        names.popitem(last=False)
