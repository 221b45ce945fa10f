"""Periods of the calendar: every moment is in one, with zones and summer time."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.offers.periods import CapPeriod, period_at

TALLINN = ZoneInfo("Europe/Tallinn")
HOUR = 3_600_000


def at(text: str, zone: ZoneInfo = TALLINN, fold: int = 0) -> int:
    """Return UTC milliseconds of a local time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).timestamp() * 1000)


@pytest.mark.parametrize(
    ("name", "moment", "start", "end"),
    [
        ("day", "2026-11-20 23:59:59", "2026-11-20", "2026-11-21"),
        ("week", "2026-11-22 12:00", "2026-11-16", "2026-11-23"),
        ("month", "2026-12-31 23:00", "2026-12-01", "2027-01-01"),
        ("month", "2024-02-29 00:00", "2024-02-01", "2024-03-01"),
        ("hour", "2026-11-20 10:59", "2026-11-20 10:00", "2026-11-20 11:00"),
    ],
)
def test_period_follows_calendar_of_zone(name: str, moment: str, start: str, end: str) -> None:
    found = period_at(name, at(moment), TALLINN)
    assert (found.start, found.end) == (at(start), at(end))


def test_period_day_of_clock_change_is_shorter_or_longer() -> None:
    short, long = (period_at("day", at(day), TALLINN) for day in ("2026-03-29 12:00", "2026-10-25 12:00"))
    assert short.end is not None and long.end is not None
    assert (short.end - short.start, long.end - long.start) == (23 * HOUR, 25 * HOUR)


def test_period_repeated_hour_of_clock_change_is_two_periods() -> None:
    first, second = (period_at("hour", at("2026-10-25 03:30", fold=fold), TALLINN) for fold in (0, 1))
    assert first.end == second.start


def test_period_all_is_one_period() -> None:
    assert period_at("all", at("2026-11-20"), TALLINN) == period_at("all", 0, TALLINN)


@given(
    st.sampled_from(CapPeriod),
    st.integers(0, 4_000_000_000_000),
    st.sampled_from(["UTC", "Asia/Kathmandu", "America/Santiago", "Africa/Cairo", "Pacific/Apia", "Europe/Tallinn"]),
)
def test_period_contains_its_moment_and_next_starts_at_its_end(name: str, moment: int, zone: str) -> None:
    found = period_at(name, moment, ZoneInfo(zone))
    assert found.start <= moment
    if found.end is not None:
        assert moment < found.end
        assert period_at(name, found.end, ZoneInfo(zone)).start == found.end
        assert period_at(name, found.start, ZoneInfo(zone)) == found
