"""How often one key may call (docs/spec/api-conventions.md#rate-limits). Counted in this process: a machine has one
that serves the API.

Used from the event loop alone, so nothing here is locked.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor
from typing import Final, NamedTuple

from trackyard.base.errors import TooManyRequests

MonotonicClock = Callable[[], float]
"""A clock that never goes back."""

MAX_NAMES: Final = 50_000
"""Keys and addresses that are remembered; beyond, those that called longest ago are forgotten."""

WRONG_KEYS_PER_SECOND: Final = 50
WRONG_KEYS_SECONDS: Final = 10
"""An address that sends more wrong keys a second than this, for so many seconds, is held to it from then on."""


@dataclass(frozen=True, slots=True)
class ApiLimits:
    """What one key may do. burst: calls at once after a pause · reports: that run at once."""

    per_second: int = 50
    burst: int = 100
    reports: int = 4


class RateLimitStatus(NamedTuple):
    """Where a key stands. remaining: calls that it may make at once · reset: seconds until that is `limit` again ·
    wait: seconds until it may call, 0 when it may now."""

    limit: int
    remaining: int
    reset: int
    wait: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        """What every answer says of it, as ASGI writes headers."""
        fields = (b"limit", self.limit), (b"remaining", self.remaining), (b"reset", self.reset)
        return [(b"x-ratelimit-" + name, b"%d" % value) for name, value in fields]


class RateLimiter:
    """A bucket of tokens for each name (a key, or an address where none is asked for). A call takes one."""

    def __init__(self, limits: ApiLimits, seconds: MonotonicClock = time.monotonic) -> None:
        self._limits = limits
        self._seconds = seconds
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when there were so many

    def knows(self, name: str) -> bool:
        """Whether it called lately."""
        return name in self._buckets

    def peek(self, name: str) -> RateLimitStatus:
        """Where a name stands; nothing is taken."""
        return self._status(self._tokens(name))

    def take(self, name: str) -> RateLimitStatus:
        """Where a name stands after one more call. A call that has to wait takes nothing."""
        tokens = self._tokens(name)
        status = self._status(tokens - 1 if tokens >= 1 else tokens)
        wait = 0 if tokens >= 1 else ceil((1 - tokens) / self._limits.per_second)
        self._buckets[name] = (tokens if wait else tokens - 1, self._seconds())
        _forget_oldest(self._buckets, name)
        return status._replace(wait=wait)

    def _tokens(self, name: str) -> float:
        limits = self._limits
        tokens, since = self._buckets.get(name, (limits.burst, 0.0))
        return min(float(limits.burst), tokens + (self._seconds() - since) * limits.per_second)

    def _status(self, tokens: float) -> RateLimitStatus:
        limits = self._limits
        return RateLimitStatus(limits.burst, floor(tokens), ceil((limits.burst - tokens) / limits.per_second), 0)


class ReportLimiter:
    """How many reports each key has running."""

    def __init__(self, limits: ApiLimits) -> None:
        self._max_reports = limits.reports
        self._running: dict[str, int] = {}

    @contextmanager
    def slot(self, name: str) -> Iterator[None]:
        """A report that runs as long as the block. Raises TooManyRequests."""
        running = self._running.get(name, 0)
        if running >= self._max_reports:
            raise TooManyRequests(1, code="too_many_reports")
        self._running[name] = running + 1
        try:
            yield
        finally:
            self._running[name] -= 1
            if not self._running[name]:
                del self._running[name]


class WrongKeyLimiter:
    """Wrong keys by address: a flood of them must not become a flood of look-ups."""

    def __init__(self, seconds: MonotonicClock = time.monotonic) -> None:
        self._seconds = seconds
        self._floods: OrderedDict[str, tuple[int, int, int]] = OrderedDict()  # second, keys in it, seconds before

    def over(self, address: str) -> bool:
        """Whether the address has been over the rate for so long that its next wrong key need not be looked up."""
        _, keys, flood = self._now(address)
        return flood >= WRONG_KEYS_SECONDS and keys >= WRONG_KEYS_PER_SECOND

    def count(self, address: str) -> None:
        """One more wrong key."""
        second, keys, flood = self._now(address)
        self._floods[address] = (second, keys + 1, flood)
        _forget_oldest(self._floods, address)

    def _now(self, address: str) -> tuple[int, int, int]:
        now = int(self._seconds())
        second, keys, flood = self._floods.get(address, (now, 0, 0))
        if second == now:
            return second, keys, flood
        lasted = second == now - 1 and keys > WRONG_KEYS_PER_SECOND
        return now, 0, flood + 1 if lasted else 0


def _forget_oldest(
    names: OrderedDict[str, tuple[float, float]] | OrderedDict[str, tuple[int, int, int]], name: str
) -> None:
    names.move_to_end(name)
    if len(names) > MAX_NAMES:
        names.popitem(last=False)
