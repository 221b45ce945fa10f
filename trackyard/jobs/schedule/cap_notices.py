"""Notices of day caps of clicks that fill up (docs/spec/conversions.md#caps): edges count these, the analytic store
knows."""

from collections import Counter as Multiset
from collections.abc import Iterable
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.offers.counters import tell_of_cap
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.click_counts import count_clicks
from trackyard.base.clock import Clock
from trackyard.base.zones import find_zone
from trackyard.domain.offers.counters import Measure, side_of
from trackyard.domain.offers.offers import Cap, Offer
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.cap_stats import Held
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import click_caps, counters, offers
from trackyard.store.platform import settings

_EVERY_MS: Final = 60_000


class ClickNotices:
    """Looks at each offer concerned once a minute, one of them at a time. Several projectors tell a notice once."""

    def __init__(self, database: Database, analytics: Analytics, clock: Clock) -> None:
        self._database = database
        self._analytics = analytics
        self._clock = clock
        self._left: list[int] = []
        self._begun_at = -_EVERY_MS

    def look_at_next(self) -> bool:
        """Looks at one offer when it is time. Never says that there is more to do."""
        now = self._clock.now_ms()
        if not self._left:
            if 0 <= now - self._begun_at < _EVERY_MS:
                return False
            self._begun_at = now
            with self._database.read() as conn:
                self._left = click_caps.list_noticed(conn)
        if self._left:
            self._look_at(self._left.pop(), now)
        return False

    def _look_at(self, offer_id: int, now: int) -> None:
        with self._database.read() as conn:
            offer = offers.find_offer(conn, Scope.everything(), offer_id)
            zone = None if offer is None else find_zone(offer.caps_timezone or _platform_zone(conn))
        if offer is None or zone is None:
            return
        caps = [cap for cap in offer.caps if cap.type == "clicks" and cap.period == "day"]
        measures = [(cap, _measure(offer, cap, zone)) for cap in caps]
        if not measures:
            return
        held = count_clicks(self._analytics, offer_id, measures[0][1].opening_at(now).start)
        percent = offer.notice_percent_overcap or 0
        due = [
            (cap, measure, most)
            for cap, measure in measures
            if cap.value > 0 and (most := _most(measure, held)) * 100 >= cap.value * percent
        ]
        if due:
            with self._database.write() as conn:
                for cap, measure, most in due:
                    if counters.tell_once(conn, measure.opening_at(now)):
                        limit, reached = f"{int(cap.value)} clicks", f"{most} clicks"
                        tell_of_cap(conn, offer.id, offer.title, offer.advertiser_id, limit, reached, now)


def _measure(offer: Offer, cap: Cap, zone: ZoneInfo) -> Measure:
    """What a cap of clicks counts: clicks have neither goal nor status."""
    affiliate, country = side_of(cap.affiliate_type, cap.affiliates), side_of(cap.country_type, cap.country)
    return Measure(offer.id, cap.id, cap.period, zone, frozenset(), affiliate=affiliate, country=country)


def _most(measure: Measure, held: Iterable[Held]) -> int:
    """How many clicks the fullest counter of a cap has."""
    counts: Multiset[tuple[int | None, str | None]] = Multiset()
    affiliate, country = measure.affiliate, measure.country
    for each in held:
        if (affiliate.only is None or each.affiliate_id in affiliate.only) and (
            country.only is None or each.country in country.only
        ):
            place = each.affiliate_id if affiliate.each else None, each.country if country.each else None
            counts[place] += each.count.conversions
    return max(counts.values(), default=0)


def _platform_zone(conn: Connection) -> str:
    return settings.find_setting(conn, settings.TIMEZONE) or "UTC"
