"""Text and numbers of strangers in questions to the store, on either way to it."""

import pytest

from tests.support.analytics import address
from tests.support.clickhouse import clickhouse_address
from tests.support.events import NOON, new_click
from trackyard.domain.scope import Scope
from trackyard.journal.records import encode
from trackyard.stats.engine import Analytics
from trackyard.stats.lists import ClickList, list_clicks
from trackyard.stats.load import click_item, load
from trackyard.stats.query import Report, Values
from trackyard.stats.reports import run_report

__all__ = ["clickhouse_address"]

TEXTS = [
    "",
    " ",
    "'",
    '"',
    "\\",
    "\\'",
    "\\N",
    "NULL",
    "a\tb",
    "a\nb",
    "a\rb",
    "a\0b",
    "],['",
    "{since:Int64}",
    "%s",
    "é✓𝄞",
    "--",
    "x" * 5000,
]


@pytest.mark.parametrize("way", ["chdb", "http"])
def test_any_text_is_a_value_and_nothing_else(way: str, clickhouse_address: str) -> None:
    store = Analytics.open(address() if way == "chdb" else clickhouse_address, database="texts")
    try:
        assert store.rows("SELECT {texts:Array(String)}", {"texts": TEXTS}, tuple[list[str]]) == [(TEXTS,)]
        for text in TEXTS:
            sql = "SELECT {text:String} IN {texts:Array(String)}, {text:String} IN {none:Array(String)}"
            assert store.rows(sql, {"text": "q", "texts": [text, "q"], "none": []}, tuple[int, int]) == [(1, 0)]
    finally:
        store.close()


def test_a_filter_finds_the_very_text(analytics: Analytics) -> None:
    clicks = [new_click(number, sub1=text) for number, text in enumerate(TEXTS)]
    load(analytics, "click", [click_item("j", place, encode(click)) for place, click in enumerate(clicks)], "t")
    for text in TEXTS:
        report = Report(Scope.everything(), NOON, NOON + 1, ("sub1",), filters={"sub1": (text,)})
        assert [row.keys for row in run_report(analytics, report).rows] == [{"sub1": text}]


@pytest.mark.parametrize("values", [(10**30,), (-(10**30),), (2**63,)])
def test_a_number_that_fits_no_column_selects_nothing(analytics: Analytics, values: Values) -> None:
    load(analytics, "click", [click_item("j", 0, encode(new_click(1)))], "t")
    report = Report(Scope.everything(), NOON, NOON + 1, ("day",), filters={"offer": values})
    assert run_report(analytics, report).rows == []


def test_a_page_out_of_all_bounds_is_empty(analytics: Analytics) -> None:
    load(analytics, "click", [click_item("j", 0, encode(new_click(1)))], "t")
    report = Report(Scope.everything(), NOON, NOON + 1, ("day",), page=10**40)
    assert (run_report(analytics, report).rows, run_report(analytics, report).total_count) == ([], 1)
    page = list_clicks(analytics, ClickList(Scope.everything(), NOON, NOON + 1, page=10**40))
    assert (page.clicks, page.total_count) == ([], 1)
