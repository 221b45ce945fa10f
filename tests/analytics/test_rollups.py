"""Reports are answered from rollups where these have what is asked, in any zone (docs/decisions/0028)."""

import re
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.support.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.rollups import DAY_MS, HOUR_MS, ROLLUPS, STEP_MS, grains, is_whole, pieces_of
from trackyard.analytics.engine.zones import with_clocks
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.branches import Narrowed, branches_of
from trackyard.analytics.reports.compiler import compile_report, filter_conditions
from trackyard.analytics.reports.dimensions import DIMENSIONS
from trackyard.analytics.reports.query import Report
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode

NAMES = {rollup.name: rollup.columns for rollup in ROLLUPS}
DAY = NOON // DAY_MS * DAY_MS
BERLIN = (DAY - 2 * DAY_MS - HOUR_MS, DAY + DAY_MS - HOUR_MS)
"""Three local days."""


def ms(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000  # type: ignore[arg-type, misc]


def read_by(analytics: Analytics, report: Report, table: str = "click") -> list[str]:
    """What the rows of a report are read from: names of rollups, or of the table where they are read themselves."""
    parts = [part for name in report.dimensions for part in DIMENSIONS[name].parts]
    read = []
    of_clicks, of_facts = (tuple(filter_conditions(report.filters, of_clicks=clicks)) for clicks in (True, False))
    for branch in branches_of(report, parts, Narrowed(of_clicks, of_facts)):
        if f"FROM {table}\n" in branch:
            told = with_clocks(branch, report.zone, report.since, report.until)
            lines = analytics.rows(f"EXPLAIN {told}", compile_report(report).parameters, tuple[str])  # type: ignore[union-attr]
            [source] = re.findall(r"ReadFromMergeTree \((.*?)\)", "\n".join(line for (line,) in lines))
            read.append(source.split(".")[-1])
    return read


@pytest.fixture
def clicks(analytics: Analytics) -> Analytics:
    """A store with a click in each hour of three days, each of another offer and affiliate."""
    made = [
        new_click(hour, time=DAY + hour * HOUR_MS, offer=hour, affiliate=hour, city=f"C{hour}", os=f"O{hour}")
        for hour in range(-48, 24)
    ]
    load(analytics, "click", [click_item("j", place, encode(click)) for place, click in enumerate(made)], "t")
    return analytics


@pytest.mark.parametrize(
    ("zone", "dimensions", "is_rolled"),
    [
        ("Europe/Berlin", ("day",), True),
        ("Asia/Kathmandu", ("hour",), True),
        ("Europe/Berlin", ("day", "offer"), True),
        ("Europe/Berlin", ("day", "affiliate"), True),
        ("Asia/Kathmandu", ("day", "affiliate"), False),  # :45, and they are kept by the hour
        ("Europe/Berlin", ("day", "country"), True),
        ("Europe/Berlin", ("day", "city"), False),
        ("UTC", ("day", "city"), True),
        ("UTC", ("hour", "city"), False),
        ("UTC", ("month", "browser"), True),
        ("UTC", ("sub1",), False),
    ],
)
def test_parts_of_time(clicks: Analytics, zone: str, dimensions: tuple[str, ...], is_rolled: bool) -> None:
    local = {"Asia/Kathmandu": -5 * HOUR_MS - 3 * STEP_MS, "Europe/Berlin": -HOUR_MS, "UTC": 0}[zone]
    period = (DAY - 2 * DAY_MS + local, DAY + DAY_MS + local)
    [read] = read_by(clicks, Report(Scope.everything(), *period, dimensions, zone=zone))
    assert (read in NAMES) == is_rolled


def test_each_rollup_answers_whole_days_of_its_columns(clicks: Analytics) -> None:
    by_column = {part.column: name for name, dimension in DIMENSIONS.items() for part in dimension.parts[:1]}
    by_column |= {"affiliate": "affiliate", "advertiser": "advertiser"}  # slices by manager are made of these
    for rollup in ROLLUPS:
        asked = tuple(by_column[name] for name in rollup.columns)
        [read] = read_by(clicks, Report(Scope.everything(), DAY - 2 * DAY_MS, DAY, asked))
        assert set(rollup.columns) <= set(NAMES[read])


@pytest.mark.parametrize(
    ("zone", "dimensions", "filters", "names"),
    [
        ("Europe/Berlin", ("day",), {}, ["by_goal_step"]),
        ("Asia/Kathmandu", ("hour", "goal"), {}, ["by_goal_step"]),
        ("UTC", ("goal",), {}, ["by_goal_step"]),
        ("UTC", ("offer", "smart_id"), {}, ["by_offer_day"]),
        ("UTC", ("advertiser",), {"offer": (1,)}, ["by_offer_day"]),
        ("UTC", ("manager",), {}, ["by_affiliate_day"]),
        ("UTC", ("day", "country"), {}, ["by_country_day"]),
        ("Europe/Berlin", ("country",), {}, ["by_country_day", "fact", "fact"]),
        ("Europe/Berlin", ("day", "country"), {}, ["fact"]),
        ("UTC", ("offer",), {"goal": ("1",)}, ["fact"]),
        ("UTC", ("day",), {"currency": ("USD",)}, ["fact"]),  # rollups are of the platform's currency
        ("UTC", ("sub1",), {}, ["fact"]),
    ],
)
def test_facts(
    analytics: Analytics, zone: str, dimensions: tuple[str, ...], filters: dict[str, Any], names: list[str]
) -> None:
    facts = [
        encode_row(new_fact(n, time=DAY - 40 * HOUR_MS + n * HOUR_MS // 10, offer=n, affiliate=n)) for n in range(600)
    ]
    load(analytics, "fact", facts, "t")
    local = {"Asia/Kathmandu": -5 * HOUR_MS - 3 * STEP_MS, "Europe/Berlin": -HOUR_MS, "UTC": 0}[zone]
    report = Report(
        Scope.everything(),
        DAY - DAY_MS + local,
        DAY + DAY_MS + local,
        dimensions,
        filters,
        {"manager": {}},
        zone,
    )
    assert read_by(analytics, report, "fact") == names


def test_the_rollup_with_the_fewest_columns_is_chosen() -> None:
    assert grains(set())[0] == STEP_MS  # by_step: a column less than by_affiliate_hour
    assert grains({"affiliate"}) == (DAY_MS, HOUR_MS)
    assert grains({"offer"})[0] == grains({"country"})[0] == DAY_MS
    assert grains({"sub1"}) == ()


def test_the_ends_of_local_days_come_from_finer_rollups_or_from_rows() -> None:
    assert [piece.grain for piece in pieces_of(*BERLIN, {"country"})] == [DAY_MS, STEP_MS, STEP_MS]
    assert [piece.grain for piece in pieces_of(*BERLIN, {"affiliate"})] == [DAY_MS, HOUR_MS, HOUR_MS]
    assert [piece.grain for piece in pieces_of(*BERLIN, {"city"})] == [DAY_MS, None, None]
    assert [piece.grain for piece in pieces_of(BERLIN[0] + 1, BERLIN[1], {"country"})] == [DAY_MS, None, STEP_MS]
    assert [piece.grain for piece in pieces_of(*BERLIN, {"country", "sub1"})] == [None]


@pytest.mark.parametrize("columns", [{"country"}, {"city"}, {"sub1"}])
@pytest.mark.parametrize(
    ("since", "until"),
    [
        (0, 1),
        (0, DAY_MS),
        (1, DAY_MS),
        (5, 3 * DAY_MS - 1),
        (STEP_MS, DAY_MS + HOUR_MS),
        (DAY_MS - 1, DAY_MS + 1),
        (9, 9),
    ],
)
def test_pieces_are_the_period(since: int, until: int, columns: set[str]) -> None:
    pieces = sorted(pieces_of(since, until, columns), key=lambda piece: piece.since)
    assert (pieces[0].since, pieces[-1].until) == (since, until)
    assert all(left.until == right.since for left, right in pairwise(pieces))
    assert all(piece.since % piece.grain == piece.until % piece.grain == 0 for piece in pieces if piece.grain)


@pytest.mark.parametrize(
    ("zone", "steps", "hours", "days"),
    [
        ("UTC", True, True, True),
        ("Europe/London", True, True, False),
        ("Asia/Kathmandu", True, False, False),
        ("Australia/Lord_Howe", True, False, False),
        ("Pacific/Apia", True, True, False),
    ],
)
def test_which_grains_local_hours_consist_of(zone: str, steps: bool, hours: bool, days: bool) -> None:
    period = (ms(2024, 1, 1), ms(2025, 1, 1))
    assert [is_whole(zone, *period, grain) for grain in (STEP_MS, HOUR_MS, DAY_MS)] == [steps, hours, days]
    assert not is_whole("UTC", period[0] + 1, period[1], STEP_MS)


def test_before_all_offsets_were_multiples_of_a_step() -> None:
    assert not is_whole("Africa/Monrovia", ms(1971, 1, 1), ms(1972, 1, 1), STEP_MS)
    assert is_whole("Africa/Monrovia", ms(1973, 1, 1), ms(1974, 1, 1), STEP_MS)
