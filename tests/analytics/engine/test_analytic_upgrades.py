"""Stores of each published release come up to date, with their rows, also after kills."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import cast

import pytest

from tests.analytics.engine.test_cluster_layout import RecordingStore
from tests.analytics.engine.test_rollups import read_by
from tests.support.models.events import NOON
from tests.support.stores.analytic_dumps import dump_numbers, restore_dump, rows_by_table
from tests.support.stores.analytics import address
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.migrations import MIGRATIONS, check_schema, find_schema, migrate, newest_number
from trackyard.analytics.engine.rollups import DAY_MS
from trackyard.analytics.engine.schema import TABLES
from trackyard.analytics.reports.reports import run_report
from trackyard.base.metrics.version import program_version
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Report

pytestmark = pytest.mark.slow

PARTS = (
    "SELECT table, name FROM system.projections WHERE database = currentDatabase() UNION ALL "
    "SELECT table, name FROM system.data_skipping_indices WHERE database = currentDatabase()"
)


@pytest.fixture(params=["chdb", "server"])
def old_store(request: pytest.FixtureRequest) -> Iterator[Analytics]:
    """A store without tables, of each engine."""
    if request.param == "chdb":
        store = Analytics.open(address(), database="old_store")
    else:
        store = Analytics.open(f"{request.getfixturevalue('clickhouse_address')}/old_store")
    yield store
    store.run("DROP DATABASE old_store")
    store.close()


def check_is_newest(store: Analytics, before: dict[str, list[dict[str, object]]]) -> None:
    """Assert that the tables are those of this program, with the rows of before."""
    after = rows_by_table(store)
    for table, rows in before.items():
        assert [{name: row[name] for name in rows[0]} for row in after[table]][: len(rows)] == rows, table
    columns = store.rows("SELECT table, name FROM system.columns WHERE database = 'old_store'", {}, tuple[str, str])
    for table in TABLES.values():
        assert {name for owner, name in columns if owner == table.name} == set(table.column_names)
    parts = {(table.name, name) for table in TABLES.values() for name in (*table.projections, *table.indexes)}
    assert set(store.rows(PARTS, {}, tuple[str, str])) == parts
    assert find_schema(store).number == newest_number()


@pytest.mark.parametrize("number", dump_numbers())
def test_analytic_store_of_published_release_upgrades_with_all_rows(old_store: Analytics, number: int) -> None:
    restore_dump(old_store, number)
    before = rows_by_table(old_store)
    assert {len(rows) for table, rows in before.items() if table != "schema_step"} == {2}
    assert check_schema(old_store).number == number
    migrate(old_store)
    check_is_newest(old_store, before)
    if number < newest_number():
        assert find_schema(old_store).program == program_version()


@pytest.mark.parametrize("number", dump_numbers())
def test_analytic_upgrade_counts_stored_conversions_without_a_click(old_store: Analytics, number: int) -> None:
    restore_dump(old_store, number)
    imported = "concat(substring(click_id, 1, 8), 'ff', substring(click_id, 11)) AS click_id"
    other = "concat('a', substring(conversion_id, 2)) AS conversion_id"
    old_store.run(f"INSERT INTO fact SELECT * REPLACE ({imported}, {other}) FROM fact")
    migrate(old_store)
    unfinished = "SELECT count() FROM system.mutations WHERE database = 'old_store' AND NOT is_done"
    wait_until(lambda: old_store.rows(unfinished, {}, tuple[int]) == [(0,)])
    since = NOON // DAY_MS * DAY_MS
    report = Report(Scope.everything(), since, since + DAY_MS, ("offer",), counts_clickless=True)
    assert read_by(old_store, report, "fact") == ["by_offer_status_day"]
    for asked in (report, replace(report, dimensions=("offer", "sub1"))):  # from the rollup, and from rows
        [found] = [
            row.actions["confirmed"] for row in run_report(old_store, asked).rows if row.actions["confirmed"].count
        ]
        assert (found.count, found.payouts) == (4, 8)
        assert (found.clickless, found.clickless_payouts) == (2, 4)


class Killed(BaseException):
    """The end of a process."""


@pytest.mark.parametrize("old_store", ["chdb"], indirect=True)
def test_analytic_upgrade_killed_after_any_statement_is_finished_by_the_next(
    old_store: Analytics, monkeypatch: pytest.MonkeyPatch
) -> None:
    restore_dump(old_store, dump_numbers()[0])
    before = rows_by_table(old_store)
    old_store.run("DELETE FROM schema_step WHERE number > 1")  # every later step runs again
    run, survived = Analytics.run, set[str]()

    def run_until_killed(store: Analytics, sql: str) -> None:
        run(store, sql)
        if sql not in survived:
            survived.add(sql)
            raise Killed

    monkeypatch.setattr(Analytics, "run", run_until_killed)
    finished = False
    while not finished:  # each start comes further by one statement
        with suppress(Killed):
            migrate(old_store)
            finished = True
    assert len(survived) > len(MIGRATIONS)
    monkeypatch.undo()
    check_is_newest(old_store, {name: rows for name, rows in before.items() if name != "schema_step"})


def test_analytic_schema_of_newer_program_is_rejected_and_kept(analytics: Analytics) -> None:
    newer = newest_number() + 1
    analytics.run(f"INSERT INTO schema_step (number, program) VALUES ({newer}, '9.8.7')")
    with pytest.raises(StoreError, match=rf"number {newer}, made by version 9\.8\.7, .*{program_version()}.*backup"):
        migrate(analytics)
    assert find_schema(analytics).number == newer


def test_analytic_steps_on_a_cluster_reach_every_machine_and_may_be_repeated() -> None:
    answers = {
        "SELECT engine": [("Distributed",)],
        "SELECT name FROM system.projections": [],
        "FROM cluster('yard', system.parts)": [(2,)],
        "FROM cluster('yard', system.projection_parts)": [("by_step", 2), ("by_click", 1)],
        "SELECT name FROM system.columns": [("number",), ("at",)],
        "SELECT count() FROM system.columns": [(0,)],
        "SELECT count() FROM system.tables": [(5,)],
        "max(number), ''": [(1, "")],
        "max(number)": [(1,)],
        "partition_key": [("toYYYYMM(time)",)],
        "groupArray": [(name, list(table.column_names[:-1])) for name, table in TABLES.items()],
        "SELECT table, name": [(table.name, name) for table in TABLES.values() for name in table.column_names],
    }
    store = RecordingStore(answers)
    migrate(cast(Analytics, store))
    changes = [sql for sql in store.changes() if not sql.startswith("INSERT INTO schema_step (number, program)")]
    assert "ALTER TABLE `schema_step` ON CLUSTER `yard` ADD COLUMN IF NOT EXISTS `program` String" in changes
    for sql in changes:
        assert "ON CLUSTER `yard`" in sql, sql
        repeatable = ("IF NOT EXISTS", "IF EXISTS", " MATERIALIZE ", " MODIFY SETTING ")
        assert any(part in sql for part in repeatable), sql


@pytest.mark.parametrize("old_store", ["chdb"], indirect=True)
def test_analytic_tables_that_differ_from_the_last_dump_have_a_new_number(old_store: Analytics) -> None:
    last = dump_numbers()[-1]
    restore_dump(old_store, last)
    columns = "SELECT table, name FROM system.columns WHERE database = 'old_store' AND table != 'schema_step'"
    found = {*old_store.rows(columns, {}, tuple[str, str]), *old_store.rows(PARTS, {}, tuple[str, str])}
    declared = {
        (table.name, name)
        for table in TABLES.values()
        for name in (*table.column_names, *table.projections, *table.indexes)
    }
    assert (found == declared) or newest_number() > last, "add a step to MIGRATIONS"
