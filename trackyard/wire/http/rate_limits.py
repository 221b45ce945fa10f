"""Rate limits of callers (docs/spec/api-conventions.md#rate-limits).

They are counted in this process, and `take_shared` counts them for all machines. One process of a machine serves the
API. Everything runs in its event loop, so nothing is locked.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import TooManyRequests
from trackyard.base.rate_limits import Limiter, MonotonicClock, RateLimit, RateLimitStatus, forget_oldest

WRONG_KEYS_PER_SECOND: Final = 50
WRONG_KEYS_SECONDS: Final = 10
"""An address that sends more wrong keys a second, for so many seconds, is then limited to this rate."""


@dataclass(frozen=True, slots=True)
class ApiLimits(RateLimit):
    """The limits of one caller, whatever the number of its keys.

    burst: calls at once after a pause.
    reports: that run at once.
    strangers_per_second, strangers_burst: of one network in methods for anyone.
    pages_per_second, pages_burst: of one network, in probes, in files and pages, and in refused requests, each.
    """

    per_second: int = 50
    burst: int = 100
    reports: int = 4
    strangers_per_second: int = 2
    strangers_burst: int = 20
    pages_per_second: int = 50
    pages_burst: int = 500

    def of_pages(self) -> RateLimit:
        """Return the rate of one network in probes, in files and pages, or in refused requests."""
        return RateLimit(self.pages_per_second, self.pages_burst)

    def of_strangers(self) -> RateLimit:
        """Return the rate of one network in methods for anyone, never above the rate of a caller."""
        return RateLimit(min(self.per_second, self.strangers_per_second), min(self.burst, self.strangers_burst))


def rate_headers(status: RateLimitStatus) -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer, as ASGI writes them."""
    fields = (b"limit", status.limit), (b"remaining", status.remaining), (b"reset", status.reset)
    return [(b"x-ratelimit-" + name, b"%d" % value) for name, value in fields]


class SharedLimits(Protocol):
    """What the APIs of all machines count together (wire/limits/redis_limits.py)."""

    async def take(self, group: str, rate: RateLimit, name: str) -> RateLimitStatus | None:
        """Return the state of a name after it acted once more, on any machine; None = it is not known."""

    async def begin_report(self, name: str, most: int) -> Callable[[], None] | None:
        """Begin a report of a caller; return what ends it, None = it is not known. Raises TooManyRequests."""

    async def close(self) -> None:
        """Close the connections."""


async def take_shared(
    limiter: Limiter, shared: SharedLimits | None, group: str, rate: RateLimit, name: str
) -> RateLimitStatus:
    """Count a call here and on all machines; here alone while what they share is away.

    What has to wait here has to wait everywhere, and is not asked about.
    """
    here = limiter.take(name)
    if here.wait or shared is None:
        return here
    return await shared.take(group, rate, name) or here


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
            raise TooManyRequests(1, code=ErrorCode.TOO_MANY_REPORTS)
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
        forget_oldest(self._right, key_digest)

    def over(self, address: str) -> bool:
        """Return whether the next wrong key of an address is refused without a look-up."""
        _, keys, flood = self._now(address)
        return flood >= WRONG_KEYS_SECONDS and keys >= WRONG_KEYS_PER_SECOND

    def count(self, address: str) -> None:
        """Count a wrong key."""
        second, keys, flood = self._now(address)
        self._floods[address] = (second, keys + 1, flood)
        forget_oldest(self._floods, address)

    def _now(self, address: str) -> tuple[int, int, int]:
        now = int(self._seconds())
        second, keys, flood = self._floods.get(address, (now, 0, 0))
        if second == now:
            return second, keys, flood
        lasted = second == now - 1 and keys > WRONG_KEYS_PER_SECOND
        return now, 0, flood + 1 if lasted else 0
