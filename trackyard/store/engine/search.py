"""Lists narrowed by a part of a text, in any case and any script.

Databases differ in what they take for the same letter in another case: SQLite knows ASCII alone, PostgreSQL goes by
its locale. So the texts are compared here.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select


def ids_with_part(
    conn: Connection,
    id_column: ColumnElement[Any],
    texts: Sequence[ColumnElement[Any]],
    part: str,
    conditions: Sequence[ColumnElement[bool]] = (),
) -> list[Any]:
    """Return the ids of rows of which any text holds `part`, or the id is it; in any case."""
    wanted = part.strip().casefold()
    rows = conn.execute(select(id_column, *texts).where(*conditions))
    return [
        number
        for number, *values in rows
        if str(number) == wanted or any(wanted in text.casefold() for text in values if text is not None)
    ]
