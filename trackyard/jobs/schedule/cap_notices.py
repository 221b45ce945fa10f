"""Notices of daily click caps that fill up (docs/spec/conversions.md#caps).

Edges count clicks for caps; the notices count the clicks in the analytic store.
"""

from collections import Counter as Multiset
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from trackyard.actions.offers.counters import notify_cap_filling
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.clicks import count_clicks
from trackyard.base.clock import Clock
from trackyard.base.zones import find_zone
from trackyard.domain.offers.caps import limit_definition_of
from trackyard.domain.offers.counters import CapType, LimitDefinition
from trackyard.domain.offers.periods import CapPeriod
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailLimit
from trackyard.domain.statistics.cap_stats import GroupedCount
from trackyard.jobs.turns import LOOK_SECONDS, JobTurn, JobTurns
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import caps as offer_caps
from trackyard.store.offers import counters, offers
from trackyard.store.platform import settings

_EVERY_MS: Final = 60_000


class ClickCapNotifier:
    """Check each offer with such a cap once a minute, one at a time.

    Of several machines one does it, and several would send a notice once.
    """

    def __init__(self, database: Database, analytics: Analytics, clock: Clock) -> None:
        self._database = database
        self._analytics = analytics
        self._clock = clock
        self._turns = JobTurns(database, clock)
        self._turn: JobTurn | None = None
        self._pending: list[int] = []
        self._looked_at, self._pause_ms = 0, 0

    def check_next_offer(self) -> bool:
        """Check one offer when it is time; return False, since nothing is urgent."""
        now = self._clock.now_ms()
        if self._turn is None:
            if 0 <= now - self._looked_at < self._pause_ms:
                return False
            self._looked_at, self._pause_ms = now, int(LOOK_SECONDS * 1000)
            self._turn = self._turns.take("cap notices", _EVERY_MS)
            if self._turn is None:
                return False
            with self._database.read() as conn:
                self._pending = offer_caps.offers_with_click_notice(conn)
        if self._pending:
            self._check_offer(self._pending.pop(), now)
        if not self._pending:
            turn, self._turn, self._pause_ms = self._turn, None, _EVERY_MS
            self._turns.end(turn, self._looked_at + _EVERY_MS)
        return False

    def _check_offer(self, offer_id: int, now: int) -> None:
        with self._database.read() as conn:
            offer = offers.find_offer(conn, Scope.everything(), offer_id)
            zone = None if offer is None else find_zone(offer.caps_timezone or _platform_zone(conn))
        if offer is None or zone is None:
            return
        caps = [cap for cap in offer.caps if cap.type == CapType.CLICKS and cap.period == CapPeriod.DAY]
        measures = [(cap, limit_definition_of(cap, offer.id, zone, frozenset())) for cap in caps]
        if not measures:
            return
        counts_held = count_clicks(self._analytics, offer_id, measures[0][1].period_counter_at(now).start)
        percent = offer.notice_percent_overcap or 0
        reached_caps = [
            (cap, measure, highest)
            for cap, measure in measures
            if cap.value > 0 and (highest := _highest_count(measure, counts_held)) * 100 >= cap.value * percent
        ]
        if reached_caps:
            with self._database.write() as conn:
                for cap, measure, highest in reached_caps:
                    if counters.record_notice_once(conn, measure.period_counter_at(now)):
                        limit, reached = (MailLimit(CapType.CLICKS, Decimal(each), "") for each in (cap.value, highest))
                        notify_cap_filling(conn, offer.id, offer.title, offer.advertiser_id, limit, reached, now)


def _highest_count(measure: LimitDefinition, counts_held: Iterable[GroupedCount]) -> int:
    """Return the clicks of the fullest counter of a cap."""
    counts: Multiset[tuple[int | None, str | None]] = Multiset()
    affiliate, country = measure.affiliate, measure.country
    for each in counts_held:
        if (affiliate.only is None or each.affiliate_id in affiliate.only) and (
            country.only is None or each.country in country.only
        ):
            place = each.affiliate_id if affiliate.each else None, each.country if country.each else None
            counts[place] += each.count.conversions
    return max(counts.values(), default=0)


def _platform_zone(conn: Connection) -> str:
    return settings.find_setting(conn, settings.TIMEZONE) or "UTC"
