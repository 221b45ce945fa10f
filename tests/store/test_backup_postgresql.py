"""Copies of PostgreSQL, by its own tools and without them."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, text
from sqlalchemy.exc import OperationalError

from tests.store.engine.test_schema_fixtures import load_dump, rows_by_table
from tests.support.stores.databases import PostgresServer
from trackyard.store.backup.failures import NotEmpty, ToolFailed
from trackyard.store.backup.sql_snapshot import restore_sql, sql_snapshot
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade
from trackyard.store.tables import fetch, metadata


@pytest.fixture
def pair(postgres: PostgresServer) -> Iterator[tuple[Database, Database]]:
    """A database with rows in every table of an earlier schema, and an empty one."""
    names = [f"test_{uuid.uuid4().hex}" for _ in range(2)]
    for name in names:
        postgres.create(name, template="template0")
    with Database(postgres.url(names[0])) as filled, Database(postgres.url(names[1])) as empty:
        with filled.write() as connection:
            load_dump(connection, "0006")
        upgrade(filled)
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
