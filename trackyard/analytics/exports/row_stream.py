"""Rows of a SELECT one by one, for answers larger than the memory for them.

The store packs a row into one text. So it sorts rows of one column, which takes half the time, and spills what exceeds
its memory in pieces of that size.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

import msgspec

T = TypeVar("T")

ROW_FORMAT: Final = "RowBinary"
"""Texts after their length: the format without quotes that chDB and servers send in pieces."""
SETTINGS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "max_threads": 1,  # it runs in parallel to statements that clients wait for
        "max_execution_time": 600,
        "max_block_size": 4096,
        "max_bytes_before_external_sort": 50_000_000,
        "max_bytes_ratio_before_external_sort": 0,  # the bytes alone decide
        "min_external_sort_block_bytes": 1_000_000,  # otherwise nothing is spilled below 100 MB
        "query_plan_execute_functions_after_sorting": 0,
        "enable_named_columns_in_function_tuple": 0,
        "output_format_json_escape_forward_slashes": 0,
    }
)
_READ_BYTES: Final = 1 << 18


class ByteSource(Protocol):
    """A source of bytes of an answer."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; none at the end."""


def packed_row_column(columns: str) -> str:
    """Return the one column that packs these."""
    return f"toJSONString(tuple({columns}))"


def settings_clause(memory: int) -> str:
    """Return the SETTINGS of such a statement. memory: its limit in bytes."""
    limits = {**SETTINGS, "max_memory_usage": memory, "max_bytes_before_external_group_by": memory // 4}
    return ", ".join(f"{name} = {value}" for name, value in limits.items())


def unpack_rows(source: ByteSource, row: type[T]) -> Iterator[list[T]]:
    """Yield the rows of each read. Raises EOFError for an incomplete answer."""
    decode = msgspec.json.Decoder(row).decode
    rest = b""
    while data := source.read(_READ_BYTES):
        rest += data
        rows, end = [], 0
        for start, stop in _complete_texts(rest):
            rows.append(decode(memoryview(rest)[start:stop]))
            end = stop
        rest = rest[end:]
        if rows:
            yield rows
    if rest:
        raise EOFError("the answer of the analytic store ends within a row")


def _complete_texts(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each complete text."""
    at, size = 0, len(data)
    while at < size:
        length = shift = 0
        while at < size:
            byte = data[at]
            at += 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        else:
            return
        if at + length > size:
            return
        yield at, at + length
        at += length
