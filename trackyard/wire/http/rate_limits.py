"""Rate limits of callers (docs/spec/api-conventions.md#rate-limits), counted in this process.

One process of a machine serves the API. Everything runs in its event loop, so nothing is locked.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor
from typing import Final, NamedTuple, Protocol, TypeVar

from trackyard.base.errors import TooManyRequests
from trackyard.domain.tracking.ip_lists import find_packed

T = TypeVar("T")

MonotonicClock = Callable[[], float]
"""Returns seconds that never decrease."""

MAX_NAMES: Final = 50_000
"""Callers, networks and keys that are remembered; the least recent ones are forgotten first."""

_IPV4_BYTES: Final = 4
_IPV4_NETWORK: Final = 24
_IPV6_NETWORK: Final = 48

WRONG_KEYS_PER_SECOND: Final = 50
WRONG_KEYS_SECONDS: Final = 10
"""An address that sends more wrong keys a second, for so many seconds, is then limited to this rate."""


@dataclass(frozen=True, slots=True)
class ApiLimits:
    """The limits of one caller, whatever the number of its keys.

    burst: calls at once after a pause.
    reports: that run at once.
    strangers_per_second, strangers_burst: of one network in methods for anyone.
    """

    per_second: int = 50
    burst: int = 100
    reports: int = 4
    strangers_per_second: int = 2
    strangers_burst: int = 20

    def of_strangers(self) -> "ApiLimits":
        """Return the limits of one network in methods for anyone, which are never above those of a caller."""
        return ApiLimits(min(self.per_second, self.strangers_per_second), min(self.burst, self.strangers_burst))


class RateLimitStatus(NamedTuple):
    """The state of a caller's rate limit.

    remaining: calls that it may make at once.
    reset: seconds until that is `limit` again.
    wait: seconds until it may call; 0 = now.
    """

    limit: int
    remaining: int
    reset: int
    wait: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers of every answer, as ASGI writes them."""
        fields = (b"limit", self.limit), (b"remaining", self.remaining), (b"reset", self.reset)
        return [(b"x-ratelimit-" + name, b"%d" % value) for name, value in fields]


class Limiter(Protocol):
    """Counts requests by name: of a caller, or of a network in methods for anyone."""

    def peek(self, name: str) -> RateLimitStatus:
        """Return the state of a name without counting a call."""

    def take(self, name: str) -> RateLimitStatus:
        """Return the state of a name after one more call. A call that has to wait is not counted."""


class RateLimiter:
    """The limiter of one process: a bucket of tokens for each name."""

    def __init__(self, limits: ApiLimits, seconds: MonotonicClock = time.monotonic) -> None:
        self._limits = limits
        self._seconds = seconds
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when there were so many

    def peek(self, name: str) -> RateLimitStatus:
        """Return the state of a name without counting a call."""
        return self._status(self._tokens(name))

    def take(self, name: str) -> RateLimitStatus:
        """Return the state of a name after one more call. A call that has to wait is not counted."""
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


def wide_network_of(address: str) -> str:
    """Return the network by which strangers are counted: /24 of IPv4, /48 of IPv6.

    One host may have every address of it.
    """
    packed = find_packed(address.strip())
    if packed is None:
        return address
    length = _IPV4_NETWORK if len(packed) == _IPV4_BYTES else _IPV6_NETWORK
    return f"{packed[: length // 8].hex()}/{length}"


class ReportLimiter:
    """The number of reports that each caller is running."""

    def __init__(self, limits: ApiLimits) -> None:
        self._max_reports = limits.reports
        self._running: dict[str, int] = {}

    @contextmanager
    def slot(self, name: str) -> Iterator[None]:
        """Count a report while the block runs. Raises TooManyRequests."""
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
    """Counts wrong keys by address, since a flood of them must not flood the database.

    Keys that called recently are known, by their digests.
    """

    def __init__(self, seconds: MonotonicClock = time.monotonic) -> None:
        self._seconds = seconds
        self._floods: OrderedDict[str, tuple[int, int, int]] = OrderedDict()  # second, keys in it, seconds before
        self._right = OrderedDict[str, None]()

    def knows(self, key_digest: str) -> bool:
        """Return whether a key called recently."""
        return key_digest in self._right

    def accept(self, key_digest: str) -> None:
        """Remember the right key of a call."""
        self._right[key_digest] = None
        _forget_oldest(self._right, key_digest)

    def over(self, address: str) -> bool:
        """Return whether the next wrong key of an address is refused without a look-up."""
        _, keys, flood = self._now(address)
        return flood >= WRONG_KEYS_SECONDS and keys >= WRONG_KEYS_PER_SECOND

    def count(self, address: str) -> None:
        """Count a wrong key."""
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


def _forget_oldest(names: OrderedDict[str, T], name: str) -> None:
    names.move_to_end(name)
    if len(names) > MAX_NAMES:
        names.popitem(last=False)
