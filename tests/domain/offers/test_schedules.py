"""The times when a schedule is open (docs/spec/tracking.md#schedule)."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from trackyard.domain.offers.offers import Interval, OfferSchedule
from trackyard.domain.offers.schedules import is_open

PLATFORM = ZoneInfo("UTC")


def hours(day: int, start: int, end: int) -> tuple[Interval, ...]:
    return (Interval(day_of_week=day, start=start, end=end),)


# 2023-11-12 was a Sunday.
TABLE = [
    (OfferSchedule(), "2023-11-12 00:00", True),
    (OfferSchedule(enabled=True), "2023-11-12 00:00", True),
    (OfferSchedule(enabled=True, intervals=hours(0, 8, 10)), "2023-11-12 10:59", True),
    (OfferSchedule(enabled=True, intervals=hours(0, 8, 10)), "2023-11-12 11:00", False),
    (OfferSchedule(enabled=True, intervals=hours(0, 8, 10)), "2023-11-13 09:00", False),
    (OfferSchedule(enabled=False, intervals=hours(0, 8, 10)), "2023-11-13 09:00", True),
    (OfferSchedule(enabled=True, intervals=hours(6, 22, 2)), "2023-11-12 02:59", True),
    (OfferSchedule(enabled=True, intervals=hours(6, 22, 2)), "2023-11-12 22:00", False),
    (OfferSchedule(enabled=True, intervals=hours(6, 22, 2)), "2023-11-11 22:00", True),
    (OfferSchedule(date_start="2023-11-12"), "2023-11-11 23:59", False),
    (OfferSchedule(date_start="2023-11-12"), "2023-11-12 00:00", True),
    (OfferSchedule(date_to="2023-11-12"), "2023-11-12 23:59", True),
    (OfferSchedule(date_to="2023-11-12"), "2023-11-13 00:00", False),
    (OfferSchedule(date_to="2023-11-12", timezone="Asia/Kathmandu"), "2023-11-12 18:15", False),
    (OfferSchedule(enabled=True, timezone="Asia/Kathmandu", intervals=hours(1, 0, 0)), "2023-11-12 18:15", True),
    # The hour that a summer night has twice is the same hour both times.
    (OfferSchedule(enabled=True, timezone="Europe/Berlin", intervals=hours(0, 2, 2)), "2023-10-29 00:30", True),
    (OfferSchedule(enabled=True, timezone="Europe/Berlin", intervals=hours(0, 2, 2)), "2023-10-29 01:30", True),
    (OfferSchedule(enabled=True, timezone="Europe/Berlin", intervals=hours(0, 2, 2)), "2023-10-29 02:30", False),
]


@pytest.mark.parametrize(("schedule", "at", "wanted"), TABLE)
def test_schedule_is_open_in_its_intervals(schedule: OfferSchedule, at: str, wanted: bool) -> None:
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert is_open(schedule, int(moment.timestamp()) * 1000, PLATFORM) is wanted
