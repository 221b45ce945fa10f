"""Texts of the tables and rows of an analytic store, from which tests make stores of earlier releases.

`python -m tests.support.stores.analytic_dumps` writes the one of this program, with two rows in each table. A release
adds it (CONTRIBUTING.md#making-a-release).
"""

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores.analytics import empty_store
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import newest_number
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.domain.statistics import rows
from trackyard.domain.statistics.click_columns import column_type
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode

FOLDER: Final = Path(__file__).parents[2] / "analytics" / "engine" / "schemas"
"""The dumps, `schema_6.sql` of release 0.2.0 the first. The number is that of the last step."""


def dump_numbers() -> list[int]:
    """The numbers of the schemas that have a dump."""
    return sorted(int(path.stem.partition("_")[2]) for path in FOLDER.glob("schema_*.sql"))


def restore_dump(store: Analytics, number: int) -> None:
    """Make the tables and rows of a dump in a store without tables."""
    for statement in (FOLDER / f"schema_{number}.sql").read_text().split(";\n"):
        if statement.strip():
            store.run(statement)


def rows_by_table(store: Analytics) -> dict[str, list[dict[str, Any]]]:
    """What each table holds."""
    return {table: [dict(zip(names, row, strict=True)) for row in found] for table, names, found in _each_table(store)}


def _dump(store: Analytics) -> str:
    sql = "SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase()"
    made = dict(store.rows(sql, {}, tuple[str, str]))
    statements = []
    for table, names, found in _each_table(store):
        database = made[table].partition("CREATE TABLE ")[2].partition(".")[0]
        statements.append(made[table].replace(f" {database}.", " ", 1))
        lines = [f"({', '.join(map(_quoted, row, names))})" for row in found]
        statements.append(f"INSERT INTO `{table}` VALUES\n" + ",\n".join(lines))
    return ";\n".join(statements) + ";\n"


def _each_table(store: Analytics) -> list[tuple[str, list[str], list[list[Any]]]]:
    """The tables by name, with their columns and rows; ids of fixed length as hexadecimal digits."""
    sql = (
        "SELECT table, groupArray((name, type)) FROM (SELECT table, name, type FROM system.columns "
        "WHERE database = currentDatabase() ORDER BY table, position) GROUP BY table ORDER BY table"
    )
    found = []
    for table, columns in store.rows(sql, {}, tuple[str, list[tuple[str, str]]]):
        read = ", ".join(f"lower(hex({name}))" if kind == "FixedString(12)" else f"`{name}`" for name, kind in columns)
        names = [f"{name} in hex" if kind == "FixedString(12)" else name for name, kind in columns]
        found.append((table, names, store.rows(f"SELECT {read} FROM `{table}` ORDER BY ALL", {}, list[Any])))
    return found


def _quoted(value: Any, name: str) -> str:
    if not isinstance(value, str):
        return str(value)
    text = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"unhex({text})" if name.endswith(" in hex") else text


def _fill(store: Analytics) -> None:
    for number in (1, 2):
        click = new_click(number, sub1=f"it's {number}", landing=number)
        for table, place in (("click", number), ("view", number + 10)):
            load(store, table, [click_item("j", place, encode(click))], f"{table}{number}")
        load(store, "click_lookup", [lookup_item(encode(click))], f"lookup{number}")
        load(store, "fact", [encode_row(new_fact(number, click_id=click.id, custom_field_1="x"))], f"fact{number}")
        for target in ("server_log", "affiliate_log"):
            line = _filled(rows.TARGETS[target], number, id=f"{number:024x}", time=NOON + number)
            load(store, target, [encode_row(line)], f"{target}{number}")


def _filled(struct: type[msgspec.Struct], number: int, **given: Any) -> Any:
    values = {
        info.name: {int: number, str: f"{info.name} {number}", Decimal: Decimal(number)}[column_type(info.type)[0]]
        for info in msgspec.structs.fields(struct)
    }
    return struct(**(values | given))


def main() -> None:
    """Write the dump of this program."""
    with empty_store() as store:
        _fill(store)
        path = FOLDER / f"schema_{newest_number()}.sql"
        path.write_text(_dump(store))
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
