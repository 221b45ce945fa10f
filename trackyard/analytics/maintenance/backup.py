"""Copies of the analytic store while it is loaded (docs/decisions/0052).

chDB: `FREEZE` makes hard links to the parts of a table, at once and on the same disk; a backup copies them afterwards.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import TABLES

TABLE_NAMES: Final = (*TABLES, "schema_step")
"""The tables of a backup."""
_SHADOW: Final = "shadow"


class FrozenTable(msgspec.Struct, frozen=True):
    """A table of a backup. statement: creates it. folder: of its frozen parts, in the chDB directory."""

    statement: str
    folder: str


def freeze(analytics: Analytics, name: str) -> dict[str, FrozenTable]:
    """Freeze the parts of every table of chDB under a name; return the tables."""
    sql = (
        "SELECT name, toString(uuid), create_table_query FROM system.tables "
        "WHERE database = currentDatabase() AND name IN {names:Array(String)}"
    )
    found = {}
    for table, uuid, statement in analytics.rows(sql, {"names": list(TABLE_NAMES)}, tuple[str, str, str]):
        analytics.run(f"ALTER TABLE `{table}` FREEZE WITH NAME '{name}'")
        found[table] = FrozenTable(statement, f"{_SHADOW}/{name}/store/{uuid[:3]}/{uuid}")
    return found


def unfreeze(directory: Path, name: str) -> None:
    """Remove the hard links of `freeze`. directory: of chDB."""
    shutil.rmtree(directory / _SHADOW / name, ignore_errors=True)


def remove_frozen(directory: Path) -> None:
    """Remove what interrupted backups left. directory: of chDB."""
    shutil.rmtree(directory / _SHADOW, ignore_errors=True)


def attach(analytics: Analytics, tables: Mapping[str, str], folder: Path) -> None:
    """Fill an empty chDB with tables and their parts. folder: has `table/part/…`, which are moved."""
    for statement in tables.values():
        analytics.run(statement)
    sql = "SELECT name, data_paths FROM system.tables WHERE database = currentDatabase()"
    for table, [path, *_] in analytics.rows(sql, {}, tuple[str, list[str]]):
        parts = sorted(each.name for each in (folder / table).iterdir()) if (folder / table).exists() else []
        for part in parts:
            shutil.move(folder / table / part, Path(path) / "detached" / part)
            analytics.run(f"ALTER TABLE `{table}` ATTACH PART '{part}'")


def drop_tables(analytics: Analytics) -> None:
    """Remove the tables of a restoration that failed."""
    for table in TABLE_NAMES:
        analytics.run(f"DROP TABLE IF EXISTS `{table}` SYNC")


def has_tables(analytics: Analytics) -> bool:
    """Return whether there is a table of Trackyard."""
    sql = "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name IN {names:Array(String)}"
    parameters: dict[str, Any] = {"names": list(TABLE_NAMES)}
    return analytics.rows(sql, parameters, tuple[int]) != [(0,)]
