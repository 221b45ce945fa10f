"""Exports of all rows of a report, or all clicks of a period."""

import dataclasses
from itertools import count
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.analytics.reports.test_click_list import load_clicks
from tests.support.models.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.exports import exports
from trackyard.analytics.exports.exports import ExportPeriod, SpooledReport, each_click, split_into_export_periods
from trackyard.analytics.load import load
from trackyard.analytics.reports.clicks import ListedClick, list_clicks
from trackyard.analytics.reports.reports import run_report
from trackyard.base.errors import ReportTooHeavy
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.reports import Report, StatsRow
from trackyard.domain.statistics.rows import encode_row

DAY = 86_400_000
WEEK = ClickQuery(Scope.everything(), NOON - 3 * DAY, NOON + 4 * DAY)


def fill(store: Analytics) -> None:
    """Load 300 clicks of three days, many at the same time, some with conversions."""
    times = [NOON + number % 3 * 2 * DAY + number % 5 - DAY for number in range(300)]
    changes: list[dict[str, Any]] = [{}, {"affiliate": 2}, {"reason": "bot"}, {"sub1": "a'\"\\\n\tö/"}]
    clicks = [new_click(number, time=time, **changes[number % 4]) for number, time in enumerate(times)]
    load_clicks(store, clicks)
    facts = []
    for number in range(0, 300, 7):
        of = {"click_id": clicks[number].id, "click_time": clicks[number].time, "affiliate": clicks[number].affiliate}
        facts += [new_fact(number, time=clicks[number].time + 5, **of), new_fact(number + 300, **of)]
        facts[-1] = new_fact(number + 300, time=clicks[number].time - 9000, **of)  # a clock that is behind
    facts += [new_fact(7, time=clicks[7].time + 5, sign=-1, click_id=clicks[7].id, click_time=clicks[7].time)]
    load(store, "fact", [encode_row(fact) for fact in facts], "t")


def pages(store: Analytics, query: ClickQuery) -> list[ListedClick]:
    found = []
    for page in count(1):
        clicks = list_clicks(store, dataclasses.replace(query, page=page, limit=100)).clicks
        if not clicks:
            return found
        found += clicks
    raise AssertionError


Rows = list[dict[str, Any]]


def columns(clicks: list[ListedClick]) -> Rows:
    """Return listed clicks by the columns of files."""
    return [
        {name: getattr(listed.click, name) for name in exports.CLICK_COLUMNS}
        | {"conversion_id": listed.conversion_ids[0] if listed.conversion_ids else ""}
        for listed in clicks
    ]


def exported(store: Analytics, query: ClickQuery) -> Rows:
    return [
        click
        for piece in each_click(store, query, split_into_export_periods(store, query))
        for click in piece.to_pylist()
    ]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"scope": Scope.of_affiliate(2)},
        {"scope": Scope(affiliate_ids=frozenset())},
        {"filters": {"affiliate": (1,)}},
        {"since": NOON - DAY + 2, "until": NOON + DAY + 1},
    ],
)
def test_click_export_equals_all_pages(store: Analytics, change: dict[str, Any]) -> None:
    fill(store)
    query = dataclasses.replace(WEEK, **change)
    wanted = pages(store, query)
    assert exported(store, query) == columns(wanted)
    assert sum(span.clicks for span in split_into_export_periods(store, query)) == len(wanted)
    assert bool(wanted) == bool(query.scope.affiliate_ids != frozenset())
    if not change:
        assert {len(click.conversion_ids) for click in wanted} >= {0, 2}


