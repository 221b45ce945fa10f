"""Periods that addresses name."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.figures import days_up_to_now, on_each_day, unfinished_days
from trackyard.console.frame.periods import Compare, read_period
from trackyard.domain.statistics.metrics import MetricSums

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


@pytest.mark.parametrize(
    ("since", "until", "compare", "first", "last"),
    [
        ("2026-11-01", "2026-11-21", "before", date(2026, 10, 11), date(2026, 10, 31)),
        ("2026-11-01", "2026-11-21", "week", date(2026, 10, 11), date(2026, 10, 31)),
        ("2026-11-01", "2026-11-09", "week", date(2026, 10, 18), date(2026, 10, 26)),
        ("2026-11-01", "2026-11-21", "month", date(2026, 10, 1), date(2026, 10, 21)),
        ("2026-10-01", "2026-10-31", "month", date(2026, 9, 1), date(2026, 9, 30)),
        ("2026-03-31", "2026-03-31", "month", date(2026, 2, 28), date(2026, 2, 28)),
        ("2026-01-15", "2026-04-14", "month", date(2025, 10, 15), date(2026, 1, 12)),
    ],
)
def test_period_has_the_days_that_it_is_compared_with(
    since: str, until: str, compare: Compare, first: date, last: date
) -> None:
    period, _ = read_period(PageAddress("/", (("from", since), ("to", until))), NOW, UTC)
    before = period.compared_with(compare)
    assert before is not None
    assert (before.first, before.last) == (first, last)
    assert before.last < period.first
    assert period.compared_with("none") is None


def test_open_period_after_a_shorter_month_is_compared_with_all_of_it() -> None:
    march = PageAddress("/", (("from", "2026-03-01"), ("to", "2026-03-31")))
    period, _ = read_period(march, NOW - 235 * 86_400_000, UTC)
    assert period.today == date(2026, 3, 31)
    assert unfinished_days(period, period.months_before) == [period.today]
    assert on_each_day(period.months_before, {}, period.days)[27:] == [MetricSums(), None, None, None]


def test_line_of_the_days_before_ends_at_the_hour_of_now() -> None:
    period, _ = read_period(PageAddress("/", (("period", "7d"),)), NOW, UTC)
    days = {day: MetricSums(clicks=10) for day in period.before.each_day()}
    drawn = days_up_to_now(period, period.before, days, MetricSums(clicks=64))
    assert [each.clicks for each in drawn.values()] == [10, 10, 10, 10, 10, 10, 4]
    closed, _ = read_period(PageAddress("/", (("period", "yesterday"),)), NOW, UTC)
    assert days_up_to_now(closed, closed.before, days, MetricSums(clicks=64)) is days
