"""Rows by column: arrays of pyarrow, which is loaded when they are first needed; it costs 45 MB.

An array's text may stand in a dictionary: what is done to such a column is done once for each of its values.
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
    """The parts of pyarrow that are used: itself, and its modules."""

    arrow: Any
    compute: Any
    csv: Any
    parquet: Any


def load_pyarrow() -> PyArrow:
    """pyarrow. Safe to use from several threads."""
    with _loading:
        return _load_pyarrow()


def amounts(scaled: Sequence[int]) -> Array:
    """Return amounts, decimal128(18, 4), of whole numbers of ten-thousandths."""
    arrow = load_pyarrow().arrow
    whole = arrow.array(scaled, type=arrow.int64()).cast(arrow.decimal128(19, 0))
    return arrow.Array.from_buffers(arrow.decimal128(18, 4), len(whole), whole.buffers())


def dictionary_columns(keys: Array, kinds: Sequence[Any], values_of: Callable[[Any], Sequence[Any]]) -> list[Array]:
    """Columns of what belongs to a key, of the types `kinds`; `values_of` is asked once for each key that there is."""
    arrow = load_pyarrow().arrow
    encoded = keys if arrow.types.is_dictionary(keys.type) else keys.dictionary_encode()
    rows = [values_of(key) for key in encoded.dictionary.to_pylist()]
    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    found = [arrow.array(values, type=kind) for values, kind in zip(columns, kinds, strict=True)]
    return [arrow.DictionaryArray.from_arrays(encoded.indices, values) for values in found]


def without_dictionary(column: Array) -> Array:
    """Return the same without a dictionary."""
    arrow = load_pyarrow().arrow
    return column.dictionary_decode() if arrow.types.is_dictionary(column.type) else column


@cache
def _load_pyarrow() -> PyArrow:
    """pyarrow without pandas, which its first array loads only because it is there: 57 MB that nothing here uses."""
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
    """Lets pandas not be found by who does not have it yet."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
