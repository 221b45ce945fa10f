"""Run the rules that watch the statistics, each once an hour (docs/spec/automation.md#when-rules-run)."""

import logging
import time
from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.statistics.automation.running import run_rule
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import Clock
from trackyard.base.metrics.watching import RULE_FIRINGS, RULE_RUNS
from trackyard.base.zones import find_zone
from trackyard.domain.statistics.automation.rules import Rule
from trackyard.domain.statistics.automation.windows import HOUR_MS, last_window
from trackyard.jobs.turns import LOOK_SECONDS, JobTurns
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings
from trackyard.store.statistics import automation

SETTLE_MS: Final = 90_000
"""How long after the end of an hour its clicks and conversions may still be loaded."""
_TIME_SHARE: Final = 4
"""Rules may take one part in this many of the projector's time."""
_MOST_PAUSE_MS: Final = 300_000
_RETRY_MS: Final = 300_000
"""How long a rule waits after an unexpected error."""

log = logging.getLogger("trackyard.rules")


class RuleRunner:
    """Run one rule at a time. Of several machines one does it, and a repeat changes nothing.

    lag_ms: how far the loading of journals is behind.
    """

    def __init__(self, database: Database, analytics: Analytics, clock: Clock, lag_ms: Callable[[], int]) -> None:
        self._database = database
        self._analytics = analytics
        self._clock = clock
        self._lag_ms = lag_ms
        self._turns = JobTurns(database, clock)
        self._looked_at, self._pause_ms = 0, 0
        self._retry_at: dict[str, int] = {}

    def run_next(self) -> bool:
        """Run the rule that waits the longest when it is time; return False, since nothing is urgent."""
        now = self._clock.now_ms()
        if 0 <= now - self._looked_at < self._pause_ms:
            return False
        self._looked_at, self._pause_ms = now, int(LOOK_SECONDS * 1000)
        settled = now - SETTLE_MS - max(0, self._lag_ms())
        if self._find_due(settled) is None:
            return False
        turn = self._turns.take("automation", 0)
        if turn is not None:
            begun = time.monotonic()
            try:
                self.run_one(settled)
            finally:
                self._turns.end(turn, now)
            self._pause_ms = min(int((time.monotonic() - begun) * 1000 * _TIME_SHARE), _MOST_PAUSE_MS)
        return False

    def run_one(self, settled_ms: int) -> bool:
        """Run the rule that waits the longest on the window before a time; return whether there was one."""
        rule = self._find_due(settled_ms)
        if rule is None:
            return False
        with self._database.read() as conn:
            zone = find_zone(settings.find_setting(conn, settings.TIMEZONE) or "UTC") or ZoneInfo("UTC")
        window = last_window(rule.hours, settled_ms)
        try:
            run = run_rule(self._database, self._analytics, rule, window, zone, self._clock.now_ms())
        except Exception as error:  # the others have their turn meanwhile
            self._retry_at[rule.id] = self._clock.now_ms() + _RETRY_MS
            self._note_error(rule, error)
            raise
        RULE_RUNS.labels("failed" if run.failure else "judged").inc()
        RULE_FIRINGS.labels(rule.action.value).inc(run.fired)
        if run.failure:
            log.warning("rule not run", extra={"rule": rule.id, "reason": run.failure})
        elif run.fired:
            log.info("rule fired", extra={"rule": rule.id, "firings": run.fired, "action": rule.action.value})
        return True

    def _find_due(self, settled_ms: int) -> Rule | None:
        now = self._clock.now_ms()
        self._retry_at = {key: at for key, at in self._retry_at.items() if now < at <= now + _RETRY_MS}
        with self._database.read() as conn:
            return automation.find_due(conn, settled_ms - settled_ms % HOUR_MS, [*self._retry_at])

    def _note_error(self, rule: Rule, error: Exception) -> None:
        failure = f"Its run ended with an error ({type(error).__name__}) and is repeated; the log says more."
        RULE_RUNS.labels("failed").inc()
        with self._database.write() as conn:
            automation.set_judged(conn, rule.id, rule.judged_until, failure)
