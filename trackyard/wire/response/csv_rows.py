"""A table as CSV: RFC 4180, UTF-8, a line of names first. Times are as in JSON answers, null is empty."""

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.base.zones import datetime_text
from trackyard.wire.response.csv_columns import FORMULA_STARTS, csv_lines
from trackyard.wire.response.exports import ColumnBlock, ColumnType, ExportTable, Piece

Cells = Iterable[Any]


def csv_of(table: ExportTable, pieces: Iterable[Piece]) -> Iterator[bytes]:
    """The file in pieces; pieces: the rows. Text that a spreadsheet would calculate gets an apostrophe before it."""
    yield _csv_bytes([[column.name for column in table.columns]])
    shown = [_formatter(column.kind, table.zone) for column in table.columns]
    for piece in pieces:
        if isinstance(piece, ColumnBlock):
            yield csv_lines(table, piece)
            continue
        columns = (show(cells) for show, cells in zip(shown, zip(*piece, strict=True), strict=True))
        yield _csv_bytes(zip(*columns, strict=True))


def _csv_bytes(rows: Iterable[Iterable[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _formatter(kind: ColumnType, zone: ZoneInfo) -> Callable[[Cells], Cells]:
    """How the values of a column are written."""
    if kind is ColumnType.MOMENT:
        return lambda cells: [None if at is None else datetime_text(at, zone) for at in cells]
    return _FORMATTERS.get(kind, lambda cells: cells)  # numbers write themselves


def _texts(cells: Cells) -> Cells:
    return [f"'{text}" if text and text[0] in FORMULA_STARTS else text for text in cells]


def _flags(cells: Cells) -> Cells:
    return [None if flag is None else "true" if flag else "false" for flag in cells]


def _json_texts(cells: Cells) -> Cells:
    encode = msgspec.json.Encoder(decimal_format="number").encode
    return [None if value is None else encode(value).decode() for value in cells]


_FORMATTERS: Final = {ColumnType.TEXT: _texts, ColumnType.FLAG: _flags, ColumnType.OTHER: _json_texts}
