"""Look at the causes of alerts, and open and close them (docs/spec/alerts.md#opening-and-closing)."""

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.failures import refusal_of
from trackyard.actions.platform.alerts.keeping import forget_old, keep_alerts
from trackyard.actions.platform.alerts.looks import (
    look_at_books,
    look_at_checks,
    look_at_lags,
    look_at_machines,
    look_at_statistics,
)
from trackyard.base.metrics import ALERTS
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import Severity
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.jobs.failures import JobFailures
from trackyard.jobs.schedule.rules import SETTLE_MS
from trackyard.jobs.turns import JobTurns

EVERY_S: Final = 60.0
CHECKS_MS: Final = 600_000
"""How often the checks of the machine are looked at: they ask hosts."""
_FORGET_MS: Final = 3_600_000
_RETRY_MS: Final = 600_000
"""How long statistics wait after a look that failed: their reports may be heavy."""

log = logging.getLogger("trackyard.alerts")


class AlertWatcher:
    """Look until stopped. Each machine looks at itself; of several one looks at what they share.

    host: the name of this machine.
    """

    def __init__(self, deps: Deps, host: str) -> None:
        self._deps = deps
        self._host = host
        self._turns = JobTurns(deps.database, deps.clock)
        self._failures: dict[str, JobFailures] = {}
        self._checked_at, self._judged_until, self._forgot_at, self._retry_at = 0, 0, 0, 0

    def run(self, stop: threading.Event, pause_seconds: float = EVERY_S) -> None:
        """Look each minute until `stop` is set. A look that fails is logged, and changes no alert."""
        failures = JobFailures(log, "alerts", "looks")
        pause = pause_seconds
        while not stop.wait(pause):
            try:
                self.look()
                pause = pause_seconds
                failures.worked()
            except Exception as error:
                pause = max(pause_seconds, failures.failed(error))

    def look(self) -> None:
        """Look at everything that is due."""
        now = self._deps.clock.now_ms()
        self._keep(f"lags of {self._host}", partial(look_at_lags, self._deps, self._host))
        if not 0 <= now - self._checked_at < CHECKS_MS:
            self._checked_at = now
            self._keep(f"checks of {self._host}", partial(look_at_checks, self._deps, self._host))
        turn = self._turns.take("alerts", round(EVERY_S * 1000))
        if turn is None:
            return
        try:
            self._look_at_shared(now)
        finally:
            self._turns.end(turn, now + round(EVERY_S * 1000) // 2)

    def _look_at_shared(self, now: int) -> None:
        """Look at what all machines have: the SQL database, and once an hour the statistics."""
        self._keep("books", partial(look_at_books, self._deps))
        self._keep("machines", partial(look_at_machines, self._deps))
        lag_ms = round(self._deps.machine().lags.get("journal", 0.0) * 1000)
        settled = now - SETTLE_MS - lag_ms
        hour = settled - settled % HOUR_MS
        if hour > self._judged_until and now >= self._retry_at:
            if self._keep("statistics", partial(look_at_statistics, self._deps, settled)):
                self._judged_until = hour
            else:
                self._retry_at = now + _RETRY_MS
        if not 0 <= now - self._forgot_at < _FORGET_MS:
            self._forgot_at = now
            forget_old(self._deps)

    def _keep(self, source: str, look: Callable[[], Sequence[SeenCause]]) -> bool:
        """Look at a source, and store what changed; return whether that worked."""
        failures = self._failures.setdefault(source, JobFailures(log, "alerts", source.partition(" ")[0]))
        try:
            opened, closed = keep_alerts(self._deps, source, look())
        except Exception as error:
            if refusal_of(error) is None:
                failures.failed(error)
            return False
        failures.worked()
        for alert in opened:
            ALERTS.labels(alert.kind.value, "opened").inc()
            level = logging.ERROR if alert.severity is Severity.ERROR else logging.WARNING
            log.log(level, "alert opened", extra={"alert": alert.id, "kind": alert.finding.value, "of": alert.subject})
        for alert in closed:
            ALERTS.labels(alert.kind.value, "closed").inc()
            log.info("alert closed", extra={"alert": alert.id, "kind": alert.finding.value, "of": alert.subject})
        return True
