"""Lists narrowed by a part of a text, in any case and any script.

Databases differ in the letters that they treat as the same in another case: SQLite knows ASCII alone, PostgreSQL
follows its locale. So the texts are compared here.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from trackyard.store.engine.in_lists import among_values


def part_conditions(
    conn: Connection,
    id_column: ColumnElement[Any],
    texts: Sequence[ColumnElement[Any]],
    part: str,
    others: Sequence[ColumnElement[bool]] = (),
) -> list[ColumnElement[bool]]:
    """Return the condition that a text of a row contains `part`, or its id equals it.

    A blank part adds no condition. others: conditions of the list that limit the rows to be searched.
    """
    wanted = part.strip().casefold()
    if not wanted:
        return []
    rows = conn.execute(select(id_column, *texts).where(*others))
    found = [
        number
        for number, *values in rows
        if str(number) == wanted or any(wanted in text.casefold() for text in values if text is not None)
    ]
    return [among_values(id_column, found)]
