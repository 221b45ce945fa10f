"""A table as Parquet: text, int64, decimal128(18, 4), timestamp in UTC milliseconds, bool; zstd.

Row groups are bounded and leave as they are full. pyarrow is loaded by the first such file: it costs 45 MB.
"""

import sys
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.abc import MetaPathFinder
from typing import Any, Final

import msgspec

from trackyard.wire.sheets import Kind, Row, Table

GROUP: Final = 25_000
"""Rows of a row group, at most a thousand more."""
_loading: Final = threading.Lock()


def parquet_of(table: Table, pieces: Iterable[list[Row]]) -> Iterator[bytes]:
    """The file in pieces; pieces: the rows. What is read before a row group is full leaves as nothing."""
    arrow, parquet = _pyarrow()
    schema = arrow.schema([(column.name, _type(arrow, column.kind)) for column in table.columns])
    sink = _Sink()
    writer = parquet.ParquetWriter(arrow.PythonFile(sink, mode="w"), schema, compression="zstd")
    batches: list[Any] = []
    rows = 0
    for piece in pieces:
        batches.append(_batch(arrow, schema, table, piece))
        rows += len(piece)
        if rows >= GROUP:
            writer.write_table(arrow.Table.from_batches(batches, schema), row_group_size=rows)
            batches, rows = [], 0
        yield sink.taken()
    if batches:
        writer.write_table(arrow.Table.from_batches(batches, schema), row_group_size=rows)
    writer.close()  # not when reading failed: without its end the file cannot be opened
    yield sink.taken()


def _batch(arrow: Any, schema: Any, table: Table, piece: list[Row]) -> Any:
    encode = msgspec.json.Encoder(decimal_format="number").encode
    arrays = []
    for column, kind, values in zip(table.columns, schema.types, zip(*piece, strict=True), strict=True):
        cells: Any = values
        if column.kind is Kind.OTHER:
            cells = [None if value is None else encode(value).decode() for value in values]
        arrays.append(arrow.array(cells, type=kind))
    return arrow.RecordBatch.from_arrays(arrays, schema=schema)


class _Sink:
    """A file that is written to, and emptied as it is sent."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        """Takes what is a buffer of pyarrow's."""
        piece = bytes(data)
        self._pieces.append(piece)
        self._size += len(piece)
        return len(piece)

    def tell(self) -> int:
        """Where in the file the next byte stands."""
        return self._size

    def flush(self) -> None:
        """Nothing: what was written is there."""

    def close(self) -> None:
        """Nothing: what was written is taken afterwards."""

    def taken(self) -> bytes:
        """What was written since this was asked last."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _type(arrow: Any, kind: Kind) -> Any:
    return {
        Kind.WHOLE: arrow.int64(),
        Kind.AMOUNT: arrow.decimal128(18, 4),
        Kind.MOMENT: arrow.timestamp("ms", tz="UTC"),
        Kind.FLAG: arrow.bool_(),
    }.get(kind, arrow.string())


def _pyarrow() -> tuple[Any, Any]:
    with _loading:
        return _loaded()


@cache
def _loaded() -> tuple[Any, Any]:
    """pyarrow without pandas, which its first array loads only because it is there: 57 MB that nothing here uses."""
    import pyarrow
    import pyarrow.parquet

    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        pyarrow.array([0])
    finally:
        sys.meta_path.remove(hidden)
    return pyarrow, pyarrow.parquet


class _Hidden(MetaPathFinder):
    """Lets pandas not be found by who does not have it yet."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
