"""Many rows added at once: by COPY on PostgreSQL, by one prepared INSERT on SQLite.

A conversion adds a row to five tables. An INSERT for each row costs PostgreSQL and the client twice as much as a COPY,
as every row is parsed, bound and answered (decisions/0031).
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec
from sqlalchemy import JSON, Connection, Engine, Table, event

from trackyard.store.engine.dialect import is_postgresql
from trackyard.store.engine.types import Scaled

RowValues = list[Any]
"""The values of one row in the order of the columns of its `BulkInsert`."""

_COPY: Final = "COPY "


class BulkInsert:
    """An INSERT of many rows.

    columns: the columns of the given rows; the others get their default in the database.
    A document may be any value that msgspec writes as JSON.
    """

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" * len(columns))
        self._copy = f'{_COPY}"{table.name}" ({names}) FROM STDIN'
        self._insert = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
        kinds = [table.c[name].type for name in columns]
        self._stored = [(index, found) for index, kind in enumerate(kinds) if (found := _writer(kind)) is not None]

    def add(self, conn: Connection, rows: Sequence[RowValues]) -> None:
        """Add all rows or none. Their values are replaced by the stored forms."""
        if not rows:
            return
        for index, stored in self._stored:
            for row in rows:
                row[index] = stored(row[index])
        statement = self._copy if is_postgresql(conn) else self._insert
        conn.exec_driver_sql(statement, [tuple(row) for row in rows])


def enable_copy(engine: Engine) -> None:
    """Let an engine of PostgreSQL run the COPY of a `BulkInsert` with its events and errors."""
    event.listen(engine, "do_executemany", _copy_many)
    event.listen(engine, "do_execute", _copy_one)


def _copy_many(cursor: Any, statement: str, parameters: Sequence[Any], _context: Any) -> bool:
    if not statement.startswith(_COPY):
        return False
    with cursor.copy(statement) as copy:
        for row in parameters:
            copy.write_row(row)
    return True


def _copy_one(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
    return _copy_many(cursor, statement, [parameters], context)


def _writer(kind: Any) -> Callable[[Any], Any] | None:
    """Return the function for the stored form of a column's values; None = stored unchanged."""
    if isinstance(kind, Scaled):
        return _scaled(kind.places)
    return _document if isinstance(kind, JSON) else None


def _scaled(places: int) -> Callable[[Decimal], int]:
    def whole(value: Decimal) -> int:
        scaled = value.scaleb(places)
        found = int(scaled)
        if found != scaled:
            raise ValueError(f"{value} has more than {places} places")
        return found

    return whole


_encode: Final = msgspec.json.Encoder().encode


def _document(value: Any) -> str:
    return _encode(value).decode()
