"""Texts of SQL schemas with two rows in each table: tests make databases of them.

`python -m tests.support.stores.sql_dumps 0018` writes the dumps of that schema for both engines. It begins with the
newest dump before it, so that rows go the same way as those of an installation. Each release has one dump, and no other
schema has any: `fill` adds rows to the tables of schemas between two releases (CONTRIBUTING.md#making-a-release).
"""

import sqlite3
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

from sqlalchemy import JSON, Boolean, Column, Connection, Integer, LargeBinary, MetaData, Table, func, insert, select

from tests.support.stores.databases import PostgresServer
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade

FOLDER: Final = Path(__file__).parents[2] / "store" / "engine" / "schemas"
"""The dumps, that of release 0.2.0 (schema 0005) the first."""
_ROWS: Final = 2


def dump_versions() -> list[str]:
    """The schemas that have dumps."""
    return sorted(path.name.partition("_")[2].partition(".")[0] for path in FOLDER.glob("schema_*.sqlite.sql"))


def load_dump(connection: Connection, version: str) -> None:
    """Create the tables and rows of a dump in an empty database."""
    text = (FOLDER / f"schema_{version}.{connection.dialect.name}.sql").read_text()
    cursor = connection.connection.cursor()
    if connection.dialect.name == "postgresql":
        cursor.execute(text)
        return
    for statement in text.split(";\n"):
        cursor.execute(statement)


def fill(connection: Connection) -> None:
    """Add rows until each table has two."""
    found = MetaData()
    found.reflect(connection)
    fill_tables(connection, found)


def fill_tables(connection: Connection, found: MetaData) -> None:
    """Add rows until each of these tables has two."""
    for table in found.sorted_tables:
        if table.name == "alembic_version":
            continue
        for number in range(connection.execute(select(func.count()).select_from(table)).scalar_one(), _ROWS):
            values = {column.name: _value(connection, table, column, number) for column in table.columns}
            connection.execute(insert(table).values(values))


def _value(connection: Connection, table: Table, column: Column[Any], number: int) -> Any:
    for key in column.foreign_keys:
        there = key.column
        return connection.execute(select(there).order_by(there).offset(number).limit(1)).scalar_one()
    kind = column.type
    if isinstance(kind, Boolean):
        return bool(number)
    if isinstance(kind, Integer):
        return 10 + number
    if isinstance(kind, JSON):
        return []
    if isinstance(kind, LargeBinary):
        return f"{column.name} {number}".encode()
    length = getattr(kind, "length", None)
    if column.name == "id" and length is not None and length >= 24:
        return f"0123456789abcdef0123456{number}"
    text = f"{column.name} {number}"
    return text if length is None or len(text) <= length else str(number)


def _write(database: Database, version: str) -> None:
    """Bring an empty database to a version, with rows."""
    begin = max(each for each in dump_versions() if each < version)
    with database.write() as connection:
        load_dump(connection, begin)
    upgrade(database, version)
    with database.write() as connection:
        fill(connection)


def _sqlite_text(path: Path) -> str:
    """The tables, then their rows, which refer to others, then the rest."""
    with closing(sqlite3.connect(path)) as connection:
        statements = [each for each in connection.iterdump() if each not in ("BEGIN TRANSACTION;", "COMMIT;")]
    kinds = ("CREATE TABLE", "INSERT")
    ordered = sorted(statements, key=lambda each: next((n for n, kind in enumerate(kinds) if each.startswith(kind)), 2))
    return "\n".join(["PRAGMA defer_foreign_keys=ON;", *ordered, ""])


def _postgresql_text(server: PostgresServer, name: str) -> str:
    options = (
        "--no-owner",
        "--no-privileges",
        "--rows-per-insert=1",
        f"--host={server.socket_path.rpartition('/')[0]}",
    )
    command = [str(server.binaries / "pg_dump"), *options, "--username=postgres", f"--dbname={name}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    shown = [
        line
        for line in text.splitlines()
        if line and not line.startswith(("--", "SET ", "\\", "SELECT pg_catalog.set_config"))
    ]
    return "\n".join(shown) + "\n"


def write_dumps(version: str) -> None:
    """Write the dumps of a schema."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = PostgresServer()
        stack.callback(server.stop)
        server.create("dumped", template="template0")
        for kind, url in (("sqlite", f"sqlite:///{folder}/dumped.db"), ("postgresql", server.url("dumped"))):
            with Database(url) as database:
                _write(database, version)
            text = _sqlite_text(folder / "dumped.db") if kind == "sqlite" else _postgresql_text(server, "dumped")
            (FOLDER / f"schema_{version}.{kind}.sql").write_text(text)


if __name__ == "__main__":
    for each in sys.argv[1:]:
        write_dumps(each)
