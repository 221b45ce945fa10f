"""Migrations and tables say the same, and several starting at once make one schema."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from trackyard.store.engine import Database
from trackyard.store.schema import differences, upgrade


def test_migrations_lead_to_the_declared_tables(database: Database) -> None:
    assert differences(database) == []


def test_several_upgrades_at_once_make_one_schema(empty_database: Database) -> None:
    databases = [Database(empty_database.url) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(upgrade, databases))
    for database in databases:
        database.close()
    with empty_database.read() as conn:
        assert conn.execute(text("SELECT count(*) FROM alembic_version")).scalar_one() == 1
        assert conn.execute(text("SELECT version FROM rule_clock")).scalar_one() == 0
