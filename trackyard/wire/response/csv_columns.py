"""A table by column as CSV, in the form of wire/response/csv_rows.py.

Times are as in JSON answers, null is empty.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import Any, Final
from zoneinfo import ZoneInfo

from trackyard.base.arrow import Array, load_pyarrow, without_dictionary
from trackyard.base.zones import offsets_between
from trackyard.wire.response.csv_rows import FORMULA_STARTS, csv_line
from trackyard.wire.response.exports import COMMA, ColumnBlock, ColumnType, ExportTable

_FORMULA_PATTERN: Final = "^[" + "".join(sorted(FORMULA_STARTS)).replace("-", r"\-") + "]"
_NULL_IS_EMPTY: Final = MappingProxyType({"null_handling": "replace", "null_replacement": ""})
_QUOTED: Final = '"\r\n'
"""Characters that put a cell in quotes, with the separator."""


def csv_of(table: ExportTable, blocks: Iterable[ColumnBlock], separator: str = COMMA) -> Iterator[bytes]:
    """Yield the file in pieces. Text that a spreadsheet would calculate gets an apostrophe in front."""
    yield csv_line([column.name for column in table.columns], separator).encode()
    for block in blocks:
        yield _lines(table, block, separator)


def _lines(table: ExportTable, block: ColumnBlock, separator: str) -> bytes:
    compute = load_pyarrow().compute
    cells = [
        _cells(column.kind, array, table.zone, separator)
        for column, array in zip(table.columns, block.arrays, strict=True)
    ]
    cells[-1] = compute.binary_join_element_wise(cells[-1], "", "\r\n", **_NULL_IS_EMPTY)
    return _bytes(compute.binary_join_element_wise(*cells, separator, **_NULL_IS_EMPTY))


def _cells(kind: ColumnType, array: Array, zone: ZoneInfo, separator: str) -> Array:
    """Return the cells of a column as text."""
    if kind is ColumnType.TEXT:
        return _of_values(array, lambda values: _quote(_escape_formulas(values), separator))
    if kind is ColumnType.OTHER:
        return _of_values(array, lambda values: _quote(values, separator))
    if kind is ColumnType.MOMENT:
        return _local_times(without_dictionary(array), zone)
    if kind in (ColumnType.AMOUNT, ColumnType.DECIMAL):
        return _of_values(array, _amounts)
    return _of_values(array, lambda values: values.cast("string"))


def _of_values(array: Array, shown: Callable[[Array], Array]) -> Array:
    """Return the text of each value of a column, computed once for each value of a dictionary."""
    arrow = load_pyarrow().arrow
    if not arrow.types.is_dictionary(array.type):
        return shown(array)
    return without_dictionary(arrow.DictionaryArray.from_arrays(array.indices, shown(array.dictionary)))


def _escape_formulas(texts: Array) -> Array:
    """Return texts with an apostrophe in front of formulas."""
    compute = load_pyarrow().compute
    found = compute.match_substring_regex(texts, _FORMULA_PATTERN)
    if not compute.any(found).as_py():
        return texts
    return compute.if_else(found, compute.binary_join_element_wise("'", texts, ""), texts)


def _quote(texts: Array, separator: str) -> Array:
    """Return texts in quotes where they contain a character that would end a cell."""
    compute, data, quoted = load_pyarrow().compute, _bytes(texts), _QUOTED + separator
    if not any(mark.encode() in data for mark in quoted):
        return texts
    found = compute.match_substring_regex(texts, f"[{quoted}]")
    doubled = compute.replace_substring(texts, '"', '""')
    return compute.if_else(found, compute.binary_join_element_wise('"', doubled, '"', ""), texts)


def _amounts(amounts: Array) -> Array:
    """Return amounts as text, without zeros at the end."""
    compute = load_pyarrow().compute
    return compute.utf8_rtrim(compute.utf8_rtrim(amounts.cast("string"), "0"), ".")


def _local_times(moments: Array, zone: ZoneInfo) -> Array:
    """Return moments, in UTC milliseconds, as local times of a zone."""
    arrow, compute, *_ = load_pyarrow()
    seconds = compute.divide(moments.cast("int64"), 1000)
    bounds: dict[str, Any] = compute.min_max(seconds).as_py()
    if bounds["min"] is None:
        return moments.cast("string")
    [(_, ahead), *changes] = offsets_between(zone, bounds["min"] * 1000, bounds["max"] * 1000 + 1)
    shift = arrow.scalar(ahead)
    for since, ahead in changes:
        shift = compute.if_else(compute.greater_equal(seconds, since), ahead, shift)
    return compute.add(seconds, shift).cast(arrow.timestamp("s")).cast("string")


def _bytes(texts: Array) -> bytes:
    """Return all texts, one after the other."""
    _, offsets, data = texts.buffers()
    if data is None or not len(texts):
        return b""
    first, last = (struct.unpack_from("<i", offsets, 4 * (texts.offset + place))[0] for place in (0, len(texts)))
    return bytes(memoryview(data)[first:last])
