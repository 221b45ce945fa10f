"""Decides whether an offer's schedule is open (docs/spec/tracking.md#schedule)."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from trackyard.base.zones import find_zone
from trackyard.domain.offers.offers import Interval, OfferSchedule


def is_open(schedule: OfferSchedule, at_ms: int, platform_zone: ZoneInfo) -> bool:
    """Return whether clicks are accepted at `at_ms` (UTC milliseconds).

    A schedule without a zone is in the platform's. Without intervals, all hours of its days are open.
    """
    zone = find_zone(schedule.timezone) if schedule.timezone else None
    local = datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone or platform_zone)
    day = local.date().isoformat()
    if schedule.date_start and day < schedule.date_start:
        return False
    if schedule.date_to and day > schedule.date_to:
        return False
    if not schedule.enabled or not schedule.intervals:
        return True
    weekday = local.isoweekday() % 7
    return any(_contains(interval, weekday, local.hour) for interval in schedule.intervals)


def _contains(interval: Interval, weekday: int, hour: int) -> bool:
    if interval.start <= interval.end:
        return weekday == interval.day_of_week and interval.start <= hour <= interval.end
    following = (interval.day_of_week + 1) % 7
    return (weekday == interval.day_of_week and hour >= interval.start) or (
        weekday == following and hour <= interval.end
    )
