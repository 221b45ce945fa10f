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

from trackyard.analytics.exports.row_stream import Source
from trackyard.base.arrow import Batch, loaded

LINES: Final = "TSV"
"""One packed line after the other, with a backslash before each backslash and apostrophe: a format that the engine in
this process sends in pieces."""
ROWS: Final = 20_000
"""Rows of a batch, at most those of one more read."""
_BYTES: Final = 12_000_000
"""What the lines of a batch take, at most one more read."""
_READ: Final = 1 << 18
_OTHER: Final = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)")
"""What is escaped. Matched from left to right, so that a backslash that is escaped itself escapes nothing."""
_AS_TEXT: Final = frozenset((rb"\"", rb"\\"))
"""Escapes that CSV with a backslash has as well."""
_SENT: Final = re.compile(rb"\\(.)")
"""What LINES puts a backslash before."""
_RARE: Final = re.compile(rb'\\[^"\\]')


def packed_line(columns: Sequence[str]) -> str:
    """The one column that holds these. The brackets of the line stay with a number before and one behind them."""
    return f"toJSONString(tuple(0, {', '.join(columns)}, 0))"


class Reader:
    """Reads lines that hold columns. whole: names of those that are whole numbers, int64; the others are text · often:
    of those of them whose values come again and again, which get a dictionary."""

    def __init__(self, columns: Sequence[str], *, whole: frozenset[str], often: frozenset[str]) -> None:
        self._modules = arrow, _, csv, _ = loaded()
        kinds = {name: arrow.int64() for name in whole}
        kinds |= {name: arrow.dictionary(arrow.int32(), arrow.string()) for name in often}
        self._names = ["[", *columns, "]"]
        self._kinds = csv.ConvertOptions(
            include_columns=list(columns),
            column_types={name: kinds.get(name, arrow.string()) for name in columns},
            null_values=[],
            strings_can_be_null=False,
        )

    def batches(self, source: Source) -> Iterator[Batch]:
        """The rows of an answer. Raises EOFError when it ends within one, or is something else."""
        held: list[bytes] = []
        rows = size = 0
        while data := source.read(_READ):
            held.append(data)
            rows, size = rows + data.count(b"\n"), size + len(data)
            if rows and (rows >= ROWS or size >= _BYTES):
                lines, _, rest = b"".join(held).rpartition(b"\n")
                yield self.batch(lines)
                held, rows, size = [rest], 0, len(rest)
        lines, _, rest = b"".join(held).rpartition(b"\n")
        if rest:
            raise EOFError("the answer of the analytic store ends within a row")
        if lines:
            yield self.batch(lines)

    def batch(self, lines: bytes) -> Batch:
        """The rows of some lines, as they are sent."""
        arrow, _, csv, _ = self._modules
        if b"\\" in lines:
            lines = _SENT.sub(rb"\1", lines)
        rare = _RARE.search(lines) is not None
        parse = csv.ParseOptions(escape_char="\\", double_quote=False, newlines_in_values=rare)
        text = _OTHER.sub(_written_out, lines) if rare else lines
        read = csv.ReadOptions(use_threads=False, column_names=self._names, block_size=len(text) + 1)
        try:
            table = csv.read_csv(
                arrow.BufferReader(text), read_options=read, parse_options=parse, convert_options=self._kinds
            )
        except arrow.ArrowInvalid as fault:
            raise EOFError(f"a row is not what was asked for: {fault}") from fault
        [batch] = table.combine_chunks().to_batches()
        return batch


def _written_out(escape: re.Match[bytes]) -> bytes:
    """What an escape stands for, but for those of quotes and backslashes."""
    found = escape.group()
    if found in _AS_TEXT:
        return found
    decoded: Any = msgspec.json.decode(b'"' + found + b'"')
    return str(decoded).encode()
