"""A database of each release and of each schema since upgrades with every row."""

import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, inspect, select

from tests.support.stores.sql_dumps import dump_versions, fill_tables, load_dump
from trackyard.store.engine.database import Database
from trackyard.store.engine.migrations import versions
from trackyard.store.engine.schema import migrate, upgrade
from trackyard.store.tables import metadata

pytestmark = pytest.mark.slow

_PUBLISHED = {
    "0001_first_tables.py": "1280573ea31a154faf7d467b0f1343ff35c78dba7331388791cd74e4f41af03c",
    "0002_statistics_switches.py": "78fc26f664abc265ab9e53c9ca9220cad1294f9ac1991fa6cb2dd9145613650d",
    "0003_one_owner_of_a_login.py": "bb1c5290a75eb8d4e5bdf8e67be976782843fa2983a5272a41e4f9972935c404",
    "0004_addresses_of_visitors.py": "073852a5b679b65da7d98d5e57f9c017eb8783463f551ba39c95022a5e61c5e7",
    "0005_outbound_events.py": "e7169b2bbb85a88dec8b2cc583f2803dc87a7322e6629a792bc2061a1e6663ad",
    "0006_secrets_of_people_and_money.py": "bad59d6851da8059c9b3729d9a6ea6ede44de7c9edb39ca8e777295be2d5a8aa",
}
"""SHA-256 of the migrations of published releases, which are never edited."""


def rows_by_table(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Return what each table holds, with the types of the database."""
    found = MetaData()
    found.reflect(connection)
    return rows_of_tables(connection, found)


def rows_of_tables(connection: Connection, found: MetaData) -> dict[str, list[dict[str, Any]]]:
    """Return what each of these tables holds, with the types of the database."""
    return {
        table.name: [dict(row._mapping) for row in connection.execute(select(table).order_by(*table.primary_key))]
        for table in found.sorted_tables
        if table.name != "alembic_version"
    }


def migration_versions() -> list[str]:
    """Return the version of each migration, in order."""
    folder = Path(next(iter(versions.__path__)))
    return sorted(path.name.partition("_")[0] for path in folder.glob("[0-9]*_*.py"))


def describe(connection: Connection) -> dict[str, Any]:
    """Return what the engine says of each table, without the order of columns."""
    found = inspect(connection)
    return {
        name: {
            "columns": sorted(map(repr, found.get_columns(name))),
            "key": found.get_pk_constraint(name),
            "indexes": sorted(repr(each | _options(each)) for each in found.get_indexes(name)),
            "unique": sorted(map(repr, found.get_unique_constraints(name))),
            "foreign": sorted(map(repr, found.get_foreign_keys(name))),
            "checks": sorted(map(repr, found.get_check_constraints(name))),
        }
        for name in found.get_table_names()
    }


def _options(index: Any) -> dict[str, Any]:
    """Return the options of an index, its condition as a text."""
    return {"dialect_options": {key: str(value) for key, value in index.get("dialect_options", {}).items()}}


def lost_rows(before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return the tables with a row or a value that is not there as it was."""
    kept = {name: [{column: row[column] for column in rows[0]} for row in after[name]] for name, rows in before.items()}
    return [name for name, rows in before.items() if kept[name] != rows]


@pytest.mark.parametrize("version", dump_versions())
def test_schema_of_each_release_upgrades_with_all_rows(empty_database: Database, version: str) -> None:
    with empty_database.write() as connection:
        load_dump(connection, version)
    with empty_database.read() as connection:
        before = rows_by_table(connection)
        assert len(before) >= 40 and {name for name, rows in before.items() if len(rows) != 2} == set()
    upgrade(empty_database)
    with empty_database.read() as connection:
        assert list(compare_metadata(MigrationContext.configure(connection), metadata)) == []
        after = rows_by_table(connection)
    _move_sessions(before, version)
    assert lost_rows(before, after) == []


def _move_sessions(before: dict[str, list[dict[str, Any]]], version: str) -> None:
    """Sessions were keys that end, up to migration 0006."""
    if version < "0006":
        sessions = [row for row in before["api_key"] if row["expires_at"] is not None]
        before["api_key"] = [row for row in before["api_key"] if row not in sessions]
        before["session"] = [{name: row[name] for name in row.keys() - {"sealed"}} for row in sessions]


@pytest.mark.long_on_postgresql
def test_each_migration_since_the_last_release_keeps_the_rows_of_filled_tables(empty_database: Database) -> None:
    """Installations of a version between two releases have rows in tables that no dump has."""
    release = dump_versions()[-1]
    with empty_database.write() as connection:
        load_dump(connection, release)
    later = [each for each in migration_versions() if each > release]
    assert len(later) >= 30
    before: dict[str, list[dict[str, Any]]] = {}
    for version, following in pairwise([release, *later, None]):
        with empty_database.write() as connection:
            found = MetaData()
            found.reflect(connection)
            assert lost_rows(before, rows_of_tables(connection, found)) == [], version
            fill_tables(connection, found)
            before = rows_of_tables(connection, found)
            if following is None:
                assert list(compare_metadata(MigrationContext.configure(connection), metadata)) == []
            else:
                migrate(connection, following)
        if following == "0006":
            _move_sessions(before, release)


@pytest.mark.parametrize("version", dump_versions())
def test_schema_of_new_installation_equals_that_of_upgraded_one(empty_database: Database, version: str) -> None:
    """Table by table, as the engine describes them: with indexes, keys and checks."""
    upgrade(empty_database)
    with empty_database.write() as connection:
        expected = describe(connection)
        found = MetaData()
        found.reflect(connection)
        found.drop_all(connection)
        load_dump(connection, version)
    upgrade(empty_database)
    with empty_database.read() as connection:
        described = describe(connection)
    assert len(expected) >= 80
    assert described == expected


@pytest.mark.parametrize(("name", "digest"), _PUBLISHED.items())
def test_migration_of_published_release_is_unchanged(name: str, digest: str) -> None:
    folder = Path(next(iter(versions.__path__)))
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
