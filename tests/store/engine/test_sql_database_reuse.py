"""Reused databases of the tests have no rows of the test before."""

import pytest
from sqlalchemy import text

from tests.support.stores.databases import PostgresServer
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer
from trackyard.store.engine.database import Database
from trackyard.store.tables import metadata
from trackyard.store.tracking import rulesets


def rows(database: Database) -> dict[str, int]:
    with database.read() as conn:
        found = {name: conn.execute(text(f'SELECT count(*) FROM "{name}"')).scalar_one() for name in metadata.tables}
    return {name: number for name, number in found.items() if number}


def test_reused_sql_database_is_emptied(postgres: PostgresServer) -> None:
    seen = []
    for _ in range(2):
        with postgres.empty_database() as name:
            database = Database(postgres.url(name))
            assert rows(database) == {"rule_clock": 1, "event_clock": 1}
            with database.write() as conn:
                assert rulesets.ruleset_version(conn) == 0
                made = add_affiliate(conn), add_offer(conn, add_advertiser(conn))
                rulesets.touch(conn, "offer", made[1])
            with pytest.raises(KeyError), database.write() as conn:
                add_affiliate(conn)  # takes a number, and leaves no row
                raise KeyError
            seen.append((name, made))
            database.close()
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE rule_clock",
        "CREATE TABLE another (id int)",
        "ALTER TABLE offer DROP COLUMN notes",
        "ALTER TABLE offer ALTER COLUMN title DROP NOT NULL",
        "CREATE INDEX another ON offer (title)",
    ],
)
def test_reused_sql_database_with_changed_schema_is_discarded(postgres: PostgresServer, change: str) -> None:
    with postgres.empty_database() as name:
        database = Database(postgres.url(name))
        with database.write() as conn:
            conn.execute(text(change))
        database.close()
    with postgres.empty_database() as other:
        assert other != name
