"""Refresh the metrics of offers: cr and epc of 30 days, and the EPC of 7 days.

Lists show the former (docs/spec/statistics.md#rates), SmartLinks choose by the latter
(docs/spec/tracking.md#smartlinks).
"""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.reports import run_report
from trackyard.base.clock import Clock
from trackyard.base.money import ZERO, rounded
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import TOTAL, Report, StatsRow
from trackyard.jobs.turns import LOOK_SECONDS, JobTurns
from trackyard.store.engine.database import Database
from trackyard.store.offers import offer_metrics, smartlinks
from trackyard.store.offers.offer_metrics import OfferMetrics
from trackyard.store.tracking import rulesets

MONTH_MS: Final = 30 * 86_400_000
WEEK_MS: Final = 7 * 86_400_000
_EVERY_MS: Final = 60_000
_IDLE_MS: Final = 600_000
_MAX_PAUSE_MS: Final = 3_600_000
_TIME_SHARE: Final = 20
"""The report may take one part in this many of the projector's time."""
_CHUNK: Final = 200
_MAX_OFFERS: Final = 1_000_000


class OfferMetricsRefresher:
    """Refresh the metrics every minute, less often when the report takes long or nothing was loaded.

    Of several machines one does it. A repeat is safe.

    loads: returns how often this machine loaded rows. With SQLite no other machine loads any.
    """

    def __init__(
        self, database: Database, analytics: Analytics, clock: Clock, loads: Callable[[], int] | None = None
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._clock = clock
        self._turns = JobTurns(database, clock)
        self._refreshed_at = 0
        self._pause_ms = 0
        self._loads = loads if database.is_sqlite else None
        self._seen_loads = -1

    def refresh_when_due(self) -> bool:
        """Refresh when it is due. Return False: no further call is urgent."""
        now = self._clock.now_ms()
        loads = self._loads() if self._loads else None
        pause_ms = max(self._pause_ms, _IDLE_MS) if loads == self._seen_loads else self._pause_ms
        if 0 <= now - self._refreshed_at < pause_ms:
            return False
        self._refreshed_at, self._pause_ms = now, int(LOOK_SECONDS * 1000)
        turn = self._turns.take("offer metrics", _MAX_PAUSE_MS)
        if turn is not None:
            begun = time.monotonic()
            try:
                self.refresh()
            except Exception:
                self._refreshed_at = 0
                self._turns.end(turn, now)
                raise
            pause_ms = int((time.monotonic() - begun) * 1000 * _TIME_SHARE)
            self._pause_ms = min(max(_EVERY_MS, pause_ms), _MAX_PAUSE_MS)
            self._turns.end(turn, now + self._pause_ms)
            self._seen_loads = -1 if loads is None else loads
        return False

    def refresh(self) -> int:
        """Write the metrics that changed, a few per transaction; return how many."""
        now = self._clock.now_ms()
        week = {offer_id: _week_epc(row) for offer_id, row in self._rows(now - WEEK_MS, now).items()}
        today = {
            offer_id: OfferMetrics(row.cr(), row.metric("total_epc"), week.get(offer_id, ZERO))
            for offer_id, row in self._rows(now - MONTH_MS, now).items()
        }
        with self._database.read() as conn:
            stored = offer_metrics.get_offer_metrics(conn)
        zero = OfferMetrics(ZERO, ZERO, ZERO)
        changed = {
            offer_id: new
            for offer_id in today.keys() | stored.keys()
            if (new := today.get(offer_id, zero)) != stored.get(offer_id, zero)
        }
        ids = sorted(changed)
        for start in range(0, len(ids), _CHUNK):
            chunk = {id_: changed[id_] for id_ in ids[start : start + _CHUNK]}
            changed_offers = [id_ for id_, new in chunk.items() if new.week_epc != stored.get(id_, zero).week_epc]
            with self._database.write() as conn:
                offer_metrics.write_offer_metrics(conn, chunk)
                rulesets.touch_all(conn, smartlinks.LABEL_KIND, smartlinks.smartlinks_of_offers(conn, changed_offers))
        return len(ids)

    def _rows(self, since: int, until: int) -> dict[int, StatsRow]:
        report = Report(Scope.everything(), since, until, ("offer",), limit=_MAX_OFFERS)
        return {int(row.keys["offer"]): row for row in run_report(self._analytics, report).rows}


def _week_epc(row: StatsRow) -> Decimal:
    """Return the payouts per click of conversions that are not declined."""
    earned = row.actions[TOTAL].payouts - row.actions["declined"].payouts
    return rounded(earned / row.raw) if row.raw else ZERO
