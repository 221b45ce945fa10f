"""cr and epc of offers: all traffic of the last 30 days, kept beside them for lists (behaviour.md §7)."""

import time
from decimal import Decimal
from typing import Final

from trackyard.base.clock import Clock
from trackyard.domain.scope import Scope
from trackyard.stats.engine import Analytics
from trackyard.stats.query import Report
from trackyard.stats.reports import run_report
from trackyard.store import offer_figures
from trackyard.store.engine import Database
from trackyard.store.offer_figures import Figures

PERIOD_MS: Final = 30 * 86_400_000
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
        report = Report(Scope.everything(), now - PERIOD_MS, now, ("offer",), limit=_OFFERS)
        today = {int(row.keys["offer"]): Figures(row.cr, row.epc) for row in run_report(self._analytics, report).rows}
        with self._database.read() as conn:
            stored = offer_figures.list_figures(conn)
        nothing = Figures(Decimal(0), Decimal(0))
        changed = {
            offer_id: new
            for offer_id in today.keys() | stored.keys()
            if (new := today.get(offer_id, nothing)) != stored.get(offer_id, nothing)
        }
        ids = sorted(changed)
        for start in range(0, len(ids), _CHUNK):
            with self._database.write() as conn:
                offer_figures.write_figures(conn, {id_: changed[id_] for id_ in ids[start : start + _CHUNK]})
        return len(ids)
