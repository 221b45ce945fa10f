"""Limits on what strangers have recorded (docs/spec/tracking.md#limits-of-records).

An accepted click is never subject to them.
"""

from typing import Final

from trackyard.base.rate_limits import Limiter, RateLimit, RateLimiter
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.edge.counters import Counters
from trackyard.edge.http.client_address import TrustedNetworks

MIN_FREE_SHARE: Final = 0.1
"""Share of the disk that must be free, or rejected clicks and postbacks of unknown clicks are not recorded."""
DEFAULT_RATE: Final = RateLimit(per_second=20, burst=2000)


class RecordLimits:
    """Decides by network whether a rejected click, or a postback of an unknown click, is recorded.

    is_disk_low: less than MIN_FREE_SHARE of the disk is free
    """

    def __init__(self, trusted: TrustedNetworks, counters: Counters, rate: RateLimit = DEFAULT_RATE) -> None:
        self.is_disk_low = False
        self._trusted = trusted
        self._counters = counters
        self._rejected: Limiter = RateLimiter(rate)
        self._unknown: Limiter = RateLimiter(rate)

    def admits_rejected(self, address: str, kind: str = "click") -> bool:
        """Return whether a rejected click or impression is recorded, and count one that is not."""
        if self._admits(self._rejected, address):
            return True
        self.count_dropped(kind)
        return False

    def admits_unknown(self, address: str) -> bool:
        """Return whether a postback is recorded although its click may be unknown."""
        return self._admits(self._unknown, address)

    def count_dropped(self, kind: str) -> None:
        """Count a request that was answered and not recorded. kind: click, impression or postback."""
        self._counters.unrecorded[kind] += 1

    def _admits(self, limiter: Limiter, address: str) -> bool:
        if self.is_disk_low:
            return False
        return self._trusted.trusts_text(address) or limiter.take(wide_network_of(address)).wait == 0
