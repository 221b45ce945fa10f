"""Where a cap's meter leads: to the list of what fills the cap (docs/spec/conversions.md#caps)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.api.offers.view import OfferFields
from trackyard.api.statistics.cap_stats import CapStatsView
from trackyard.base.zones import find_zone
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.periods import MOST_DAYS
from trackyard.console.frame.request import PageRequest
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.periods import CapPeriod, period_at

_CONVERSIONS: Final = "/console/conversions"
_CLICKS: Final = "/console/clicks"
_FIRST_DAY: Final = date(2000, 1, 1)
"""The first day of the list of a cap that never ends."""


@dataclass(frozen=True, slots=True)
class CapLists:
    """The lists of what the caps of offers count, as far as a person may open them.

    offers: by number. now: UTC milliseconds. zone: the platform's.
    """

    offers: Mapping[int, OfferFields]
    now: int
    zone: ZoneInfo
    has_conversions: bool
    has_clicks: bool

    @classmethod
    def of(cls, request: PageRequest, offers: Iterable[OfferFields]) -> "CapLists":
        """Return the lists for the person of a request."""
        return cls(
            {each.id: each for each in offers},
            request.deps.clock.now_ms(),
            request.deps.zone,
            request.may_open(_CONVERSIONS),
            request.may_open(_CLICKS),
        )

    def link(self, offer_id: int, cap: CapStatsView) -> str:
        """Return the list of what fills a cap now, "" where the person has none."""
        offer, of_clicks = self.offers[offer_id], cap.type == CapType.CLICKS
        counted = _counted(cap)
        if counted is None or not (self.has_clicks if of_clicks else self.has_conversions):
            return ""
        zone = find_zone(offer.caps_timezone) or self.zone
        first, last = self._days(CapPeriod(cap.timeframe), zone)
        if of_clicks:
            first = max(first, last - timedelta(days=MOST_DAYS - 1))
        span = (("from", first.isoformat()), ("to", last.isoformat()), ("tz", zone.key))
        pairs = (("offer", str(offer_id)), *counted, *span)
        if of_clicks:
            return str(PageAddress(_CLICKS, pairs))
        statuses = dict.fromkeys(Status(each).as_sent.value for each in offer.caps_status)
        return str(PageAddress(_CONVERSIONS, (*pairs, *(("status", each) for each in statuses))))

    def _days(self, kind: CapPeriod, zone: ZoneInfo) -> tuple[date, date]:
        """Return the first and the last day of the period of now; without an end today is the last."""
        period = period_at(kind, self.now, zone)
        if period.end is None:
            return _FIRST_DAY, _day(self.now, zone)
        return _day(period.start, zone), _day(period.end - 1, zone)


def _counted(cap: CapStatsView) -> tuple[Pair, ...] | None:
    """Return the filters of the affiliates, countries and goals of a cap.

    None where the list has no such filter. A cap that counts each goal shows its fullest goal, and so does the list.
    """
    goals = cap.goals
    if cap.goal_type == "each" and cap.goal_stats:
        goals = [max(cap.goal_stats, key=cap.goal_stats.__getitem__)]
    sides: tuple[tuple[str, str, Sequence[object]], ...] = (
        ("affiliate", cap.affiliate_type, cap.affiliates),
        ("country", cap.country_type, cap.countries),
        ("goal", cap.goal_type, goals),
    )
    pairs = tuple((name, str(value)) for name, _, values in sides for value in values)
    # An exact side that is empty has values that the person may not see; an unknown country has no filter.
    hidden = any(kind == "exact" and not values for _, kind, values in sides)
    return None if hidden or not all(value for _, value in pairs) else pairs


def _day(at_ms: int, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).date()
