"""Transactions of SQL, reads that cannot write, and watches for commits."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from tests.support.stores.databases import PostgresServer
from trackyard.store.engine.database import Database, TransactionFailure, classify_failure
from trackyard.store.engine.watch import CommitWatcher
from trackyard.store.tracking import rulesets


def test_database_write_that_raises_is_rolled_back(database: Database) -> None:
    with pytest.raises(KeyError), database.write() as conn:
        rulesets.touch(conn, "offer", 1)
        raise KeyError
    with database.read() as conn:
        assert rulesets.ruleset_version(conn) == 0


def test_database_read_block_cannot_write(database: Database) -> None:
    with pytest.raises(DBAPIError), database.read() as conn:
        rulesets.touch(conn, "offer", 1)
    with database.write() as conn:
        rulesets.touch(conn, "offer", 1)


def test_database_read_sees_one_snapshot(database: Database) -> None:
    with database.read() as conn:
        assert rulesets.ruleset_version(conn) == 0
        with database.write() as other:
            rulesets.touch(other, "offer", 1)
        assert rulesets.ruleset_version(conn) == 0


def test_database_connection_that_cannot_be_prepared_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "no.db"
    file.write_bytes(b"this is not a database" * 100)
    made: list[sqlite3.Connection] = []
    connect = sqlite3.dbapi2.connect

    def kept(*given: Any, **named: Any) -> sqlite3.Connection:
        made.append(connect(*given, **named))
        return made[-1]

    monkeypatch.setattr(sqlite3.dbapi2, "connect", kept)
    with Database(f"sqlite:///{file}") as database, pytest.raises(DBAPIError), database.read():
        pass
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")


def test_database_parallel_writers_all_succeed(database: Database) -> None:
    def write() -> None:
        for _ in range(10):
            with database.write() as conn:
                rulesets.touch(conn, "offer", 1)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as conn:
        assert rulesets.ruleset_version(conn) == 40


@pytest.mark.parametrize(
    ("statement", "trouble"),
    [
        ("INSERT INTO rule_clock (id, version) VALUES (1, 1)", TransactionFailure.CONFLICT),
        ("SELECT nonsense FROM rule_clock WHERE 'x' = CAST('1' AS", TransactionFailure.DEFECT),
    ],
)
def test_database_failures_are_classified(database: Database, statement: str, trouble: TransactionFailure) -> None:
    with pytest.raises(DBAPIError) as raised, database.write() as conn:
        conn.execute(text(statement))
    if database.is_sqlite and trouble is TransactionFailure.DEFECT:
        trouble = TransactionFailure.UNAVAILABLE  # SQLite has one class for both; waiting loses nothing
    assert classify_failure(raised.value) is trouble
    assert classify_failure(ValueError()) is TransactionFailure.DEFECT


def test_database_watch_notices_a_commit(database: Database) -> None:
    with closing(CommitWatcher(database)) as watch:
        watch.has_changed()
        if database.is_sqlite:
            assert not watch.has_changed()
        watch.wait(threading.Event(), 0.01)  # the first time at once
        with database.write() as conn:
            rulesets.touch(conn, "offer", 1)
        begin = time.monotonic()
        watch.wait(threading.Event(), 0.01, 60)
        assert time.monotonic() - begin < 30
        assert watch.has_changed()


def test_database_watch_returns_when_stopped(database: Database) -> None:
    stop = threading.Event()
    with closing(CommitWatcher(database)) as watch:
        watch.wait(stop, 0)
        stop.set()
        begin = time.monotonic()
        watch.wait(stop, 30, 30)
        assert time.monotonic() - begin < 10


@pytest.mark.parametrize("way", ["read", "write"])
def test_database_interrupted_statement_raises_and_connection_recovers(database: Database, way: str) -> None:
    def stop(*_event: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), getattr(database, way)() as conn:
        event.listen(conn, "before_cursor_execute", stop)
        conn.execute(text("SELECT 1"))
    with getattr(database, way)() as conn:
        assert conn.execute(text("SELECT 1")).scalar_one() == 1


@pytest.mark.usefixtures("as_in_use")
def test_sqlite_commit_is_synced_to_disk(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'synced.db'}")
    for opened in (database.read, database.write):
        with opened() as conn:
            assert conn.execute(text("PRAGMA synchronous")).scalar_one() == 2  # FULL
            assert conn.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
    database.close()


def test_postgresql_connection_ends_when_its_server_is_gone_without_a_word(postgres: PostgresServer) -> None:
    """TCP asks after 15 s, and gives up 30 s later; what the address says holds."""
    with (
        postgres.empty_database() as name,
        Database(f"{postgres.url(name)}&connect_timeout=3") as database,
        database.read() as conn,
    ):
        assert conn.connection.dbapi_connection is not None
        used = conn.connection.dbapi_connection.info.get_parameters()
    wanted = {"connect_timeout": "3", "keepalives_idle": "15", "keepalives_count": "3", "tcp_user_timeout": "30000"}
    assert {each: used[each] for each in wanted} == wanted
