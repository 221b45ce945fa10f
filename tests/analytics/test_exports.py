"""All rows of a report, all clicks of a period."""

import dataclasses
from collections.abc import Iterator
from itertools import count
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.analytics.test_lists import load_clicks
from tests.support.clickhouse import clickhouse_address
from tests.support.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics, Limits
from trackyard.analytics.engine.schema import migrate
from trackyard.analytics.exports import exports
from trackyard.analytics.exports.exports import KeptRows, Span, each_click, spans_of
from trackyard.analytics.load import load
from trackyard.analytics.reports.clicks import ClickList, ListedClick, list_clicks
from trackyard.analytics.reports.query import Report
from trackyard.analytics.reports.reports import StatsRow, run_report
from trackyard.base.errors import TooHeavy
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.rows import encode_row

__all__ = ["clickhouse_address"]

DAY = 86_400_000
WEEK = ClickList(Scope.everything(), NOON - 3 * DAY, NOON + 4 * DAY)

_numbers = count(1)


@pytest.fixture(params=["chdb", "wire"])
def store(request: pytest.FixtureRequest, clickhouse_address: str) -> Iterator[Analytics]:
    """A fresh database, in this process or of a server."""
    if request.param == "chdb":
        yield request.getfixturevalue("analytics")
        return
    store = Analytics.open(f"{clickhouse_address}/exports{next(_numbers)}")
    migrate(store)
    yield store
    store.close()


def fill(store: Analytics) -> None:
    """300 clicks in three days, many at the same moment, and conversions of some."""
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


def pages(store: Analytics, query: ClickList) -> list[ListedClick]:
    found = []
    for page in count(1):
        clicks = list_clicks(store, dataclasses.replace(query, page=page, limit=100)).clicks
        if not clicks:
            return found
        found += clicks
    raise AssertionError


Rows = list[dict[str, Any]]


def columns(clicks: list[ListedClick]) -> Rows:
    """Listed clicks by the columns that files are made of."""
    return [
        {name: getattr(listed.click, name) for name in exports.CLICK_COLUMNS}
        | {"conversion_id": listed.conversion_ids[0] if listed.conversion_ids else ""}
        for listed in clicks
    ]


def exported(store: Analytics, query: ClickList) -> Rows:
    return [click for piece in each_click(store, query, spans_of(store, query)) for click in piece.to_pylist()]


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
def test_the_clicks_of_all_pages(store: Analytics, change: dict[str, Any]) -> None:
    fill(store)
    query = dataclasses.replace(WEEK, **change)
    wanted = pages(store, query)
    assert exported(store, query) == columns(wanted)
    assert sum(span.clicks for span in spans_of(store, query)) == len(wanted)
    assert bool(wanted) == bool(query.scope.affiliate_ids != frozenset())
    if not change:
        assert {len(click.conversion_ids) for click in wanted} >= {0, 2}


def test_days_are_read_together_as_long_as_they_are_few(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(analytics)
    midnight = NOON - NOON % DAY
    assert spans_of(analytics, WEEK) == [Span(midnight - DAY, midnight + 4 * DAY, 225)]
    wanted = exported(analytics, WEEK)
    monkeypatch.setattr(exports, "SPAN", 150)
    assert spans_of(analytics, WEEK) == [
        Span(midnight + DAY, midnight + 4 * DAY, 150),
        Span(midnight - DAY, midnight, 75),
    ]
    assert exported(analytics, WEEK) == wanted


@pytest.mark.parametrize("held", [0.0, 1.5])
def test_a_reader_who_takes_long_is_read_for_anew(
    analytics: Analytics, held: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(analytics)
    wanted = exported(analytics, WEEK)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream.ROWS", 10)
    monkeypatch.setattr(exports, "HELD_S", held)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream._READ", 3000)
    opened = []
    batches = Analytics.batches
    monkeypatch.setattr(Analytics, "batches", lambda self, *asked: opened.append(asked) or batches(self, *asked))
    ticks = count()
    found = list(each_click(analytics, WEEK, spans_of(analytics, WEEK), lambda: float(next(ticks))))
    assert [click for piece in found for click in piece.to_pylist()] == wanted
    assert len(opened) > 5


def test_what_is_loaded_behind_the_reader_is_left_out(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(analytics)
    wanted = exported(analytics, WEEK)
    monkeypatch.setattr(exports, "SPAN", 1)
    reader = each_click(analytics, WEEK, spans_of(analytics, WEEK))
    found = next(reader).to_pylist()
    load_clicks(analytics, [new_click(9000, time=NOON + 3 * DAY)])
    found += [click for piece in reader for click in piece.to_pylist()]
    assert found == wanted


@pytest.mark.parametrize("few", [0, 50])
def test_conversions_are_those_of_the_clicks_alone(
    analytics: Analytics, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    fill(analytics)
    monkeypatch.setattr(exports, "_FEW", few)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream.ROWS", 7)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream._READ", 900)
    for affiliate in (1, 2):
        query = dataclasses.replace(WEEK, scope=Scope.of_affiliate(affiliate))
        found = exported(analytics, query)
        assert found == columns(pages(analytics, query))
        assert any(click["conversion_id"] for click in found)


def rows_of(store: Analytics, report: Report) -> list[StatsRow]:
    with TemporaryFile() as file:
        kept = KeptRows(report, file)
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
        {"dimensions": ("goal",), "not_found_apart": True},
        {"dimensions": ("goal", "trafficback_reason")},
        {"nonzero": True, "scope": Scope.of_affiliate(2)},
        {"filters": {"currency": ("EUR",)}},
    ],
)
def test_the_rows_of_all_pages(store: Analytics, change: dict[str, Any]) -> None:
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


def test_too_much_is_told_before_there_are_rows(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(analytics)
    monkeypatch.setattr(analytics, "_limits", Limits(memory=100_000))
    report = Report(Scope.everything(), NOON - 3 * DAY, NOON + 4 * DAY, ("sub1",))
    with TemporaryFile() as file, pytest.raises(TooHeavy):
        KeptRows(report, file).read(analytics)
