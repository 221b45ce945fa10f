"""Periods that addresses name."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.periods import read_period

NOW = 1_795_262_400_000
"""2026-11-21 12:00 UTC."""
UTC = ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("today", date(2026, 11, 21), date(2026, 11, 21)),
        ("yesterday", date(2026, 11, 20), date(2026, 11, 20)),
        ("7d", date(2026, 11, 15), date(2026, 11, 21)),
        ("30d", date(2026, 10, 23), date(2026, 11, 21)),
        ("month", date(2026, 11, 1), date(2026, 11, 21)),
        ("last-month", date(2026, 10, 1), date(2026, 10, 31)),
        ("no such", date(2026, 10, 23), date(2026, 11, 21)),
    ],
)
def test_period_has_the_days_of_its_name(name: str, first: date, last: date) -> None:
    period, fault = read_period(PageAddress("/", (("period", name),)), NOW, UTC)
    assert (period.first, period.last, fault) == (first, last, "")
    assert period.before.last.toordinal() == first.toordinal() - 1
    assert period.before.days == period.days == len(period.each_day())


def test_period_is_of_the_zone() -> None:
    period, _ = read_period(PageAddress("/", (("period", "today"),)), NOW, ZoneInfo("Pacific/Kiritimati"))
    assert (period.first, period.hour) == (date(2026, 11, 22), 2)


@pytest.mark.parametrize(
    ("since", "until", "sentence"),
    [
        ("2026-11-01", "2026-11-10", ""),
        ("2026-11-10", "2026-11-01", "These are not two days in order"),
        ("tomorrow", "2026-11-10", "These are not two days in order"),
        ("20261101", "20261110", "These are not two days in order"),
        ("2026-11-01", "", "These are not two days in order"),
        ("2024-11-01", "2026-11-01", "A page shows at most 366 days"),
    ],
)
def test_wrong_days_are_named_and_thirty_shown(since: str, until: str, sentence: str) -> None:
    period, fault = read_period(PageAddress("/", (("from", since), ("to", until))), NOW, UTC)
    assert fault.startswith(sentence)
    assert bool(fault) == bool(sentence)
    assert period.days == (30 if sentence else 10)


def test_open_period_is_compared_up_to_the_hour_of_now() -> None:
    period, _ = read_period(PageAddress("/", (("period", "7d"),)), NOW, UTC)
    assert period.is_open
    assert not read_period(PageAddress("/", (("period", "yesterday"),)), NOW, UTC)[0].is_open
