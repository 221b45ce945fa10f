"""Hosts that hang or fail: how long a request to one may take, and when one is asked again.

docs/spec/postbacks.md#hosts-that-do-not-answer. All of it is kept for each host and affiliate: what one affiliate's
part of a shared host does delays no other affiliate's. It is memory of one worker.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from trackyard.base.metrics import DELIVERY_HOSTS
from trackyard.domain.tracking.outbound_calls import Destination
from trackyard.outbound.results import HttpResult

SHORT_SECONDS: Final = 3.0
"""How long a request may take after one that had its whole time for nothing."""

SHORT_FOR_SECONDS: Final = 60.0
"""How long that is so; then a request has its whole time again, as a slow host must be found to answer."""

MAX_FAILED_IN_ROW: Final = 20
"""This many failed attempts in a row pause a destination."""

FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 30.0
"""A pause is twice as long as the one before, up to this."""

FORGOTTEN_AFTER_SECONDS: Final = 600.0
"""What is known of a destination is forgotten this long after its last attempt."""

MAX_KNOWN: Final = 1_000
"""Destinations with a failure that are remembered."""

log = logging.getLogger("trackyard.deliveries")


@dataclass(slots=True)
class _Failures:
    """The failures of a destination since its last answer; times are seconds of the given clock.

    in_row: failed attempts. last_at: when the last one ended. is_hanging: one had its whole time for nothing;
    short_until: until when its requests have a short time. pauses: how many there were; paused_until: end of the last.
    """

    in_row: int = 0
    last_at: float = 0.0
    is_hanging: bool = False
    short_until: float = 0.0
    pauses: int = 0
    paused_until: float = 0.0


class HostHealth:
    """The destinations with failures since their last answer.

    seconds: the whole time of a request. now: a clock that never goes back.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._failing: dict[Destination, _Failures] = {}  # the one with the oldest attempt first
        self._count_states()

    @property
    def hanging(self) -> list[Destination]:
        """Return the destinations where a request had its whole time for nothing."""
        return [destination for destination, failures in self._failing.items() if failures.is_hanging]

    @property
    def paused(self) -> list[Destination]:
        """Return the destinations that are not asked now."""
        now = self._now()
        return [destination for destination, failures in self._failing.items() if failures.paused_until > now]

    def is_hanging(self, destination: Destination) -> bool:
        """Return whether a request had its whole time for nothing."""
        failures = self._failing.get(destination)
        return failures is not None and failures.is_hanging

    def is_paused(self, destination: Destination) -> bool:
        """Return whether a destination is not asked now."""
        failures = self._failing.get(destination)
        return failures is not None and failures.paused_until > self._now()

    def time_for(self, destination: Destination) -> float:
        """Return how many seconds the next request may take."""
        failures = self._failing.get(destination)
        if failures is not None and failures.short_until > self._now():
            return min(SHORT_SECONDS, self._seconds)
        return self._seconds

    def record(self, destination: Destination, answer: HttpResult, allowed: float) -> None:
        """Note the result of a request. allowed: the seconds that it had."""
        failures = self._failing.pop(destination, None)
        if not answer.is_retryable:
            if failures is not None and (failures.is_hanging or failures.pauses):
                self._report("delivery host answers", destination, failures)
            return
        if failures is None:
            failures = _Failures()
        self._failing[destination] = failures
        failures.in_row += 1
        failures.last_at = self._now()
        if answer.is_late and allowed >= self._seconds:
            self._shorten(destination, failures)
        if failures.in_row >= MAX_FAILED_IN_ROW and failures.paused_until <= failures.last_at:
            self._pause(destination, failures)
        self._forget_old()

    def _shorten(self, destination: Destination, failures: _Failures) -> None:
        failures.short_until = failures.last_at + SHORT_FOR_SECONDS
        if not failures.is_hanging:
            failures.is_hanging = True
            self._report("delivery host hangs", destination, failures)

    def _pause(self, destination: Destination, failures: _Failures) -> None:
        pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(failures.pauses, 10))
        failures.paused_until = failures.last_at + pause
        failures.pauses += 1
        if failures.pauses == 1:
            self._report("delivery host paused", destination, failures)

    def _forget_old(self) -> None:
        """Forget destinations without an attempt for a while, and the oldest of too many."""
        before = self._now() - FORGOTTEN_AFTER_SECONDS
        while self._failing:
            oldest = next(iter(self._failing))
            failures = self._failing[oldest]
            if failures.last_at >= before and len(self._failing) <= MAX_KNOWN:
                return
            del self._failing[oldest]
            if failures.is_hanging or failures.pauses:
                self._report("delivery host forgotten", oldest, failures)

    def _report(self, event: str, destination: Destination, failures: _Failures) -> None:
        """Log that the state of a destination changed, and count the states."""
        fields = {"host": destination.host, "affiliate_id": destination.affiliate_id, "failed": failures.in_row}
        log.info(event, extra=fields)
        self._count_states()

    def _count_states(self) -> None:
        DELIVERY_HOSTS.labels("hanging").set(len(self.hanging))
        DELIVERY_HOSTS.labels("paused").set(sum(failures.pauses > 0 for failures in self._failing.values()))
