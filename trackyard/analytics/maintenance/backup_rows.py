"""Copies of the analytic store of a ClickHouse server while it is loaded (docs/decisions/0052).

A second table gets the parts of each table, at once and without copies on the disk; its rows are read over HTTP.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import TABLES
from trackyard.analytics.maintenance.backup import TABLE_NAMES, FrozenTable

_BODY_BYTES: Final = 16_000_000
_CLONE: Final = "_backup[0-9]+$"


def clone(analytics: Analytics, name: str) -> dict[str, FrozenTable]:
    """Give the parts of every table to a second one; return the tables. Raises StoreError.

    name: `backup` and a number.
    """
    sql = (
        "SELECT name, create_table_query FROM system.tables "
        "WHERE database = currentDatabase() AND name IN {names:Array(String)}"
    )
    statements = analytics.rows(sql, {"names": list(TABLE_NAMES)}, tuple[str, str])
    for table, _ in statements:
        analytics.run(f"CREATE TABLE `{table}_{name}` AS `{table}`")
    for table, _ in statements:
        for partition in _partitions(analytics, table):
            analytics.run(f"ALTER TABLE `{table}_{name}` ATTACH PARTITION ID '{partition}' FROM `{table}`")
    return {table: FrozenTable(_of_any_database(statement), "") for table, statement in statements}


def drop_clones(analytics: Analytics) -> None:
    """Remove the tables of this backup, and the tables of backups that were killed."""
    sql = "SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, {clone:String})"
    for (table,) in analytics.rows(sql, {"clone": _CLONE}, tuple[str]):
        analytics.run(f"DROP TABLE IF EXISTS `{table}` SYNC")


def write_rows(analytics: Analytics, name: str, table: str, path: Path) -> None:
    """Write the rows of a cloned table into a file, in the order of their key."""
    order = TABLES[table].order if table in TABLES else "number"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("wb") as out, analytics.lines(f"SELECT * FROM `{table}_{name}` ORDER BY {order}") as pieces:
        for piece in pieces:
            out.write(piece)


def insert_rows(analytics: Analytics, tables: Mapping[str, str], folder: Path) -> None:
    """Fill an empty store with tables and their rows. folder: has the file of each table."""
    for statement in tables.values():
        analytics.run(statement)
    for table in tables:
        columns = _columns(analytics, table)
        with (folder / table).open("rb") as file:
            while lines := file.readlines(_BODY_BYTES):
                settings: dict[str, Any] = {"insert_deduplicate": 0}
                analytics.insert(f"`{table}`", columns, b"".join(lines), "TabSeparated", settings)


def _partitions(analytics: Analytics, table: str) -> list[str]:
    sql = (
        "SELECT DISTINCT partition_id FROM system.parts "
        "WHERE database = currentDatabase() AND table = {table:String} AND active"
    )
    return [partition for (partition,) in analytics.rows(sql, {"table": table}, tuple[str])]


def _columns(analytics: Analytics, table: str) -> tuple[tuple[str, str], ...]:
    sql = (
        "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String} "
        "ORDER BY position"
    )
    return tuple(analytics.rows(sql, {"table": table}, tuple[str, str]))


def _of_any_database(statement: str) -> str:
    """Return the statement that creates a table without the name of its database."""
    start, _, rest = statement.partition("CREATE TABLE ")
    name, _, columns = rest.partition(" ")
    return f"{start}CREATE TABLE {name.rpartition('.')[2]} {columns}"
