"""Migrations equal the tables, and several starts at once create one schema."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from trackyard.base.metrics.version import program_version
from trackyard.store.engine import migrations
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import SchemaUnknown, find_program, newest_version, note_program, upgrade
from trackyard.store.tables import metadata


def test_schema_version_is_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", next(iter(migrations.__path__)))
    assert ScriptDirectory.from_config(config).get_heads() == [newest_version()]


def test_schema_of_newer_version_is_rejected(database: Database) -> None:
    note_program(database)
    assert find_program(database) == program_version()
    with database.write() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        conn.execute(text("UPDATE setting SET value = '\"9.8.7\"' WHERE name = 'program'"))
    with pytest.raises(
        SchemaUnknown, match=rf"9999, made by version 9\.8\.7, .* version {program_version()}, .*backup"
    ):
        upgrade(database)


@pytest.mark.parametrize("change", ["ALTER TABLE edge_progress DROP COLUMN begun_until", "DROP TABLE edge_progress"])
def test_schema_of_unreleased_version_is_rejected(empty_database: Database, change: str) -> None:
    """A database has the number of a migration, but not its newest tables."""
    upgrade(empty_database)
    upgrade(empty_database)
    with empty_database.write() as conn:
        conn.execute(text(change))
    with pytest.raises(SchemaUnknown, match="its table edge_progress has no "):
        upgrade(empty_database)


def test_schema_after_migrations_equals_declared_tables(database: Database) -> None:
    with database.write() as conn:
        assert list(compare_metadata(MigrationContext.configure(conn), metadata)) == []


def test_schema_upgrades_in_parallel_succeed(empty_database: Database) -> None:
    databases = [Database(empty_database.url) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(upgrade, databases))
    for database in databases:
        database.close()
    with empty_database.read() as conn:
        assert conn.execute(text("SELECT count(*) FROM alembic_version")).scalar_one() == 1
        assert conn.execute(text("SELECT version FROM rule_clock")).scalar_one() == 0
