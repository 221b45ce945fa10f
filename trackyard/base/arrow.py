"""Rows by column, as arrays of pyarrow. It is loaded on first use, since it takes 45 MB.

The texts of an array may be stored in a dictionary; each value is then processed once.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from typing import Any, Final, NamedTuple

Array = Any
"""A column: pyarrow.Array."""
Batch = Any
"""Rows by column: pyarrow.RecordBatch."""

_loading: Final = threading.Lock()


class PyArrow(NamedTuple):
    """The modules of pyarrow that are used."""

    arrow: Any
    compute: Any
    csv: Any
    parquet: Any


def load_pyarrow() -> PyArrow:
    """Return pyarrow. Safe to use from several threads."""
    with _loading:
        return _load_pyarrow()


def amounts(scaled: Sequence[int]) -> Array:
    """Return amounts, decimal128(18, 4), from whole numbers of ten-thousandths."""
    arrow = load_pyarrow().arrow
    whole = arrow.array(scaled, type=arrow.int64()).cast(arrow.decimal128(19, 0))
    return arrow.Array.from_buffers(arrow.decimal128(18, 4), len(whole), whole.buffers())


def dictionary_columns(keys: Array, kinds: Sequence[Any], values_of: Callable[[Any], Sequence[Any]]) -> list[Array]:
    """Return one column for each value that `values_of` gives for a key, with a row for each of `keys`.

    values_of: is called once for each distinct key. kinds: Arrow types of the columns, in the order of the values.
    """
    arrow = load_pyarrow().arrow
    encoded = keys if arrow.types.is_dictionary(keys.type) else keys.dictionary_encode()
    rows = [values_of(key) for key in encoded.dictionary.to_pylist()]
    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    found = [arrow.array(values, type=kind) for values, kind in zip(columns, kinds, strict=True)]
    return [arrow.DictionaryArray.from_arrays(encoded.indices, values) for values in found]


def without_dictionary(column: Array) -> Array:
    """Return a column without a dictionary."""
    arrow = load_pyarrow().arrow
    return column.dictionary_decode() if arrow.types.is_dictionary(column.type) else column


@cache
def _load_pyarrow() -> PyArrow:
    """Return pyarrow without pandas.

    The first array would load pandas when it is installed: 57 MB that nothing here uses.
    """
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv
    import pyarrow.parquet

    blocker = _PandasBlocker()
    sys.meta_path.insert(0, blocker)
    try:
        pyarrow.array([0])
    finally:
        sys.meta_path.remove(blocker)
    return PyArrow(pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.parquet)


class _PandasBlocker(MetaPathFinder):
    """Hides pandas from modules that have not imported it yet."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
