"""Rows of the analytic store by column, for files of many rows.

The store packs a row into the line of a JSON array (analytics/exports/row_stream.py). With quotes and backslashes as
its only escapes, such a line is also CSV. So a reader of CSV reads the lines into columns, without an object of Python
for each value.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from trackyard.analytics.exports.row_stream import ByteSource
from trackyard.base.arrow import Batch, load_pyarrow

LINE_FORMAT: Final = "TSV"
"""Packed lines with a backslash before each backslash and apostrophe.

The engine in this process can send this format in pieces.
"""
BATCH_ROWS: Final = 20_000
"""Rows of a batch; the last read may exceed it."""
_BATCH_BYTES: Final = 12_000_000
"""Bytes of the lines of a batch; its last read may exceed it."""
_READ_BYTES: Final = 1 << 18
_JSON_ESCAPE: Final = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)")
"""An escape of JSON. Matches go from left to right, so that an escaped backslash escapes nothing."""
_CSV_ESCAPES: Final = frozenset((rb"\"", rb"\\"))
"""The escapes that JSON and CSV share."""
_TSV_ESCAPE: Final = re.compile(rb"\\(.)")
"""An escape of LINE_FORMAT."""
_JSON_ONLY_ESCAPE: Final = re.compile(rb'\\[^"\\]')


def packed_line_column(columns: Sequence[str]) -> str:
    """Return the one column that packs these, between two numbers that keep the brackets."""
    return f"toJSONString(tuple(0, {', '.join(columns)}, 0))"


class ColumnReader:
    """A reader of packed lines.

    integer_columns: the columns of int64, by name; the others are text.
    repeated_columns: the columns of text that get a dictionary, by name.
    """

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
        """Yield the rows of an answer. Raises EOFError for an incomplete or malformed answer."""
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
        """Return the rows of lines in LINE_FORMAT."""
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
    """Return the text of an escape; escapes of quotes and backslashes stay."""
    found = escape.group()
    if found in _CSV_ESCAPES:
        return found
    decoded: Any = msgspec.json.decode(b'"' + found + b'"')
    return str(decoded).encode()
