"""Copies of PostgreSQL, by its own tools and without them."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, text
from sqlalchemy.exc import OperationalError

from tests.store.engine.test_schema_fixtures import rows_by_table
from tests.support.stores.databases import PostgresServer
from tests.support.stores.sql_dumps import dump_versions, fill, load_dump
from trackyard.store.backup.failures import NotEmpty, ToolFailed
from trackyard.store.backup.sql_snapshot import restore_sql, scratch_sql, sql_snapshot
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade
from trackyard.store.tables import fetch, metadata


@pytest.fixture
def pair(postgres: PostgresServer) -> Iterator[tuple[Database, Database]]:
    """A database with rows in every table, and an empty one."""
    names = [f"test_{uuid.uuid4().hex}" for _ in range(2)]
    for name in names:
        postgres.create(name, template="template0")
    with Database(postgres.url(names[0])) as filled, Database(postgres.url(names[1])) as empty:
        with filled.write() as connection:
            load_dump(connection, dump_versions()[-1])
        upgrade(filled)
        with filled.write() as connection:
            fill(connection)
        yield filled, empty
    for name in names:
        postgres.drop(name)


@pytest.mark.parametrize("tools", [True, False])
def test_backup_of_postgresql_has_the_rows_of_its_moment(
    pair: tuple[Database, Database],
    postgres: PostgresServer,
    tools: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filled, empty = pair
    monkeypatch.setenv("PATH", f"{postgres.binaries}{os.pathsep}{os.environ['PATH']}" if tools else str(tmp_path))
    with filled.read() as connection:
        before = rows_by_table(connection)
    with sql_snapshot(filled) as snapshot:
        with pytest.raises(OperationalError), filled.write() as connection:
            connection.execute(text("SET LOCAL lock_timeout = '50ms'"))
            connection.execute(text("DELETE FROM outbox"))  # the end of a load waits
        snapshot.release()
        with filled.write() as connection:
            connection.execute(text("DELETE FROM outbox"))
        snapshot.copy_to(tmp_path / "copy")
    assert (tmp_path / "copy" / "sql" / "dump").exists() == tools
    restore_sql(empty.url, tmp_path / "copy")
    with empty.read() as connection:
        assert rows_by_table(connection) == before
        assert list(compare_metadata(MigrationContext.configure(connection), metadata)) == []
    with empty.write() as connection:  # numbers go on after those of the rows
        row = {"offer_id": 1, "creative_id": 1, "url": "https://a.example/", "next_at": 1, "created_at": 1}
        connection.execute(insert(fetch).values(row))
    with pytest.raises(NotEmpty):
        restore_sql(empty.url, tmp_path / "copy")


def test_restoration_that_fails_leaves_the_database_empty(
    pair: tuple[Database, Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled, empty = pair
    monkeypatch.setenv("PATH", str(tmp_path))
    with sql_snapshot(filled) as snapshot:
        snapshot.release()
        snapshot.copy_to(tmp_path / "copy")
    rows = tmp_path / "copy" / "sql" / "rows" / "session"
    whole = rows.read_bytes()
    rows.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ToolFailed):
        restore_sql(empty.url, tmp_path / "copy")
    with empty.read() as connection:
        assert inspect(connection).get_table_names() == []
    rows.write_bytes(whole)
    restore_sql(empty.url, tmp_path / "copy")
    with empty.read() as connection, filled.read() as original:
        assert rows_by_table(connection) == rows_by_table(original)


def test_backup_by_pg_dump_names_the_tool_that_restores_it(
    pair: tuple[Database, Database], postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled, empty = pair
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(postgres.binaries))
        with sql_snapshot(filled) as snapshot:
            snapshot.release()
            snapshot.copy_to(tmp_path / "copy")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolFailed, match=r"install pg_restore \d+"):
        restore_sql(empty.url, tmp_path / "copy")


def test_backup_takes_no_pg_dump_that_is_older_than_the_server(
    pair: tuple[Database, Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24 (Debian 9.6.24-1)'\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent))
    with sql_snapshot(pair[0]) as snapshot:
        snapshot.release()
        snapshot.copy_to(tmp_path / "copy")
    assert (tmp_path / "copy" / "sql" / "rows" / "offer").exists()


def databases(postgres: PostgresServer) -> set[str]:
    with Database(postgres.url("postgres")) as server, server.read() as connection:
        return {name for (name,) in connection.execute(text("SELECT datname FROM pg_database"))}


def test_backup_is_tried_out_in_a_database_that_goes_afterwards(
    pair: tuple[Database, Database], postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled, _ = pair
    monkeypatch.setenv("PATH", str(tmp_path))
    with sql_snapshot(filled) as snapshot:
        snapshot.release()
        snapshot.copy_to(tmp_path / "copy")
    left = "trackyard_verify_aaaaaaaaaaaa_0"  # by a command that was killed
    postgres.create(left, template="template0")
    before = databases(postgres) - {left}
    with scratch_sql(filled.url, "a" * 24, tmp_path / "unused") as url:
        assert url is not None
        restore_sql(url, tmp_path / "copy")
        with Database(url) as tried, tried.read() as connection, filled.read() as original:
            assert rows_by_table(connection) == rows_by_table(original)
        assert len(databases(postgres) - before) == 1
    assert databases(postgres) == before


def test_backup_is_not_tried_out_where_the_user_may_create_no_database(
    pair: tuple[Database, Database], postgres: PostgresServer, tmp_path: Path
) -> None:
    with pair[0].write() as connection:
        connection.execute(text("DROP ROLE IF EXISTS plain"))
        connection.execute(text("CREATE ROLE plain LOGIN"))
    before = databases(postgres)
    with scratch_sql(pair[0].url.replace("postgres@", "plain@"), "b" * 24, tmp_path) as url:
        assert url is None and databases(postgres) == before
