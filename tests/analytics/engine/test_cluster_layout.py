"""Statements for a ClickHouse cluster. No cluster runs here: they are compared and parsed."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support.models.events import new_click
from tests.support.stores.analytics import empty_store
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.layout import StoreLayout
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.engine.schema import TABLES
from trackyard.analytics.load import click_item, load
from trackyard.analytics.maintenance import retention
from trackyard.analytics.maintenance.shadow_tables import create_shadow_tables, swap_shadow_tables
from trackyard.base.metrics.version import program_version
from trackyard.domain.platform.erasures import ErasedSubjects
from trackyard.journal.records import encode
from trackyard.runtime import settings
from trackyard.runtime.settings import WrongSetting

GOLDEN = Path(__file__).with_name("cluster.sql")
COLUMNS = [(table.name, name) for table in TABLES.values() for name in table.column_names]


class RecordingStore:
    """A store of a cluster that answers from a table and keeps the statements.

    answers: rows by a part of the question; the first part that it has decides.
    """

    def __init__(self, answers: Mapping[str, list[Any]]) -> None:
        self.layout, self.statements = StoreLayout("yard"), list[str]()
        self.inserted = list[tuple[str, str]]()
        self._answers = answers

    def run(self, sql: str) -> None:
        self.statements.append(sql)

    def rows(self, sql: str, _parameters: Any, _row: Any) -> list[Any]:
        self.statements.append(sql)
        return next(rows for part, rows in self._answers.items() if part in sql)

    def insert(self, target: str, _columns: Any, _body: bytes, _form: str, given: Mapping[str, Any]) -> None:
        self.inserted.append((target, given["insert_deduplication_token"]))

    def changes(self) -> list[str]:
        """What was run that is not a question."""
        return [sql for sql in self.statements if not sql.startswith("SELECT")]


def first_start() -> list[str]:
    """The statements of a first start, and of the tables of a rebuild."""
    new = {"SELECT engine": [], "system.tables": [(0,)], "max(number)": [(0,)], "groupArray": []}
    no_steps = {"SELECT name FROM system.columns": [], "SELECT count() FROM system.columns": [(1,)]}
    store = RecordingStore({**new, **no_steps, "system.columns": COLUMNS})
    migrate(cast(Analytics, store))
    create_shadow_tables(cast(Analytics, store))
    swap_shadow_tables(cast(Analytics, store))
    return store.changes()


def parsed(store: Analytics, sql: str) -> str:
    """The tree of a statement, which only one that the engine understands has."""
    with store._client() as client:
        return str(client.command(f"EXPLAIN AST {sql}"))


def test_cluster_gets_replicated_and_distributed_tables() -> None:
    assert (";\n\n".join(first_start()) + ";\n").replace(program_version(), "VERSION") == GOLDEN.read_text()


def test_statements_for_a_cluster_are_understood_by_the_engine() -> None:
    with empty_store() as store:
        for statement in GOLDEN.read_text().split(";\n"):
            if statement.strip() and "EXCHANGE" not in statement:
                tree = parsed(store, statement.strip())
                assert "CreateQuery" in tree or "DropQuery" in tree or "InsertQuery" in tree


def test_click_and_conversions_have_the_shard_of_the_click() -> None:
    click = new_click(7).id
    keys = {name: table.shard_by for name, table in TABLES.items()}
    with empty_store() as store:
        names = {"click": "id", "view": "id", "fact": "click_id"}
        shards = [
            store.rows(f"WITH '{click}' AS {column} SELECT {keys[name]}", {}, tuple[int])
            for name, column in names.items()
        ]
        binary = f"WITH toFixedString(unhex('{click}'), 12) AS id SELECT {keys['click_lookup']}"
        shards.append(store.rows(binary, {}, tuple[int]))
    assert len({shard for [(shard,)] in shards}) == 1


def test_retention_and_erasure_change_the_tables_of_every_machine() -> None:
    parts = "FROM cluster('yard', system.parts)"
    store = RecordingStore({parts: [("202001", 5)], "system.mutations": [], "count()": [(3,)]})
    assert retention.drop_before(cast(Analytics, store), "click", 10**13) == 5
    retention.empty_erased(cast(Analytics, store), ErasedSubjects(clicks=frozenset({"a" * 24}), newest=1))
    changes = store.changes()
    assert changes[0].startswith("ALTER TABLE `click_local` ON CLUSTER `yard` DROP PARTITION ID '202001'")
    assert all(sql.startswith("ALTER TABLE `") and "_local` ON CLUSTER `yard`" in sql for sql in changes)
    assert {sql.split("`")[1] for sql in changes[1:]} == {
        f"{name}_local" for name in ("click_lookup", "click", "view", "server_log", "affiliate_log")
    }
    assert any("FROM clusterAllReplicas('yard', system.mutations)" in sql for sql in store.statements)
    with empty_store() as engine:
        assert all("AlterQuery" in parsed(engine, sql) for sql in changes)


def test_uncertain_load_of_a_cluster_asks_every_replica_and_repeats_its_token() -> None:
    click = new_click(1)
    item = click_item("j", 4, encode(click))
    replicas = "clusterAllReplicas('yard', currentDatabase(), 'click_local') SETTINGS skip_unavailable_shards = 1"
    lagging = RecordingStore({replicas: []})
    with pytest.raises(StoreError, match="do not appear"):
        load(cast(Analytics, lagging), "click", [item], "token", maybe_loaded=True)
    assert set(lagging.inserted) == {("click", "token")}  # a replica that lags gets no second copy
    found = RecordingStore({replicas: [("j", 4)]})
    load(cast(Analytics, found), "click", [item], "token", maybe_loaded=True)
    assert found.inserted == []


def test_load_of_a_cluster_is_acknowledged_by_most_replicas() -> None:
    """Every connection has these settings, which the engine knows by their names."""
    asked = StoreLayout("yard").settings
    assert asked["insert_quorum"] == "auto" and asked["alter_sync"] == 2
    with empty_store() as store:
        known = {name for (name,) in store.rows("SELECT name FROM system.settings", {}, tuple[str])}
    assert asked.keys() <= known
    assert "insert_quorum" not in StoreLayout().settings


@pytest.mark.parametrize(("engine", "cluster"), [("MergeTree", "yard"), ("Distributed", "")])
def test_tables_of_another_layout_are_refused(engine: str, cluster: str) -> None:
    store: Any = SimpleNamespace(layout=StoreLayout(cluster), rows=lambda *_: [(engine,)])
    with pytest.raises(StoreError, match="TRACKYARD_ANALYTICS_CLUSTER"):
        migrate(store)


def test_cluster_without_a_server_is_refused() -> None:
    with pytest.raises(WrongSetting, match="TRACKYARD_ANALYTICS_CLUSTER needs a ClickHouse server"):
        settings.load({"TRACKYARD_ANALYTICS_CLUSTER": "yard"})
    given = {"TRACKYARD_ANALYTICS_CLUSTER": "yard`", "TRACKYARD_ANALYTICS_URL": "http://a:8123/b"}
    with pytest.raises(WrongSetting, match="must be the name of a cluster"):
        settings.load(given)
