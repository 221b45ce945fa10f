"""Hours of days as clocks show them."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from trackyard.api.statistics.times import span

CHANGES = [
    ("Europe/Berlin", date(2026, 3, 29)),
    ("Europe/Berlin", date(2026, 10, 25)),
    ("America/New_York", date(2026, 3, 8)),
    ("Australia/Lord_Howe", date(2026, 4, 5)),
    ("Australia/Lord_Howe", date(2026, 10, 4)),
    ("Asia/Kathmandu", date(2026, 7, 1)),
    ("Atlantic/Azores", date(2026, 10, 25)),  # midnight twice
    ("Africa/Cairo", date(2026, 4, 24)),  # no midnight
    ("Africa/Cairo", date(2026, 10, 29)),  # 23 o'clock twice
    ("Pacific/Chatham", date(2026, 9, 27)),  # 2:45 to 3:45 is left out
    ("Antarctica/Troll", date(2026, 3, 29)),  # two hours are left out
    ("Pacific/Apia", date(2011, 12, 30)),  # the day is left out
]


@pytest.mark.parametrize(("name", "day"), CHANGES)
def test_local_hour_filter_matches_clock_time(name: str, day: date) -> None:
    zone, first = ZoneInfo(name), datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=30)
    around = [first + timedelta(minutes=5 * number) for number in range(84 * 12)]
    for hour in (None, *range(24)):
        since, until = span(day, day, zone, hour=hour)
        inside = [at for at in around if since <= at.timestamp() * 1000 < until]
        answer = [at.astimezone(zone) for at in around]
        shown = [at for at, now in zip(around, answer, strict=True) if now.date() == day and hour in (None, now.hour)]
        assert inside == shown
