"""Rows that a SELECT gives one by one, for answers that are larger than what may be held.

A row is packed into one text by the store. So it sorts rows of one column however wide they are, which takes half the
time, and what does not fit is spilled in pieces of what it is allowed to hold.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

import msgspec

T = TypeVar("T")

ROW_FORMAT: Final = "RowBinary"
"""Texts behind their length: of the formats that both chDB and a server send in pieces the one without quoting."""
SETTINGS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "max_threads": 1,  # it runs beside what others wait for
        "max_execution_time": 600,
        "max_block_size": 4096,
        "max_bytes_before_external_sort": 50_000_000,
        "max_bytes_ratio_before_external_sort": 0,  # the bytes alone say when
        "min_external_sort_block_bytes": 1_000_000,  # else nothing is spilled below 100 MB
        "query_plan_execute_functions_after_sorting": 0,
        "enable_named_columns_in_function_tuple": 0,
        "output_format_json_escape_forward_slashes": 0,
    }
)
_READ_BYTES: Final = 1 << 18


class ByteSource(Protocol):
    """What an answer is read from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes; none at the end."""


def packed_row_column(columns: str) -> str:
    """The one column that holds these."""
    return f"toJSONString(tuple({columns}))"


def settings_clause(memory: int) -> str:
    """The SETTINGS of such a statement. memory: bytes that it may take."""
    limits = {**SETTINGS, "max_memory_usage": memory, "max_bytes_before_external_group_by": memory // 4}
    return ", ".join(f"{name} = {value}" for name, value in limits.items())


def unpack_rows(source: ByteSource, row: type[T]) -> Iterator[list[T]]:
    """The rows, as many at a time as came at once. Raises EOFError when they end within one."""
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
    """Where the texts that are whole lie."""
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
