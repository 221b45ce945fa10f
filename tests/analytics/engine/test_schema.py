"""The tables equal the types of their rows."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores.analytics import address
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.migrations import MIGRATIONS, migrate
from trackyard.analytics.engine.schema import POSITION_COLUMNS, TABLES
from trackyard.analytics.load import click_item, load
from trackyard.analytics.maintenance.shadow_tables import create_shadow_tables, drop_shadow_tables
from trackyard.analytics.reports.clicks import find_records
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import Click, decode_click, encode, encode_click

WAITING_MUTATIONS = "SELECT count() FROM system.mutations WHERE database = currentDatabase() AND NOT is_done"


def test_analytic_migration_repeated_changes_nothing(analytics: Analytics) -> None:
    before = analytics.rows("SELECT count() FROM schema_step", {}, tuple[int])
    migrate(analytics)
    assert analytics.rows("SELECT count() FROM schema_step", {}, tuple[int]) == before


@pytest.fixture
def new_store() -> Iterator[Analytics]:
    """A store without tables."""
    store = Analytics.open(address(), database="new_store")
    yield store
    store.run("DROP DATABASE new_store")
    store.close()


def _schema(store: Analytics) -> list[tuple[str, str]]:
    sql = "SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() ORDER BY name"
    return store.rows(sql, {}, tuple[str, str])


def test_analytic_migration_of_new_store_equals_all_steps(new_store: Analytics) -> None:
    migrate(new_store)
    made = _schema(new_store)
    steps = new_store.rows("SELECT number FROM schema_step ORDER BY number", {}, tuple[int])
    assert steps == [(number,) for number in range(1, len(MIGRATIONS) + 1)]
    for name, _ in made:
        new_store.run(f"DROP TABLE `{name}` SYNC")
    for step in MIGRATIONS:
        step(new_store)
    assert _schema(new_store) == [row for row in made if row[0] != "schema_step"]


def test_analytic_migration_of_new_store_alters_no_table(new_store: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []
    run = Analytics.run

    def record(store: Analytics, sql: str) -> None:
        statements.append(sql)
        run(store, sql)

    monkeypatch.setattr(Analytics, "run", record)
    migrate(new_store)
    assert [sql for sql in statements if sql.startswith("ALTER")] == []
    assert len(statements) == len(TABLES) + 2  # the tables, `schema_step` and its rows


def test_analytic_migration_of_half_made_store_is_completed(new_store: Analytics) -> None:
    TABLES["click"].create(new_store)  # a start that was killed
    migrate(new_store)
    assert {name for name, _ in _schema(new_store)} == {*TABLES, "schema_step"}


def test_analytic_click_columns_equal_record_fields() -> None:
    assert TABLES["click"].column_names == POSITION_COLUMNS + Click.__struct_fields__
    assert TABLES["view"].columns == TABLES["click"].columns


def test_analytic_tables_sync_inserts_to_disk() -> None:
    store = Analytics.open(address(), database="synced")
    migrate(store)
    sql = "SELECT name, engine_full FROM system.tables WHERE database = 'synced' AND name != 'schema_step'"
    found = dict(store.rows(sql, {}, tuple[str, str]))
    store.run("DROP DATABASE synced")
    store.close()
    assert set(found) == set(TABLES)
    for settings in found.values():
        assert "fsync_after_insert = 1" in settings
        assert "fsync_part_directory = 1" in settings


def test_analytic_migration_adds_view_table(analytics: Analytics) -> None:
    analytics.run("DROP TABLE view")
    analytics.run("TRUNCATE TABLE schema_step")
    analytics.run("INSERT INTO schema_step (number) VALUES (1)")
    migrate(analytics)
    assert analytics.rows("SELECT count() FROM view", {}, tuple[int]) == [(0,)]


@pytest.mark.parametrize("table", ["click", "view"])
def test_analytic_migration_adds_prelanding_column(analytics: Analytics, table: str) -> None:
    analytics.run(f"ALTER TABLE {table} DROP COLUMN prelanding")
    analytics.run("DELETE FROM schema_step WHERE number > 5")
    migrate(analytics)
    load(analytics, table, [click_item("j", 1, encode(new_click(1, prelanding=6)))], "t")
    assert analytics.rows(f"SELECT flags, prelanding FROM {table}", {}, tuple[int, int]) == [(0, 6)]


def test_analytic_migration_adds_columns_of_conversions_and_deliveries(analytics: Analytics) -> None:
    columns = [("fact", "custom_field_1"), ("fact", "custom_field_15")]
    columns += [("affiliate_log", name) for name in ("started_at", "milliseconds", "answer")]
    for table, name in columns:
        analytics.run(f"ALTER TABLE {table} DROP COLUMN {name}")
    migrate(analytics)
    for table, name in columns:
        assert analytics.rows(f"SELECT count({name}) FROM {table}", {}, tuple[int]) == [(0,)]


@pytest.mark.parametrize("table", ["click", "view", "click_beside", "fact", "fact_later"])
def test_analytic_migration_adds_new_click_columns_to_tables_with_rows(analytics: Analytics, table: str) -> None:
    create_shadow_tables(analytics)
    live = table.split("_")[0]
    lines = [encode_row(new_fact(1))] if live == "fact" else [click_item("j", 1, encode(new_click(1)))]
    load(analytics, live, lines, "t", dual_write=True)
    later = ("prelanding", "ruleset", "cost", "test", "forgiven", "cost_sent")
    added = [name for name in later if name in TABLES[live].column_names]
    for name in added:
        analytics.run(f"ALTER TABLE {table} DROP COLUMN {name}")
    migrate(analytics)
    assert analytics.rows(f"SELECT {', '.join(added)} FROM {table}", {}, tuple[Any, ...]) == [(0,) * len(added)]
    drop_shadow_tables(analytics)


def test_analytic_load_accepts_conversion_event_of_older_version(analytics: Analytics) -> None:
    event = encode_row(new_fact(1, sub8="x]"))
    new_columns = b",0" + b',""' * 15 + b',0,0,"",""]'
    assert event.endswith(new_columns)
    older = event.removesuffix(new_columns) + b"]"
    load(analytics, "fact", [older, encode_row(new_fact(2))], "t")
    load(analytics, "fact", [older, encode_row(new_fact(2))], "t", maybe_loaded=True)
    sql = "SELECT sub8, test, prelanding, origin FROM fact ORDER BY conversion_id"
    assert analytics.rows(sql, {}, tuple[str, int, int, int]) == [("x]", 0, 0, 0), ("", 0, 0, 0)]


def test_click_record_without_defaults_at_its_end_is_same_click() -> None:
    click = new_click(1, flags=0, bundle_id="0]")
    record = encode_click(click)
    assert record.endswith(b'"0]",0]')
    assert decode_click(record) == click
    later = {"cost_sent": 5, "cost_currency": "EUR", "consent": "no", "ip_hash": "ab", "click_ids": '{"gclid":"x"}'}
    ends = [
        new_click(1, **{name: value}) for name, value in ({"prelanding": 4, "test": 1, "forgiven": 2} | later).items()
    ]
    assert len(ends) == 8
    for changed in (new_click(1, cost=10), *ends):
        assert decode_click(encode_click(changed)) == changed


def test_analytic_load_accepts_record_before_transit_pages(analytics: Analytics) -> None:
    click = new_click(1, landing=4, bundle_id='a"],1', flags=2)
    old = encode_click(click)
    assert old.endswith(b'"a\\"],1",2]')
    assert decode_click(old) == click
    load(analytics, "click", [click_item("j", 1, old), click_item("j", 2, encode(click))], "t")
    sql = "SELECT landing, bundle_id, flags, prelanding FROM click"
    assert analytics.rows(sql, {}, tuple[int, str, int, int]) == [(4, 'a"],1', 2, 0)] * 2


def test_analytic_migration_rejects_foreign_schema(analytics: Analytics) -> None:
    analytics.run("ALTER TABLE fact DROP COLUMN browser")
    with pytest.raises(StoreError, match=r"fact .* browser"):
        migrate(analytics)


def test_analytic_migration_partitions_click_lookup_by_month(analytics: Analytics) -> None:
    analytics.run("DROP TABLE click_lookup SYNC")
    analytics.run(
        "CREATE TABLE click_lookup (id FixedString(12) CODEC(ZSTD(1)), record String CODEC(ZSTD(1))) "
        "ENGINE = MergeTree ORDER BY id"
    )
    months = [new_click(number, time=NOON + number * 31 * 86_400_000) for number in range(3)]
    for click in months:  # as an older version loaded them
        analytics.run(f"INSERT INTO click_lookup VALUES (unhex('{click.id}'), '{encode(click).decode()}')")
    analytics.run("TRUNCATE TABLE schema_step")
    analytics.run("INSERT INTO schema_step (number) VALUES (2)")
    migrate(analytics)
    sql = "SELECT DISTINCT partition FROM system.parts WHERE active AND table = 'click_lookup' AND database = "
    parts = analytics.rows(f"{sql} currentDatabase() ORDER BY partition", {}, tuple[str])
    assert parts == [("202311",), ("202312",), ("202401",)]
    assert find_records(analytics, [click.id for click in months]) == {click.id: encode(click) for click in months}


def test_analytic_migration_adds_projections_with_existing_rows(analytics: Analytics) -> None:
    for table in ("click", "view", "fact"):
        for name in TABLES[table].projections:
            analytics.run(f"ALTER TABLE {table} DROP PROJECTION {name}")
    load(analytics, "click", [click_item("j", 1, encode(new_click(1)))], "t")
    analytics.run("DELETE FROM schema_step WHERE number > 3")
    migrate(analytics)
    wait_until(lambda: analytics.rows(WAITING_MUTATIONS, {}, tuple[int]) == [(0,)])
    sql = "SELECT name FROM system.projections WHERE database = currentDatabase() AND table = {table:String}"
    for table in ("click", "view", "fact"):
        assert {name for (name,) in analytics.rows(sql, {"table": table}, tuple[str])} == set(TABLES[table].projections)
    summed = "SELECT country, countIf(reason = '') FROM click GROUP BY country"
    [read] = [line for (line,) in analytics.rows(f"EXPLAIN {summed}", {}, tuple[str]) if "ReadFrom" in line]
    assert any(f"({name})" in read for name in TABLES["click"].projections)
    assert analytics.rows(summed, {}, tuple[str, int]) == [("DE", 1)]


def _granules_read(analytics: Analytics, sql: str) -> int:
    """Return how many granules of the table a query reads, by its last index."""
    lines = [line.strip() for (line,) in analytics.rows(f"EXPLAIN indexes = 1 {sql}", {}, tuple[str])]
    return int([line for line in lines if line.startswith("Granules:")][-1].split()[1].partition("/")[0])


@pytest.mark.parametrize(
    ("table", "column"), [("server_log", "click_id"), ("server_log", "action_id"), ("affiliate_log", "conversion_id")]
)
def test_analytic_log_rows_are_found_without_reading_the_whole_log(
    analytics: Analytics, table: str, column: str
) -> None:
    for index in TABLES[table].indexes:
        analytics.run(f"ALTER TABLE {table} DROP INDEX {index} SETTINGS mutations_sync = 2")
    analytics.run(
        f"INSERT INTO {table} (id, time, {column}) SELECT toString(number), {NOON} + number, hex(sipHash64(number)) "
        "FROM numbers(200_000)"
    )
    analytics.run(f"OPTIMIZE TABLE {table} FINAL")
    sought = f"SELECT id FROM {table} WHERE time >= {NOON} AND {column} = hex(sipHash64(toUInt64(7)))"
    assert _granules_read(analytics, sought) > 20, "a store of an older version reads all"
    analytics.run("DELETE FROM schema_step WHERE number > 6")
    migrate(analytics)
    wait_until(lambda: analytics.rows(WAITING_MUTATIONS, {}, tuple[int]) == [(0,)])
    assert _granules_read(analytics, sought) == 1
    assert analytics.rows(sought, {}, tuple[str]) == [("7",)]
