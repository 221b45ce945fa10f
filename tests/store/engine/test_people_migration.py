"""Migration 0006, of people: sessions move out of the keys."""

from alembic import command
from sqlalchemy import text

from trackyard.base.secrets import digest
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import _config, upgrade
from trackyard.store.people import keys, sessions

ANN = Account(AccountKind.AFFILIATE, "7")


def add_key(database: Database, key: str, expires_at: int | None) -> None:
    """Store a key as earlier versions did."""
    values = {"digest": digest(key), "sealed": "x", "kind": ANN.kind, "id": ANN.id, "at": 1_000, "end": expires_at}
    with database.write() as conn:
        conn.execute(text("INSERT INTO api_key VALUES (:digest, :sealed, :kind, :id, :at, :end)"), values)


def migrate(database: Database, version: str) -> None:
    with database.write() as conn:
        command.upgrade(_config(conn), version)


def test_migration_keeps_open_sessions_until_they_were_to_end(empty_database: Database) -> None:
    migrate(empty_database, "0005")
    add_key(empty_database, "a" * 40, None)
    add_key(empty_database, "b" * 40, 9_000)
    upgrade(empty_database)
    with empty_database.read() as conn:
        lasting = keys.find_by_key(conn, "a" * 40, 5_000)
        assert lasting is not None
        assert (lasting.account, lasting.is_first, len(lasting.id), lasting.limits) == (ANN, True, 24, None)
        assert keys.find_by_key(conn, "b" * 40, 5_000) is None
        found = sessions.find_session(conn, "b" * 40, 8_999)
        assert found is not None
        assert (found.account, found.created_at, found.idle_until, found.expires_at) == (ANN, 1_000, 9_000, 9_000)
        assert sessions.find_session(conn, "b" * 40, 9_000) is None
        assert sessions.find_session(conn, "a" * 40, 5_000) is None


def test_migration_back_keeps_open_sessions(empty_database: Database) -> None:
    migrate(empty_database, "0005")
    add_key(empty_database, "b" * 40, 9_000)
    upgrade(empty_database)
    with empty_database.write() as conn:
        command.downgrade(_config(conn), "0005")
    with empty_database.read() as conn:
        rows = conn.execute(text("SELECT owner_kind, owner_id, expires_at FROM api_key")).all()
    assert [tuple(row) for row in rows] == [("affiliate", "7", 9_000)]
