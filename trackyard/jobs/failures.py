"""Failures of jobs: how they are logged, and how long a job waits before it tries again."""

import logging
import time
from collections.abc import Callable
from typing import Final

from trackyard.base.errors import Unavailable
from trackyard.base.metrics import TASK_FAILURES
from trackyard.store.engine.database import TransactionFailure, classify_failure

_REPEAT_S: Final = 600.0
"""Seconds in which a failure at the same place is logged once."""


class JobFailures:
    """The failures of one job. Not safe to use from several threads.

    part, task: as in trackyard_task_failures_total.
    first_s, most_s: pause after the first failure, which doubles with each further one, and the longest pause.
    A lost database is logged by its component (base/logs/outages.py), so here only for DEBUG.
    """

    def __init__(
        self,
        log: logging.Logger,
        part: str,
        task: str,
        *,
        first_s: float = 1.0,
        most_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._task = task
        self._counter = TASK_FAILURES.labels(part, task)  # which is shown from now on, as 0
        self._first_s, self._most_s = first_s, most_s
        self._clock = clock
        self._logged_at: dict[tuple[object, ...], float] = {}
        self._is_logged = False
        self.count = 0

    def failed(self, error: Exception) -> float:
        """Log a failure; return the seconds to wait."""
        self._counter.inc()
        pause = min(self._first_s * 2.0 ** min(self.count, 20), self._most_s)
        self.count += 1
        place, now = _place_of(error), self._clock()
        is_new = now - self._logged_at.get(place, -_REPEAT_S) >= _REPEAT_S
        level = logging.ERROR if is_new and not is_outage(error) else logging.DEBUG
        if level == logging.ERROR:
            self._logged_at = {each: at for each, at in self._logged_at.items() if now - at < _REPEAT_S} | {place: now}
            self._is_logged = True
        self._log.log(level, "job failed", exc_info=error, extra={"task": self._task, "retry_s": pause})
        return pause

    def worked(self) -> None:
        """Note that the job did its work; this is logged when its failure was."""
        if self._is_logged:
            self._log.info("job works again", extra={"task": self._task, "failures": self.count})
        self.count, self._is_logged = 0, False


def is_outage(error: Exception) -> bool:
    """Return whether a store was away, which its component logs."""
    return isinstance(error, Unavailable) or classify_failure(error) is TransactionFailure.UNAVAILABLE


def _place_of(error: Exception) -> tuple[object, ...]:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = () if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return (type(error), *where)
