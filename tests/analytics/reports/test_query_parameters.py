"""Texts and numbers of clients in statements, with both engines."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from tests.support.models.events import NOON, new_click
from tests.support.stores.analytics import address
from trackyard.analytics.cancellation import CancellationToken, current_cancellation
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.exports.row_stream import packed_row_column
from trackyard.analytics.load import click_item, load
from trackyard.analytics.reports.clicks import list_clicks
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.reports import Report, Values
from trackyard.journal.records import encode

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
def test_store_parameters_accept_any_text(way: str, clickhouse_address: str) -> None:
    store = Analytics.open(address() if way == "chdb" else clickhouse_address, database="texts")
    try:
        assert store.rows("SELECT {texts:Array(String)}", {"texts": TEXTS}, tuple[list[str]]) == [(TEXTS,)]
        for text in TEXTS:
            sql = "SELECT {text:String} IN {texts:Array(String)}, {text:String} IN {none:Array(String)}"
            assert store.rows(sql, {"text": "q", "texts": [text, "q"], "none": []}, tuple[int, int]) == [(1, 0)]
    finally:
        store.close()


def test_store_filter_matches_exact_text(analytics: Analytics) -> None:
    clicks = [new_click(number, sub1=text) for number, text in enumerate(TEXTS)]
    load(analytics, "click", [click_item("j", place, encode(click)) for place, click in enumerate(clicks)], "t")
    for text in TEXTS:
        report = Report(Scope.everything(), NOON, NOON + 1, ("sub1",), filters={"sub1": (text,)})
        assert [row.keys for row in run_report(analytics, report).rows] == [{"sub1": text}]


@pytest.mark.parametrize("values", [(10**30,), (-(10**30),), (2**63,)])
def test_store_filter_by_out_of_range_number_selects_nothing(analytics: Analytics, values: Values) -> None:
    load(analytics, "click", [click_item("j", 0, encode(new_click(1)))], "t")
    report = Report(Scope.everything(), NOON, NOON + 1, ("day",), filters={"offer": values})
    assert run_report(analytics, report).rows == []


def test_store_page_out_of_range_is_empty(analytics: Analytics) -> None:
    load(analytics, "click", [click_item("j", 0, encode(new_click(1)))], "t")
    report = Report(Scope.everything(), NOON, NOON + 1, ("day",), page=10**40)
    assert (run_report(analytics, report).rows, run_report(analytics, report).total_count) == ([], 1)
    page = list_clicks(analytics, ClickQuery(Scope.everything(), NOON, NOON + 1, page=10**40))
    assert (page.clicks, page.total_count) == ([], 1)


COUNTED = "SELECT number % 1000003 AS k, count() AS c FROM numbers_mt(3000000000) GROUP BY k ORDER BY c, k LIMIT 2"
FAULTS = ["cancelled", "timed out", "no memory", "no such column", "broken off"]


def fail(store: Analytics, fault: str, token: CancellationToken) -> None:
    """Run a statement that fails in this way, as a request."""
    current_cancellation.set(token)
    if fault == "no such column":
        store.page("SELECT nothing FROM numbers(10) LIMIT 1", {}, list[int])
    elif fault == "broken off":
        with store.stream(f"SELECT {packed_row_column('number')} FROM numbers(1000000)", {}, list[int]) as rows:
            assert next(rows)
    else:
        store.page(COUNTED, {}, list[int])


@pytest.mark.parametrize("fault", FAULTS)
def test_store_statement_after_failed_one_gets_its_own_answer(fault: str) -> None:
    """chDB answers the next statement of a connection with the rest of a failed one."""
    limits = QueryLimits(seconds=1 if fault == "timed out" else 30, memory=10**7 if fault == "no memory" else 10**9)
    store = Analytics.open(address(), database="texts", limits=limits)
    for turn in range(5):
        token = CancellationToken("a")
        with ThreadPoolExecutor(1) as pool:
            failed = pool.submit(copy_context().run, fail, store, fault, token)
            if fault == "cancelled":
                time.sleep(0.05 + turn * 0.02)  # at whatever place it is
                token.cancel()
            assert (failed.exception(30) is None) == (fault == "broken off")
        for _ in range(3):
            page = store.page("SELECT number FROM numbers(10) ORDER BY number LIMIT 2", {}, list[int])
            assert page == ([[0], [1]], 10)
            assert store.rows("SELECT 7", {}, tuple[int]) == [(7,)]
    store.close()
