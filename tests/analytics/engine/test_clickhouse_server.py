"""Loads and reports with a ClickHouse server."""

from collections.abc import Iterator

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores.analytics import empty_analytics
from trackyard.analytics.engine.connection import Analytics, QueryLimits, StoreError
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.engine.schema import TABLES
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.analytics.reports.clicks import find_records, list_clicks
from trackyard.analytics.reports.cohorts import query_retention, query_time_to_action
from trackyard.analytics.reports.reports import run_report
from trackyard.analytics.reports.subs import SubSearch, find_subs
from trackyard.base.errors import ReportTooHeavy
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.cohorts import Cohort, RetentionQuery, TimeToActionQuery, TimeToActionRow
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.domain.statistics.reports import Report
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode


@pytest.fixture
def remote(clickhouse_address: str) -> Iterator[Analytics]:
    """Yield an empty database of a server."""
    with empty_analytics() as name:
        store = Analytics.open(f"{clickhouse_address}/{name}", limits=QueryLimits(seconds=2))
        yield store
        store.close()


def test_clickhouse_server_gets_the_schema(clickhouse_address: str) -> None:
    store = Analytics.open(f"{clickhouse_address}/wire")
    for _ in range(2):
        migrate(store)
    sql = "SELECT table, groupArray(name) FROM system.columns WHERE database = 'wire' GROUP BY table ORDER BY table"
    found = dict(store.rows(sql, {}, tuple[str, tuple[str, ...]]))
    assert {name: found[name] for name in TABLES} == {name: table.column_names for name, table in TABLES.items()}
    store.run("DROP DATABASE wire")
    store.close()


def test_clickhouse_server_returns_loaded_rows(remote: Analytics) -> None:
    clicks = [new_click(number, sub1="a'b\\\tö") for number in range(300)]
    payloads = [encode(click) for click in clicks]
    items = [click_item("j", place, payload) for place, payload in enumerate(payloads)]
    items[7] = b'["x",5,["no number"]]'
    for maybe_loaded in (False, False, True):
        assert [bad.place for bad in load(remote, "click", items, "t", maybe_loaded=maybe_loaded).bad] == [7]
        load(remote, "click_lookup", [lookup_item(payload) for payload in payloads], "t", maybe_loaded=maybe_loaded)
        load(remote, "fact", [encode_row(new_fact(1, click_id=clicks[3].id))], "t", maybe_loaded=maybe_loaded)
    report = Report(
        Scope.everything(), NOON, NOON + 1, ("day", "sub1"), filters={"sub1": ("a'b\\\tö",)}, zone="Asia/Kathmandu"
    )
    [row] = run_report(remote, report).rows
    assert (row.keys, row.raw) == ({"year": 2023, "month": 11, "day": 15, "sub1": "a'b\\\tö"}, 299)
    page = list_clicks(remote, ClickQuery(Scope.of_affiliate(1), NOON, NOON + 1, limit=1000))
    assert page.total_count == 299
    assert [entry.click.id for entry in page.clicks if entry.conversion_ids] == [clicks[3].id]
    assert find_records(remote, [click.id for click in clicks]) == {
        click.id: payload for click, payload in zip(clicks, payloads, strict=True)
    }


def test_clickhouse_server_answers_cohorts_times_managers_and_subs(remote: Analytics) -> None:
    clicks = [new_click(number, sub2=f"a'{number}") for number in range(3)]
    load(remote, "click", [click_item("j", place, encode(click)) for place, click in enumerate(clicks)], "t")
    goals = ("in", "s'ale\\")
    facts = [new_fact(number, click_id=clicks[0].id, goal=goal) for number, goal in enumerate(goals)]
    load(remote, "fact", [encode_row(fact) for fact in facts], "t")
    asked = RetentionQuery(Scope.everything(), NOON, NOON + 1, "UTC", 1, "in", (goals[1], "x"), (1,))
    assert query_retention(remote, asked) == [Cohort(1, "2023-11-15", 1, {goals[1]: 1, "x": 0})]
    timing = TimeToActionQuery(Scope.of_affiliate(1), NOON, NOON + 1, 1, goals[1:], (1,))
    assert query_time_to_action(remote, timing) == ([TimeToActionRow(1, 3, 1, 1, 0, 0)], 1)
    search = SubSearch(Scope.everything(), 0, {"sub2": ("a'", "\\")}, page=2, limit=2)
    assert find_subs(remote, search) == ([{"sub2": "a'2"}], 3)
    for managers, key in (({1: "d" * 24}, "d" * 24), ({}, "0")):
        report = Report(Scope.everything(), NOON, NOON + 1, ("manager",), managers={"manager": managers})
        [row] = run_report(remote, report).rows
        assert (row.keys, row.raw) == ({"affiliate_manager_id": key}, 3)


def test_clickhouse_server_enforces_query_limits(remote: Analytics) -> None:
    with pytest.raises(ReportTooHeavy):
        remote.rows("SELECT sum(number % 7) FROM numbers(1000000000000)", {}, tuple[int])


def test_clickhouse_server_missing_is_a_store_error() -> None:
    with pytest.raises(
        StoreError, match=r"cannot connect to ClickHouse at 127\.0\.0\.1:9: Connection refused"
    ) as failure:
        Analytics.open("http://user:secret@127.0.0.1:9/name")
    assert "secret" not in str(failure.value)
