"""A table as CSV: RFC 4180, UTF-8, a line of names first. Times are as in JSON answers, null is empty."""

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.base.zones import datetime_text
from trackyard.wire.response.csv_columns import FORMULA, lines_of
from trackyard.wire.response.exports import Block, Kind, Piece, Table

Cells = Iterable[Any]


def csv_of(table: Table, pieces: Iterable[Piece]) -> Iterator[bytes]:
    """The file in pieces; pieces: the rows. Text that a spreadsheet would calculate gets an apostrophe before it."""
    yield _written([[column.name for column in table.columns]])
    shown = [_shown(column.kind, table.zone) for column in table.columns]
    for piece in pieces:
        if isinstance(piece, Block):
            yield lines_of(table, piece)
            continue
        columns = (show(cells) for show, cells in zip(shown, zip(*piece, strict=True), strict=True))
        yield _written(zip(*columns, strict=True))


def _written(rows: Iterable[Iterable[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _shown(kind: Kind, zone: ZoneInfo) -> Callable[[Cells], Cells]:
    """How the values of a column are written."""
    if kind is Kind.MOMENT:
        return lambda cells: [None if at is None else datetime_text(at, zone) for at in cells]
    return _SHOWN.get(kind, lambda cells: cells)  # numbers write themselves


def _texts(cells: Cells) -> Cells:
    return [f"'{text}" if text and text[0] in FORMULA else text for text in cells]


def _flags(cells: Cells) -> Cells:
    return [None if flag is None else "true" if flag else "false" for flag in cells]


def _others(cells: Cells) -> Cells:
    encode = msgspec.json.Encoder(decimal_format="number").encode
    return [None if value is None else encode(value).decode() for value in cells]


_SHOWN: Final = {Kind.TEXT: _texts, Kind.FLAG: _flags, Kind.OTHER: _others}
