"""Counts and logs the requests that a listener could not read."""

import logging
import time
from collections.abc import Callable
from typing import Final

from trackyard.base.metrics import REFUSED_REQUESTS

_PAUSE_S: Final = 1.0
"""Least seconds between two lines of the log."""


class Refusals:
    """Counts every refused request and logs it, at most one a second.

    listener: "tracking" or "api"
    now: seconds that never decrease
    """

    def __init__(self, log: logging.Logger, listener: str, now: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._listener = listener
        self._now = now
        self._quiet_until = 0.0
        self._unlogged = 0

    def add(self, status: int, reason: str, address: str, line: str) -> None:
        """Count a refused request.

        reason: the reason in plain words
        address: the peer's IP address
        line: the beginning of the request, without control characters and secrets
        """
        REFUSED_REQUESTS.labels(self._listener, status).inc()
        now = self._now()
        if now < self._quiet_until:
            self._unlogged += 1
            return
        fields = {"status": status, "reason": reason, "address": address, "line": line, "not_logged": self._unlogged}
        self._quiet_until, self._unlogged = now + _PAUSE_S, 0
        self._log.warning("request not read", extra=fields)
