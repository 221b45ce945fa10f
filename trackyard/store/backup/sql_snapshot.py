"""Copies of the SQL database, whichever it is."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from sqlalchemy import make_url

from trackyard.store.backup.sqlite_snapshot import restore_sqlite, sqlite_snapshot
from trackyard.store.engine.database import Database


class SqlSnapshot(Protocol):
    """One state of a database. No load of the analytic store ends until `release`."""

    def release(self) -> None:
        """Let loads go on; the snapshot stays."""

    def copy_to(self, folder: Path) -> None:
        """Write it into files of a folder. Raises ToolFailed."""


def sql_snapshot(database: Database) -> AbstractContextManager[SqlSnapshot]:
    """Return a snapshot; keep the time until its `release` short."""
    if database.is_sqlite:
        return sqlite_snapshot(database)
    from trackyard.store.backup.postgresql_snapshot import postgresql_snapshot  # a driver that SQLite does not need

    return postgresql_snapshot(database)


def restore_sql(database_url: str, folder: Path) -> None:
    """Write the files of a snapshot into an empty database. Raises NotEmpty, ToolFailed, SchemaUnknown."""
    restore: Callable[[str, Path], None] = restore_sqlite
    if make_url(database_url).get_backend_name() != "sqlite":
        from trackyard.store.backup.postgresql_snapshot import restore_postgresql

        restore = restore_postgresql
    restore(database_url, folder)


def scratch_sql(database_url: str, owner: str, file: Path) -> AbstractContextManager[str | None]:
    """Provide the URL of an empty database for the block; None where none can be made.

    database_url: the installation's database; the empty one is on its server. owner: the id of the data directory.
    file: the path for a SQLite database. Raises ToolFailed.
    """
    if make_url(database_url).get_backend_name() == "sqlite":
        return nullcontext(f"sqlite:///{file}")
    from trackyard.store.backup.scratch_database import scratch_database

    return scratch_database(database_url, owner)
