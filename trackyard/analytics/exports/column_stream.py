"""Rows by column out of the analytic store, for files of many rows.

The store packs a row into the line of a JSON array (analytics/exports/row_stream.py says why). Such a line is one of
CSV, too, as long
as it escapes nothing but quotes and backslashes: so lines are read by a reader of CSV, which makes columns of them
without an object of Python for any value.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from trackyard.analytics.exports.row_stream import ByteSource
from trackyard.base.arrow import Batch, load_pyarrow

LINE_FORMAT: Final = "TSV"
"""One packed line after the other, with a backslash before each backslash and apostrophe: a format that the engine in
this process sends in pieces."""
BATCH_ROWS: Final = 20_000
"""Rows of a batch, at most those of one more read."""
_BATCH_BYTES: Final = 12_000_000
"""What the lines of a batch take, at most one more read."""
_READ_BYTES: Final = 1 << 18
_JSON_ESCAPE: Final = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)")
"""What is escaped. Matched from left to right, so that a backslash that is escaped itself escapes nothing."""
_CSV_ESCAPES: Final = frozenset((rb"\"", rb"\\"))
"""Escapes that CSV with a backslash has as well."""
_TSV_ESCAPE: Final = re.compile(rb"\\(.)")
"""What LINES puts a backslash before."""
_JSON_ONLY_ESCAPE: Final = re.compile(rb'\\[^"\\]')


def packed_line_column(columns: Sequence[str]) -> str:
    """The one column that holds these. The brackets of the line stay with a number before and one behind them."""
    return f"toJSONString(tuple(0, {', '.join(columns)}, 0))"


class ColumnReader:
    """Reads lines that hold columns. whole: names of those that are whole numbers, int64; the others are text · often:
    of those of them whose values come again and again, which get a dictionary."""

    def __init__(
        self, columns: Sequence[str], *, integer_columns: frozenset[str], repeated_columns: frozenset[str]
    ) -> None:
        self._modules = arrow, _, csv, _ = load_pyarrow()
        kinds = {name: arrow.int64() for name in integer_columns}
        kinds |= {name: arrow.dictionary(arrow.int32(), arrow.string()) for name in repeated_columns}
        self._names = ["[", *columns, "]"]
        self._kinds = csv.ConvertOptions(
            include_columns=list(columns),
            column_types={name: kinds.get(name, arrow.string()) for name in columns},
            null_values=[],
            strings_can_be_null=False,
        )

    def batches(self, source: ByteSource) -> Iterator[Batch]:
        """The rows of an answer. Raises EOFError when it ends within one, or is something else."""
        pieces: list[bytes] = []
        rows = size = 0
        while data := source.read(_READ_BYTES):
            pieces.append(data)
            rows, size = rows + data.count(b"\n"), size + len(data)
            if rows and (rows >= BATCH_ROWS or size >= _BATCH_BYTES):
                lines, _, rest = b"".join(pieces).rpartition(b"\n")
                yield self.batch(lines)
                pieces, rows, size = [rest], 0, len(rest)
        lines, _, rest = b"".join(pieces).rpartition(b"\n")
        if rest:
            raise EOFError("the answer of the analytic store ends within a row")
        if lines:
            yield self.batch(lines)

    def batch(self, lines: bytes) -> Batch:
        """The rows of some lines, as they are sent."""
        arrow, _, csv, _ = self._modules
        if b"\\" in lines:
            lines = _TSV_ESCAPE.sub(rb"\1", lines)
        rare = _JSON_ONLY_ESCAPE.search(lines) is not None
        parse = csv.ParseOptions(escape_char="\\", double_quote=False, newlines_in_values=rare)
        text = _JSON_ESCAPE.sub(_unescape, lines) if rare else lines
        read = csv.ReadOptions(use_threads=False, column_names=self._names, block_size=len(text) + 1)
        try:
            table = csv.read_csv(
                arrow.BufferReader(text), read_options=read, parse_options=parse, convert_options=self._kinds
            )
        except arrow.ArrowInvalid as fault:
            raise EOFError(f"a row is not what was asked for: {fault}") from fault
        [batch] = table.combine_chunks().to_batches()
        return batch


def _unescape(escape: re.Match[bytes]) -> bytes:
    """What an escape stands for, but for those of quotes and backslashes."""
    found = escape.group()
    if found in _CSV_ESCAPES:
        return found
    decoded: Any = msgspec.json.decode(b'"' + found + b'"')
    return str(decoded).encode()
