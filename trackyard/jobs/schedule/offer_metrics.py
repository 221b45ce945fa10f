"""Figures of offers, kept beside them: cr and epc of all traffic of the last 30 days for lists
(docs/spec/statistics.md#rates), and
the EPC of 7 days that SmartLinks choose by (docs/spec/tracking.md#smartlinks)."""

import time
from decimal import Decimal
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.metrics import TOTAL
from trackyard.analytics.reports.query import Report
from trackyard.analytics.reports.reports import StatsRow, run_report
from trackyard.base.clock import Clock
from trackyard.base.money import ZERO, rounded
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Database
from trackyard.store.offers import metrics as offer_metrics
from trackyard.store.offers import smartlinks
from trackyard.store.offers.metrics import Figures
from trackyard.store.tracking import rulesets

PERIOD_MS: Final = 30 * 86_400_000
WEEK_MS: Final = 7 * 86_400_000
_EVERY_MS: Final = 60_000
_SHARE: Final = 20
"""The report may take one part in so many of the projector's time."""
_CHUNK: Final = 200
_OFFERS: Final = 1_000_000


class OfferFigures:
    """Refreshes the figures every minute, less often where the report takes long. Can be repeated at any place."""

    def __init__(self, database: Database, analytics: Analytics, clock: Clock) -> None:
        self._database = database
        self._analytics = analytics
        self._clock = clock
        self._asked_at = 0
        self._pause_ms = 0

    def refresh_when_due(self) -> bool:
        """Refreshes when the last time is long enough ago. Never says that there is more to do."""
        now = self._clock.now_ms()
        if 0 <= now - self._asked_at < self._pause_ms:
            return False
        begun = time.monotonic()
        self.refresh()
        self._asked_at = now
        self._pause_ms = max(_EVERY_MS, int((time.monotonic() - begun) * 1000 * _SHARE))
        return False

    def refresh(self) -> int:
        """Writes the figures that changed, a few in a transaction; how many."""
        now = self._clock.now_ms()
        week = {offer_id: _week_epc(row) for offer_id, row in self._rows(now - WEEK_MS, now).items()}
        today = {
            offer_id: Figures(row.cr(), row.epc, week.get(offer_id, ZERO))
            for offer_id, row in self._rows(now - PERIOD_MS, now).items()
        }
        with self._database.read() as conn:
            stored = offer_metrics.list_figures(conn)
        nothing = Figures(ZERO, ZERO, ZERO)
        changed = {
            offer_id: new
            for offer_id in today.keys() | stored.keys()
            if (new := today.get(offer_id, nothing)) != stored.get(offer_id, nothing)
        }
        ids = sorted(changed)
        for start in range(0, len(ids), _CHUNK):
            some = {id_: changed[id_] for id_ in ids[start : start + _CHUNK]}
            moved = [id_ for id_, new in some.items() if new.week_epc != stored.get(id_, nothing).week_epc]
            with self._database.write() as conn:
                offer_metrics.write_figures(conn, some)
                rulesets.touch_all(conn, smartlinks.KIND, smartlinks.list_of_offers(conn, moved))
        return len(ids)

    def _rows(self, since: int, until: int) -> dict[int, StatsRow]:
        report = Report(Scope.everything(), since, until, ("offer",), limit=_OFFERS)
        return {int(row.keys["offer"]): row for row in run_report(self._analytics, report).rows}


def _week_epc(row: StatsRow) -> Decimal:
    """Payouts of conversions that are not declined, a click."""
    earned = row.actions[TOTAL].payouts - row.actions["declined"].payouts
    return rounded(earned / row.raw) if row.raw else ZERO
