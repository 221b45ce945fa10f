"""A table as Parquet: text, int64, decimal128(18, 4), timestamp in UTC milliseconds, bool; zstd.

Row groups are bounded and sent when they are full.
"""

import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

from trackyard.base.arrow import Batch, load_pyarrow
from trackyard.wire.response.exports import ColumnBlock, ExportTable, type_of

ROW_GROUP_ROWS: Final = 25_000
"""Rows of a row group, plus at most one further piece."""


def parquet_of(table: ExportTable, blocks: Iterable[ColumnBlock]) -> Iterator[bytes]:
    """Yield the file in pieces; a piece is empty until a row group is full."""
    arrow, _, _, parquet = load_pyarrow()
    schema = arrow.schema([(column.name, type_of(column.kind)) for column in table.columns])
    sink = _Sink()
    writer = parquet.ParquetWriter(arrow.PythonFile(sink, mode="w"), schema, compression="zstd")
    batches: list[Any] = []
    rows = 0
    for block in blocks:
        batches.append(_batch_of(schema, block))
        rows += batches[-1].num_rows
        if rows >= ROW_GROUP_ROWS:
            writer.write_table(arrow.Table.from_batches(batches, schema), row_group_size=rows)
            batches, rows = [], 0
        yield sink.taken()
    if batches:
        writer.write_table(arrow.Table.from_batches(batches, schema), row_group_size=rows)
    writer.close()  # not when reading failed: without its end the file cannot be opened
    yield sink.taken()


def _batch_of(schema: Any, block: ColumnBlock) -> Batch:
    arrays = [array.cast(kind) for array, kind in zip(block.arrays, schema.types, strict=True)]
    return load_pyarrow().arrow.RecordBatch.from_arrays(arrays, schema=schema)


class _Sink(io.RawIOBase):
    """A file in memory that is emptied while it is sent."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        """Append a buffer of pyarrow."""
        piece = bytes(data)
        self._pieces.append(piece)
        self._size += len(piece)
        return len(piece)

    def writable(self) -> bool:
        return True

    def seek(self, _offset: int, _whence: int = 0) -> int:
        """Return the position of the next byte, which is always the end."""
        return self._size

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
