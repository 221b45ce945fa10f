"""A consistent copy of SQLite while it is written (docs/decisions/0052)."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from trackyard.store.backup.failures import NotEmpty
from trackyard.store.engine.database import Database

_SQLITE_COPY: Final = "sql/trackyard.db"


class SqliteSnapshot:
    """A read transaction of SQLite, which writers do not change."""

    def __init__(self, connection: sqlite3.Connection, held: ExitStack) -> None:
        self._connection = connection
        self._held = held

    def release(self) -> None:
        """Let writes go on; the snapshot stays."""
        self._held.close()

    def copy_to(self, folder: Path) -> None:
        """Write the database of the moment into files of a folder."""
        path = folder / _SQLITE_COPY
        path.parent.mkdir(mode=0o700, parents=True)
        with closing(sqlite3.connect(path)) as target:
            self._connection.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, without the files of a WAL


@contextmanager
def sqlite_snapshot(database: Database) -> Iterator[SqliteSnapshot]:
    """Yield a snapshot of SQLite; no transaction writes until `release`. Keep that time short."""
    with ExitStack() as stack:
        held = stack.enter_context(ExitStack())
        held.enter_context(database.hold_writes())
        connection = stack.enter_context(closing(sqlite3.connect(_file_of(database), isolation_level=None)))
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the snapshot begins with a read
        yield SqliteSnapshot(connection, held)


def restore_sqlite(database_url: str, folder: Path) -> None:
    """Write the files of `copy_to` into an empty database. Raises NotEmpty."""
    target = Path(str(make_url(database_url).database))
    if target.exists():
        raise NotEmpty(f"the SQL database {target} exists already: name another one in TRACKYARD_DATABASE_URL.")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / _SQLITE_COPY).rename(target)


def _file_of(database: Database) -> str:
    return str(make_url(database.url).database)
