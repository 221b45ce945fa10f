"""A table as Parquet: text, int64, decimal128(18, 4), timestamp in UTC milliseconds, bool; zstd.

Row groups are bounded and leave as they are full.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from trackyard.base.arrow import Batch, load_pyarrow
from trackyard.wire.response.exports import ColumnBlock, ColumnType, ExportTable, Piece, Row, type_of

ROW_GROUP_ROWS: Final = 25_000
"""Rows of a row group, at most those of one more piece."""


def parquet_of(table: ExportTable, pieces: Iterable[Piece]) -> Iterator[bytes]:
    """The file in pieces; pieces: the rows. What is read before a row group is full leaves as nothing."""
    arrow, _, _, parquet = load_pyarrow()
    schema = arrow.schema([(column.name, type_of(column.kind)) for column in table.columns])
    sink = _Sink()
    writer = parquet.ParquetWriter(arrow.PythonFile(sink, mode="w"), schema, compression="zstd")
    batches: list[Any] = []
    rows = 0
    for piece in pieces:
        batches.append(_of_block(schema, piece) if isinstance(piece, ColumnBlock) else _of_rows(schema, table, piece))
        rows += batches[-1].num_rows
        if rows >= ROW_GROUP_ROWS:
            writer.write_table(arrow.Table.from_batches(batches, schema), row_group_size=rows)
            batches, rows = [], 0
        yield sink.taken()
    if batches:
        writer.write_table(arrow.Table.from_batches(batches, schema), row_group_size=rows)
    writer.close()  # not when reading failed: without its end the file cannot be opened
    yield sink.taken()


def _of_block(schema: Any, block: ColumnBlock) -> Batch:
    arrays = [array.cast(kind) for array, kind in zip(block.arrays, schema.types, strict=True)]
    return load_pyarrow().arrow.RecordBatch.from_arrays(arrays, schema=schema)


def _of_rows(schema: Any, table: ExportTable, piece: list[Row]) -> Batch:
    arrow = load_pyarrow().arrow
    encode = msgspec.json.Encoder(decimal_format="number").encode
    arrays = []
    for column, kind, values in zip(table.columns, schema.types, zip(*piece, strict=True), strict=True):
        cells: Any = values
        if column.kind is ColumnType.OTHER:
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
