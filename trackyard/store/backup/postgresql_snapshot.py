"""A consistent copy of PostgreSQL while it is written (docs/decisions/0052).

By pg_dump where it is and fits the server, else by COPY of each table from the same snapshot.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg
from psycopg import sql
from sqlalchemy import Connection, MetaData, make_url

from trackyard.store.backup.failures import NotEmpty, ToolFailed
from trackyard.store.backup.postgresql_tools import find_tool
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import SchemaUnknown, migrate, newest_version

_LOADS: Final = "edge_progress, outbox"
"""Every load of the analytic store ends with a write to one of these tables."""
_LOCK_S: Final = 10
_DESCRIPTION: Final = "sql/description.json"
_DUMP: Final = "sql/dump"
_ROWS: Final = "sql/rows"


class _CopyDescription(msgspec.Struct, frozen=True):
    """A copy.

    tool: major version of the pg_dump that made it, 0 = COPY. schema: the migration. columns: by table.
    """

    tool: int
    schema: str
    columns: dict[str, list[str]]


class PostgresqlSnapshot:
    """A transaction that sees one state; the ends of loads wait until `release`."""

    def __init__(self, url: str, snapshot: psycopg.Connection[Any], holder: psycopg.Connection[Any]) -> None:
        self._url, self._snapshot, self._holder = url, snapshot, holder

    def release(self) -> None:
        """Let loads go on; the snapshot stays."""
        self._holder.rollback()

    def copy_to(self, folder: Path) -> None:
        """Write the database of the moment into files of a folder. Raises ToolFailed."""
        (folder / "sql").mkdir(mode=0o700, parents=True)
        [schema] = self._snapshot.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
        tool = find_tool("pg_dump", self._snapshot.info.server_version // 10_000)
        columns: dict[str, list[str]] = {}
        if tool is not None:
            [name] = self._snapshot.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
            options = ("--format=directory", "--compress=0", "--no-owner", "--no-privileges", "--no-sync")
            tool.run(self._url, *options, f"--snapshot={name}", f"--file={folder / _DUMP}")
        else:
            columns = _columns(self._snapshot)
            for table, names in columns.items():
                self._copy_rows(table, names, folder / _ROWS / table)
        described = _CopyDescription(tool.major if tool else 0, schema, columns)
        (folder / _DESCRIPTION).write_bytes(msgspec.json.encode(described))

    def _copy_rows(self, table: str, names: list[str], path: Path) -> None:
        """Write the rows in the order of their keys, so that a further backup finds most of them again."""
        path.parent.mkdir(mode=0o700, exist_ok=True)
        query = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
            _listed(names), sql.Identifier(table), _listed(_key(self._snapshot, table) or names[:1])
        )
        with path.open("wb") as out, self._snapshot.cursor().copy(query) as rows:
            for piece in rows:
                out.write(piece)


@contextmanager
def _failures() -> Iterator[None]:
    """Raise ToolFailed for errors of the driver."""
    try:
        yield
    except psycopg.Error as fault:
        raise ToolFailed(f"PostgreSQL failed: {str(fault).partition(chr(10))[0] or type(fault).__name__}.") from fault


@contextmanager
def postgresql_snapshot(database: Database) -> Iterator[PostgresqlSnapshot]:
    """Yield a snapshot; no load of the analytic store ends until `release`. Keep that time short."""
    with _failures(), _connect(database.url) as holder, _connect(database.url) as snapshot:
        holder.execute(f"SET lock_timeout = '{_LOCK_S}s'")
        holder.execute(f"LOCK TABLE {_LOADS} IN SHARE MODE")
        snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        snapshot.execute("SELECT 1")  # the snapshot begins with a read
        try:
            yield PostgresqlSnapshot(database.url, snapshot, holder)
        finally:
            holder.rollback()
            snapshot.rollback()


def restore_postgresql(database_url: str, folder: Path) -> None:
    """Write the files of `copy_to` into an empty database. Raises NotEmpty, ToolFailed, SchemaUnknown."""
    described = msgspec.json.decode((folder / _DESCRIPTION).read_bytes(), type=_CopyDescription)
    with _failures():
        _restore(database_url, folder, described)


def _restore(database_url: str, folder: Path, described: _CopyDescription) -> None:
    with _connect(database_url) as connection:
        if _columns(connection):
            raise NotEmpty("the SQL database has tables already: name an empty one in TRACKYARD_DATABASE_URL.")
    if described.schema > newest_version():
        raise SchemaUnknown("the backup is of a newer program: restore it with that one.")
    if described.tool:
        tool = find_tool("pg_restore", described.tool)
        if tool is None:
            raise ToolFailed(
                f"the backup was made by pg_dump {described.tool}: install pg_restore {described.tool} or newer here."
            )
        options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
        tool.run(database_url, *options, str(folder / _DUMP))
        return
    _restore_rows(database_url, folder, described)


def _restore_rows(database_url: str, folder: Path, described: _CopyDescription) -> None:
    """Create the tables and fill them in one transaction: a failure or a kill leaves none."""
    with Database(database_url, pool_size=1) as database, database.write() as write:
        migrate(write, described.schema)
        order = _order(write)
        connection: psycopg.Connection[Any] = write.connection.driver_connection  # type: ignore[assignment]
        for table in reversed(order):  # what migrations put in
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        for table in order:
            if table in described.columns:
                _fill(connection, table, described.columns[table], folder / _ROWS / table)


def _fill(connection: psycopg.Connection[Any], table: str, names: list[str], path: Path) -> None:
    query = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), _listed(names))
    with path.open("rb") as file, connection.cursor().copy(query) as rows:
        while piece := file.read(1_000_000):
            rows.write(piece)
    for name in names:
        quoted = sql.Identifier(table).as_string(connection)
        [sequence] = connection.execute("SELECT pg_get_serial_sequence(%s, %s)", (quoted, name)).fetchone() or (None,)
        if sequence:
            largest = sql.SQL("SELECT setval(%s, max({0})) FROM {1} HAVING max({0}) IS NOT NULL").format(
                sql.Identifier(name), sql.Identifier(table)
            )
            connection.execute(largest, (sequence,))


def _connect(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False))


def _columns(connection: psycopg.Connection[Any]) -> dict[str, list[str]]:
    rows = connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables "
        "USING (table_schema, table_name) WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' "
        "ORDER BY table_name, ordinal_position"
    )
    found: dict[str, list[str]] = {}
    for table, column in rows:
        found.setdefault(table, []).append(column)
    return found


def _key(connection: psycopg.Connection[Any], table: str) -> list[str]:
    rows = connection.execute(
        "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey) "
        "WHERE indrelid = to_regclass(%s) AND indisprimary ORDER BY array_position(indkey::int2[], attnum)",
        (sql.Identifier(table).as_string(connection),),
    )
    return [name for (name,) in rows]


def _order(connection: Connection) -> list[str]:
    """Return the tables; a table follows the tables that it refers to."""
    found = MetaData()
    found.reflect(connection)
    return [table.name for table in found.sorted_tables if table.name != "alembic_version"]


def _listed(names: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))
