"""Reports use rollups with their columns, in any zone (docs/decisions/0028)."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, pairwise
from typing import Any

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.rollups import (
    DAY_MS,
    HOUR_MS,
    STEP_MS,
    TRAFFIC_ROLLUPS,
    find_grains,
    has_whole_grains,
    split_period,
)
from trackyard.analytics.engine.zones import resolve_local_times
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.branches import ReportConditions, build_branches
from trackyard.analytics.reports.compiler import compile_report, filter_conditions, in_period
from trackyard.analytics.reports.reports import run_report
from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import LeastVolume, Report
from trackyard.domain.statistics.rows import encode_row
from trackyard.domain.statistics.slices import SLICES
from trackyard.journal.records import encode

NAMES = {rollup.name: rollup.columns for rollup in TRAFFIC_ROLLUPS}
DAY = NOON // DAY_MS * DAY_MS
BERLIN = (DAY - 2 * DAY_MS - HOUR_MS, DAY + DAY_MS - HOUR_MS)
"""Three local days."""


def ms(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000  # type: ignore[arg-type, misc]


def read_by(analytics: Analytics, report: Report, table: str = "click") -> list[str]:
    """Return the sources of a report: names of rollups, or of the table."""
    parts = [part for name in report.dimensions for part in SLICES[name].parts]
    read = []
    of_clicks, of_facts = (tuple(filter_conditions(report.filters, of_clicks=clicks)) for clicks in (True, False))
    for branch in build_branches(report, parts, ReportConditions(of_clicks, of_facts)):
        if f"FROM {table}\n" in branch:
            resolved = resolve_local_times(branch, report.zone, report.since, report.until)
            lines = analytics.rows(f"EXPLAIN {resolved}", compile_report(report).parameters, tuple[str])  # type: ignore[union-attr]
            [source] = re.findall(r"ReadFromMergeTree \((.*?)\)", "\n".join(line for (line,) in lines))
            read.append(source.split(".")[-1])
    return read


@pytest.fixture
def clicks(analytics: Analytics) -> Analytics:
    """Return a store with a click per hour of three days, of different offers and affiliates."""
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
def test_rollup_is_used_for_whole_parts_of_time(
    clicks: Analytics, zone: str, dimensions: tuple[str, ...], is_rolled: bool
) -> None:
    local = {"Asia/Kathmandu": -5 * HOUR_MS - 3 * STEP_MS, "Europe/Berlin": -HOUR_MS, "UTC": 0}[zone]
    period = (DAY - 2 * DAY_MS + local, DAY + DAY_MS + local)
    [read] = read_by(clicks, Report(Scope.everything(), *period, dimensions, zone=zone))
    assert (read in NAMES) == is_rolled
    asked = Report(Scope.everything(), *period, dimensions, zone=zone)
    assert is_rolled <= compile_report(asked).has_rollup  # type: ignore[union-attr]


@pytest.mark.parametrize("slices", [("sub1",), ("offer",)])
def test_report_has_a_rollup_when_its_rows_or_its_volumes_have_one(slices: tuple[str, ...]) -> None:
    since, until = DAY - 2 * DAY_MS, DAY
    least = LeastVolume(slices, ("raw",), 10, since, until)
    by_sub = Report(Scope.everything(), since, until, ("sub1",), zone="UTC")
    assert not compile_report(by_sub).has_rollup  # type: ignore[union-attr]
    chosen = replace(by_sub, dimensions=("hour", "sub1", "offer"), least=least)
    assert compile_report(chosen).has_rollup == (slices == ("offer",))  # type: ignore[union-attr]


def test_rollup_answers_whole_days_of_its_columns(clicks: Analytics) -> None:
    by_column = {each.parts[0].column: name for name, each in SLICES.items() if len(each.parts) == 1}
    by_column |= {"affiliate": "affiliate", "advertiser": "advertiser"}  # slices by manager are made of these
    for rollup in TRAFFIC_ROLLUPS:
        asked = tuple(by_column[name] for name in rollup.columns)
        [read] = read_by(clicks, Report(Scope.everything(), DAY - 2 * DAY_MS, DAY, asked))
        assert set(rollup.columns) <= set(NAMES[read])


def test_period_has_the_rows_of_its_times_and_is_sought_by_its_days(analytics: Analytics) -> None:
    times = [DAY - 1, DAY, DAY + 1, DAY + DAY_MS - 1, DAY + DAY_MS, DAY + DAY_MS + 1]
    items = [click_item("j", place, encode(new_click(place, time=time))) for place, time in enumerate(times)]
    load(analytics, "click", items, "t")
    for since, until in combinations(times, 2):
        conditions, parameters = in_period(Scope.everything(), since, until)
        sql = f"SELECT time FROM click WHERE {' AND '.join(conditions)} ORDER BY time"
        found = [time for (time,) in analytics.rows(sql, parameters, tuple[int])]
        assert found == [time for time in times if since <= time < until]
    lines = [line for (line,) in analytics.rows(f"EXPLAIN indexes = 1 {sql}", parameters, tuple[str])]
    sought = "".join(lines).partition("PrimaryKey")[2].partition("Condition")[0]
    assert f"intDiv(time, {DAY_MS})" in sought


@pytest.mark.parametrize("has_rollup", [True, False])
def test_rollup_is_not_read_by_a_statement_that_says_it_has_none(clicks: Analytics, has_rollup: bool) -> None:
    sql = f"SELECT affiliate, countIf(reason = '') FROM click WHERE intDiv(time, {DAY_MS}) > 0 GROUP BY affiliate"
    lines = clicks.rows(f"EXPLAIN {sql}", {}, tuple[str], has_rollup=has_rollup)
    [read] = re.findall(r"ReadFromMergeTree \((.*?)\)", "\n".join(line for (line,) in lines))
    assert (read.split(".")[-1] in NAMES) == has_rollup
    assert len(clicks.rows(sql, {}, tuple[int, int], has_rollup=has_rollup)) == 72


@pytest.mark.parametrize(
    ("zone", "dimensions", "filters", "names"),
    [
        ("Europe/Berlin", ("day",), {}, ["by_goal_status_step"]),
        ("Asia/Kathmandu", ("hour", "goal"), {}, ["by_goal_status_step"]),
        ("UTC", ("goal",), {}, ["by_goal_status_step"]),
        ("UTC", ("offer", "smart_id"), {}, ["by_offer_status_day"]),
        ("UTC", ("advertiser",), {"offer": (1,)}, ["by_offer_status_day"]),
        ("UTC", ("manager",), {}, ["by_affiliate_status_day"]),
        ("UTC", ("day", "country"), {}, ["by_country_status_day"]),
        ("Europe/Berlin", ("country",), {}, ["by_country_status_day", "fact", "fact"]),
        ("Europe/Berlin", ("day", "country"), {}, ["fact"]),
        ("UTC", ("offer",), {"goal": ("1",)}, ["fact"]),
        ("UTC", ("day",), {"currency": ("USD",)}, ["fact"]),  # rollups are of the platform's currency
        ("UTC", ("sub1",), {}, ["fact"]),
    ],
)
def test_rollup_of_conversion_events_is_used_where_possible(
    analytics: Analytics, zone: str, dimensions: tuple[str, ...], filters: dict[str, Any], names: list[str]
) -> None:
    ids = [f"{DAY // 1000:08x}{IMPORT_EDGE if n % 3 else 1:02x}{n:014x}" for n in range(600)]
    facts = [
        encode_row(new_fact(n, click_id=id_, time=DAY - 40 * HOUR_MS + n * HOUR_MS // 10, offer=n, affiliate=n))
        for n, id_ in enumerate(ids)
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
    apart = replace(report, counts_clickless=True, limit=1000)
    assert read_by(analytics, apart, "fact") == names
    rows = [row.actions["total"] for row in run_report(analytics, apart).rows]
    counted, clickless = sum(row.count for row in rows), sum(row.clickless for row in rows)
    assert {2 * counted // 3, (2 * counted + 2) // 3} >= {clickless}
    assert sum(row.clickless_payouts for row in rows) == 2 * clickless


@pytest.mark.parametrize(
    ("zone", "dimensions", "filters", "names"),
    [
        ("UTC", ("trafficback_reason",), {}, {"by_reason_step"}),
        ("Asia/Kathmandu", ("trafficback_reason",), {}, {"by_reason_step"}),
        ("Europe/Berlin", ("day", "trafficback_reason"), {}, {"by_reason_step"}),
        ("UTC", ("offer", "trafficback_reason"), {}, {"click"}),
        ("UTC", ("trafficback_reason",), {"country": ("DE",)}, {"click"}),
    ],
)
def test_rollup_of_rejected_clicks_is_used_where_possible(
    analytics: Analytics, zone: str, dimensions: tuple[str, ...], filters: dict[str, Any], names: set[str]
) -> None:
    made = [
        new_click(n, time=DAY + n * HOUR_MS // 10, reason=("bot", "overcap", "")[n % 3], offer=n, country=f"C{n}")
        for n in range(-480, 240)
    ]
    load(analytics, "click", [click_item("j", place, encode(click)) for place, click in enumerate(made)], "t")
    local = {"Asia/Kathmandu": -5 * HOUR_MS - 3 * STEP_MS, "Europe/Berlin": -HOUR_MS, "UTC": 0}[zone]
    period = (DAY - DAY_MS + local, DAY + DAY_MS + local)
    report = Report(Scope.everything(), *period, dimensions, filters, zone=zone, limit=1000)
    assert set(read_by(analytics, report)) == names
    counted = sum(row.trafficback for row in run_report(analytics, report).rows)
    assert counted == sum(bool(each.reason) and period[0] <= each.time < period[1] for each in made) * (not filters)


def test_rollup_with_fewest_columns_is_chosen() -> None:
    assert find_grains(set())[0] == STEP_MS  # by_step: a column less than by_affiliate_hour
    assert find_grains({"affiliate"}) == (DAY_MS, HOUR_MS)
    assert find_grains({"offer"})[0] == find_grains({"country"})[0] == DAY_MS
    assert find_grains({"sub1"}) == ()


def test_rollup_ends_of_local_days_use_finer_rollups_or_rows() -> None:
    assert [piece.grain for piece in split_period(*BERLIN, {"country"})] == [DAY_MS, STEP_MS, STEP_MS]
    assert [piece.grain for piece in split_period(*BERLIN, {"affiliate"})] == [DAY_MS, HOUR_MS, HOUR_MS]
    assert [piece.grain for piece in split_period(*BERLIN, {"city"})] == [DAY_MS, None, None]
    assert [piece.grain for piece in split_period(BERLIN[0] + 1, BERLIN[1], {"country"})] == [DAY_MS, None, STEP_MS]
    assert [piece.grain for piece in split_period(*BERLIN, {"country", "sub1"})] == [None]


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
def test_rollup_pieces_cover_the_period(since: int, until: int, columns: set[str]) -> None:
    pieces = sorted(split_period(since, until, columns), key=lambda piece: piece.since)
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
def test_rollup_grains_match_offsets_of_zone(zone: str, steps: bool, hours: bool, days: bool) -> None:
    period = (ms(2024, 1, 1), ms(2025, 1, 1))
    assert [has_whole_grains(zone, *period, grain) for grain in (STEP_MS, HOUR_MS, DAY_MS)] == [steps, hours, days]
    assert not has_whole_grains("UTC", period[0] + 1, period[1], STEP_MS)


def test_rollup_before_standard_offsets_reads_rows() -> None:
    assert not has_whole_grains("Africa/Monrovia", ms(1971, 1, 1), ms(1972, 1, 1), STEP_MS)
    assert has_whole_grains("Africa/Monrovia", ms(1973, 1, 1), ms(1974, 1, 1), STEP_MS)
