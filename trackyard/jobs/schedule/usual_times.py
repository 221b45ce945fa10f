"""Refresh the usual times from click to conversion, by which new conversions are judged.

docs/spec/quality.md#conversions. The worker has no analytic store, so SQL has them.
"""

import logging
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.health import list_usual_times
from trackyard.base.clock import Clock
from trackyard.jobs.turns import LOOK_SECONDS, JobTurns
from trackyard.store.engine.database import Database
from trackyard.store.statistics.usual_times import get_all, write_usual_times

EVERY_MS: Final = 3_600_000

log = logging.getLogger("trackyard.usual_times")


class UsualTimesRefresher:
    """Refreshes the usual times once an hour, on one of several machines. A repeat changes nothing."""

    def __init__(self, database: Database, analytics: Analytics, clock: Clock) -> None:
        self._database = database
        self._analytics = analytics
        self._clock = clock
        self._turns = JobTurns(database, clock)
        self._looked_at, self._pause_ms = 0, 0

    def refresh_when_due(self) -> bool:
        """Refresh when it is time; return False, since nothing is urgent."""
        now = self._clock.now_ms()
        if 0 <= now - self._looked_at < self._pause_ms:
            return False
        self._looked_at, self._pause_ms = now, int(LOOK_SECONDS * 1000)
        turn = self._turns.take("usual times", EVERY_MS)
        if turn is not None:
            next_at = now
            try:
                self.refresh()
                self._pause_ms, next_at = EVERY_MS, now + EVERY_MS
            finally:
                self._turns.end(turn, next_at)
        return False

    def refresh(self) -> int:
        """Write what changed; return how many goals did."""
        found = list_usual_times(self._analytics, self._clock.now_ms())
        with self._database.read() as conn:
            stored = get_all(conn)
        changed = {key: times for key, times in found.items() if stored.get(key) != times}
        gone = stored.keys() - found.keys()
        if changed or gone:
            with self._database.write() as conn:
                write_usual_times(conn, changed, gone)
            log.debug("usual times refreshed", extra={"changed": len(changed), "gone": len(gone)})
        return len(changed) + len(gone)