def test_click_export_reads_small_days_together(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(analytics)
    midnight = NOON - NOON % DAY
    assert split_into_export_periods(analytics, WEEK) == [ExportPeriod(midnight - DAY, midnight + 4 * DAY, 225)]
    wanted = exported(analytics, WEEK)
    monkeypatch.setattr(exports, "PERIOD_CLICKS", 150)
    assert split_into_export_periods(analytics, WEEK) == [
        ExportPeriod(midnight + DAY, midnight + 4 * DAY, 150),
        ExportPeriod(midnight - DAY, midnight, 75),
    ]
    assert exported(analytics, WEEK) == wanted


@pytest.mark.parametrize("held", [0.0, 1.5])
def test_click_export_for_slow_reader_runs_several_queries(
    analytics: Analytics, held: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(analytics)
    wanted = exported(analytics, WEEK)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream.BATCH_ROWS", 10)
    monkeypatch.setattr(exports, "MAX_OPEN_S", held)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream._READ_BYTES", 3000)
    opened = []
    batches = Analytics.batches
    monkeypatch.setattr(Analytics, "batches", lambda self, *asked: opened.append(asked) or batches(self, *asked))
    ticks = count()
    found = list(each_click(analytics, WEEK, split_into_export_periods(analytics, WEEK), lambda: float(next(ticks))))
    assert [click for piece in found for click in piece.to_pylist()] == wanted
    assert len(opened) > 5


def test_click_export_omits_rows_loaded_after_reader(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(analytics)
    wanted = exported(analytics, WEEK)
    monkeypatch.setattr(exports, "PERIOD_CLICKS", 1)
    reader = each_click(analytics, WEEK, split_into_export_periods(analytics, WEEK))
    found = next(reader).to_pylist()
    load_clicks(analytics, [new_click(9000, time=NOON + 3 * DAY)])
    found += [click for piece in reader for click in piece.to_pylist()]
    assert found == wanted


@pytest.mark.parametrize("few", [0, 50])
def test_click_export_has_conversions_of_its_clicks_only(
    analytics: Analytics, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    fill(analytics)
    monkeypatch.setattr(exports, "_MAX_LISTED_VALUES", few)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream.BATCH_ROWS", 7)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream._READ_BYTES", 900)
    for affiliate in (1, 2):
        query = dataclasses.replace(WEEK, scope=Scope.of_affiliate(affiliate))
        found = exported(analytics, query)
        assert found == columns(pages(analytics, query))
        assert any(click["conversion_id"] for click in found)


def rows_of(store: Analytics, report: Report) -> list[StatsRow]:
    with TemporaryFile() as file:
        kept = SpooledReport(report, file)
        kept.read(store)
        rows = [row for piece in kept.each() for row in piece]
        assert kept.count == len(rows)
        return rows


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"order": ("total_count", "sub1"), "descending": True},
        {"order": ("currency",)},
        {"dimensions": ("day", "affiliate"), "zone": "Asia/Kathmandu"},
        {"dimensions": ()},
        {"dimensions": ("goal",), "separate_not_found": True},
        {"dimensions": ("goal", "trafficback_reason")},
        {"nonzero": True, "scope": Scope.of_affiliate(2)},
        {"filters": {"currency": ("EUR",)}},
    ],
)
def test_report_export_equals_all_pages(store: Analytics, change: dict[str, Any]) -> None:
    fill(store)
    asked: dict[str, Any] = {"dimensions": ("sub1", "day"), "limit": 2} | change
    asked |= {"since": NOON - 3 * DAY, "until": NOON + 4 * DAY, "scope": change.get("scope", Scope.everything())}
    report = Report(**asked)
    wanted: list[StatsRow] = []
    for page in count(1):
        found = run_report(store, dataclasses.replace(report, page=page)).rows
        if not found:
            break
        wanted += found
    assert rows_of(store, report) == wanted
    assert wanted or change.get("dimensions") == ("goal", "trafficback_reason")


def test_report_export_too_heavy_fails_before_first_row(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(analytics)
    monkeypatch.setattr(analytics, "_limits", QueryLimits(memory=100_000))
    report = Report(Scope.everything(), NOON - 3 * DAY, NOON + 4 * DAY, ("sub1",))
    with TemporaryFile() as file, pytest.raises(ReportTooHeavy):
        SpooledReport(report, file).read(analytics)
