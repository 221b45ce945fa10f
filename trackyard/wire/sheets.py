"""Answers that are a file of rows: `format=csv` of a list, without a limit of rows (behaviour.md §10).

Rows are read while they are sent: what is held at a time does not grow with the file.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Annotated, Any, Final, Generic, TypeVar

import msgspec
from starlette.responses import StreamingResponse

from trackyard.wire import scalars as s
from trackyard.wire.envelope import View
from trackyard.wire.params import Params

CSV: Final = "text/csv"
_CHUNK: Final = 500
"""Rows that are sent at once."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes the beginning of a formula for."""

D = TypeVar("D")


class Exported(Params):
    """What a method has that also answers with a file. format: csv gives every row, whatever page and limit say."""

    format: Annotated[str, s.Choice(("json", "csv"))] = "json"


@dataclass(frozen=True, slots=True)
class Sheet(Generic[D]):
    """The file that a method also answers with. name: of the file, without its ending · view: of a row, whose fields
    are the columns · rows: gets the call and the read parameters; Refusals come before it returns, and rows are read
    as they are asked for."""

    name: str
    view: type[View]
    rows: Callable[[Any, Any], Iterable[View]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the first line."""
        return self.view.__struct_fields__


def lines(columns: Iterable[str], rows: Iterable[View]) -> Iterator[bytes]:
    """The file in pieces: a line of names, then a line a row (RFC 4180, UTF-8)."""
    columns, left = tuple(columns), iter(rows)
    yield _written([columns])
    while piece := list(islice(left, _CHUNK)):
        yield _written([_cell(getattr(row, name)) for name in columns] for row in piece)


def response_of(sheet: Sheet[Any], rows: Iterable[View]) -> StreamingResponse:
    """The answer; a fault while rows are read ends the connection, so that a file cut short is not taken for whole."""
    headers = {"Content-Disposition": f'attachment; filename="{sheet.name}.csv"', "X-Content-Type-Options": "nosniff"}
    return StreamingResponse(lines(sheet.columns, rows), media_type=f"{CSV}; charset=utf-8", headers=headers)


def _written(rows: Iterable[Iterable[str]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    """A value as text. Text that a spreadsheet would calculate gets an apostrophe before it; null is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return msgspec.json.Encoder(decimal_format="number").encode(value).decode()
