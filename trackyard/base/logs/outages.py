"""Components that are lost and come back: one line of the log for each change."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from trackyard.base.metrics import OUTAGES

_STEADY_S: Final = 2.0
"""A component is back when it works and has not failed for so long."""

_log = logging.getLogger("trackyard.outages")


class Component:
    """Something that this process needs, such as a database. Safe to use from several threads.

    name: in the log.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._lost = False
        self._needs_write = False
        self._failures = 0
        self._lost_at = self._failed_at = 0.0

    def failed(self, error: BaseException, *, writing: bool = False) -> None:
        """Note a failed access; the first one is logged. writing: it may still be possible to read."""
        with self._lock:
            is_first, self._lost = not self._lost, True
            self._needs_write = writing and (is_first or self._needs_write)
            self._failed_at = self._clock()
            if is_first:
                self._failures, self._lost_at = 0, self._failed_at
            self._failures += 1
        if is_first:
            OUTAGES.labels(self._name).inc()
            _log.warning("component lost", extra={"component": self._name, "error": first_line(error)})
        _log.debug("component failed", exc_info=error, extra={"component": self._name})

    def worked(self, *, writing: bool = False) -> None:
        """Note an access that succeeded; the first one after a failure is logged."""
        if not self._lost:
            return
        with self._lock:
            now = self._clock()
            if not self._lost or now - self._failed_at < _STEADY_S or (self._needs_write and not writing):
                return
            self._lost = False
            fields = {"seconds": round(now - self._lost_at, 1), "failures": self._failures}
        _log.info("component back", extra={"component": self._name, **fields})


def first_line(error: BaseException) -> str:
    """Return the first line of an error, for a line of the log or a sentence."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")
