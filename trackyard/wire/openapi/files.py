"""The description of answers that are files."""

from typing import Any, Final

from trackyard.wire.endpoint import Endpoint
from trackyard.wire.http.list_files import MOST_ROWS
from trackyard.wire.response.exports import CSV, PARQUET, columns_of

_LIST_AS_FILE: Final = (
    f"With `format` csv or parquet the answer is a file of the list's rows, at most {MOST_ROWS:,}, or of one page when "
    "`page` or `limit` is sent."
)


def file_text(endpoint: Endpoint[Any]) -> str:
    """Return the description of its answer as a file."""
    if endpoint.file_export is None:
        return ""
    if endpoint.file_export.rows is None:
        return _LIST_AS_FILE
    return (
        "With `format` csv or parquet the answer is a file, which is sent while it is read, however long it is: a "
        "column for each value, what is nested by its path (`offer.id`); times are as in JSON in CSV, UTC in Parquet. "
        f"One that breaks off ends the connection. {endpoint.file_export.description}"
    ).strip()


def file_content(endpoint: Endpoint[Any]) -> dict[str, Any]:
    """Return the answers to format=csv and format=parquet."""
    file_export = endpoint.file_export
    if file_export is None:
        return {}
    lists = [", ".join(column.name for column in columns_of(view)) for view in file_export.views]
    columns = [f"Columns{of}: {names}." for of, names in zip(("", " for an affiliate"), lists, strict=False)]
    text = " ".join([*columns, file_export.description]).strip()
    if file_export.rows is None:
        text = "Columns: the fields of a row of the JSON answer, nested ones by their path."
    return {
        CSV: {"schema": {"type": "string", "description": f"A line of names, then a line for each. {text}"}},
        PARQUET: {"schema": {"type": "string", "format": "binary", "description": text}},
    }
