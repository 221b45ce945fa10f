"""A table as Parquet: text, int64, decimal128(18, 4), timestamp in UTC milliseconds, bool; zstd.

Row groups are bounded and leave as they are full.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from trackyard.base.arrow import Batch, load_pyarrow
from trackyard.wire.response.exports import ColumnBlock, ExportTable, type_of

ROW_GROUP_ROWS: Final = 25_000
"""Rows of a row group, at most those of one more piece."""


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
