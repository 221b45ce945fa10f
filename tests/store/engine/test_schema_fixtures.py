"""A database of each dumped schema comes up to date with the tables declared and every row."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, select

from tests.support.stores.sql_dumps import dump_versions, load_dump
from trackyard.store.engine.database import Database
from trackyard.store.engine.migrations import versions
from trackyard.store.engine.schema import upgrade
from trackyard.store.tables import metadata

pytestmark = pytest.mark.slow

_OLDEST, *_MIDDLE, _NEWEST = dump_versions()
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
    return {
        table.name: [dict(row._mapping) for row in connection.execute(select(table).order_by(*table.primary_key))]
        for table in found.sorted_tables
        if table.name != "alembic_version"
    }


@pytest.mark.parametrize(
    "version", [_OLDEST, *(pytest.param(each, marks=pytest.mark.long_on_postgresql) for each in _MIDDLE), _NEWEST]
)
def test_schema_of_earlier_version_upgrades_with_all_rows(empty_database: Database, version: str) -> None:
    with empty_database.write() as connection:
        load_dump(connection, version)
    with empty_database.read() as connection:
        before = rows_by_table(connection)
        assert {name for name, rows in before.items() if len(rows) != 2} == set()
    upgrade(empty_database)
    with empty_database.read() as connection:
        assert list(compare_metadata(MigrationContext.configure(connection), metadata)) == []
        after = rows_by_table(connection)
    if version < "0006":  # sessions were keys that end
        sessions = [row for row in before["api_key"] if row["expires_at"] is not None]
        before["api_key"] = [row for row in before["api_key"] if row not in sessions]
        before["session"] = [{name: row[name] for name in row.keys() - {"sealed"}} for row in sessions]
    for name, rows in before.items():
        kept = [{column: row[column] for column in old} for row, old in zip(after[name], rows, strict=True)]
        assert kept == rows, name


@pytest.mark.parametrize(("name", "digest"), _PUBLISHED.items())
def test_migration_of_published_release_is_unchanged(name: str, digest: str) -> None:
    folder = Path(next(iter(versions.__path__)))
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
