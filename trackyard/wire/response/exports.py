"""Answers that are a file of rows: `format=csv` or `parquet`, without a limit of rows.

docs/spec/api-conventions.md#files-of-rows. Rows are read while they are sent, so memory does not grow with the file.
Columns are the fields of the view of the JSON answer, nested ones by their path (`offer.id`).
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from itertools import islice
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Generic, TypeVar, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UnsetType

from trackyard.base.arrow import Array, dictionary_columns, load_pyarrow
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import MOMENT, View

CSV: Final = "text/csv"
BYTE_ORDER_MARK: Final = "\ufeff"
"""What a CSV file for people begins with: without it spreadsheets take UTF-8 for another encoding."""
PARQUET: Final = "application/vnd.apache.parquet"
BATCH_ROWS: Final = 1000
"""Rows that are read and sent at once."""

D = TypeVar("D")
T = TypeVar("T")


class ColumnType(Enum):
    """The type of the values of a column, besides null. MOMENT: UTC milliseconds. OTHER: shown as JSON."""

    TEXT = "text"
    WHOLE = "a whole number"
    AMOUNT = "an amount"
    MOMENT = "a moment"
    FLAG = "true or false"
    OTHER = "JSON"


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A column of a file."""

    name: str
    kind: ColumnType = ColumnType.TEXT


Row = Sequence[Any]
"""A value for each column of a table."""


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Rows by column: an array of each column's type (`type_of`), or a dictionary of such values."""

    arrays: tuple[Array, ...]


Blocks = Generator[ColumnBlock, None, None]


@dataclass(frozen=True, slots=True)
class ExportTable:
    """The rows of one file.

    pieces: the rows, read as they are needed; closing it ends the reading.
    zone: of times that are written as text.
    period: the end of the file's name.
    count: the number of all rows, known once the first piece was read.
    """

    columns: tuple[ExportColumn, ...]
    pieces: Blocks
    zone: ZoneInfo
    period: str = ""
    count: Callable[[], int] | None = None


class ExportParams(Params):
    """The parameters of a method that also answers with a file.

    bom: whether CSV begins with a byte order mark.
    """

    format: Annotated[str, s.Choice(("json", "csv", "parquet"))] = "json"
    bom: s.Flag = False


@dataclass(frozen=True, slots=True)
class FileExport(Generic[D]):
    """The file that a method also answers with.

    name: the beginning of the file's name.
    views: the views of a row; the last one is for affiliates when it differs. Empty when the columns depend on the
    parameters.
    rows: gets the call and its parameters. Errors are raised before it returns, or with its first piece.
    description: describes columns and rows.
    feature: the feature that an affiliate needs for the file (domain/people/permissions.py); "" = none.
    """

    name: str
    views: tuple[type[View], ...]
    rows: Callable[[Any, Any], ExportTable]
    description: str = ""
    feature: str = ""


def columns_of(view: type[View]) -> tuple[ExportColumn, ...]:
    """Return the columns of a view."""
    return tuple(_columns(view, ""))


def table_of(view: type[View], rows: Iterable[View], zone: ZoneInfo, **more: Any) -> ExportTable:
    """Return a table of views. Their moments are UTC milliseconds."""
    columns, flat = columns_of(view), _flattener(view)
    return ExportTable(columns, blocks_of(columns, map(flat, rows)), zone, **more)


def blocks_of(columns: Sequence[ExportColumn], rows: Iterable[Row]) -> Blocks:
    """Yield rows by column, BATCH_ROWS at a time."""
    left = iter(rows)
    while some := list(islice(left, BATCH_ROWS)):
        yield block_of_rows(columns, some)


def block_of_rows(columns: Sequence[ExportColumn], rows: Sequence[Row]) -> ColumnBlock:
    """Return rows by column."""
    array = load_pyarrow().arrow.array
    encode = msgspec.json.Encoder(decimal_format="number").encode
    arrays = []
    for column, values in zip(columns, zip(*rows, strict=True), strict=True):
        cells: Sequence[Any] = values
        if column.kind is ColumnType.OTHER:
            cells = [None if value is None else encode(value).decode() for value in values]
        arrays.append(array(cells, type=type_of(column.kind)))
    return ColumnBlock(tuple(arrays))


def type_of(kind: ColumnType) -> Any:
    """Return the pyarrow type of a kind of column."""
    arrow = load_pyarrow().arrow
    return {
        ColumnType.WHOLE: arrow.int64(),
        ColumnType.AMOUNT: arrow.decimal128(18, 4),
        ColumnType.MOMENT: arrow.timestamp("ms", tz="UTC"),
        ColumnType.FLAG: arrow.bool_(),
    }.get(kind, arrow.string())


def block_of(columns: Sequence[ExportColumn], arrays: Mapping[str, Array]) -> ColumnBlock:
    """Return rows by column, from arrays by name; further arrays are ignored. Raises KeyError."""
    return ColumnBlock(tuple(arrays[column.name] for column in columns))


def nested_columns(view: type[View], name: str, keys: Array, view_of: Callable[[Any], View | None]) -> dict[str, Array]:
    """Return the columns of a nested view by key. `view_of` is called once for each key."""
    columns, flat = tuple(_columns(view, f"{name}.")), _flattener(view)
    nothing = [None] * len(columns)

    def values_of(key: Any) -> Row:
        found = view_of(key)
        return nothing if found is None else flat(found)

    arrays = dictionary_columns(keys, [type_of(column.kind) for column in columns], values_of)
    return {column.name: array for column, array in zip(columns, arrays, strict=True)}


def _columns(view: type[View], prefix: str) -> Iterator[ExportColumn]:
    for name, kind in _fields(view):
        if isinstance(kind, ColumnType):
            yield ExportColumn(prefix + name, kind)
        else:
            yield from _columns(kind, f"{prefix}{name}.")


def _fields(view: type[View]) -> list[tuple[str, ColumnType | type[View]]]:
    """Return the fields of a view, each with its type or nested view."""
    hints = get_type_hints(view, include_extras=True)
    return [(name, _kind(hints[name])) for name in view.__struct_fields__]


def _kind(hint: Any) -> ColumnType | type[View]:
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        return ColumnType.MOMENT if MOMENT in notes else _kind(kind)
    if get_origin(hint) in (Union, UnionType):
        [*some] = (inner for inner in get_args(hint) if inner not in (NoneType, UnsetType))
        return _kind(some[0]) if len(some) == 1 else ColumnType.OTHER
    if isinstance(hint, type) and issubclass(hint, View):
        return hint
    return _KINDS.get(hint, ColumnType.OTHER)


def _flattener(view: type[View]) -> Callable[[Any], Row]:
    """Return the function that makes a row of a view."""
    fields = _fields(view)
    inner = [None if isinstance(kind, ColumnType) else (_flattener(kind), len(columns_of(kind))) for _, kind in fields]
    if len(fields) == 1:
        raise TypeError(f"{view.__name__}: a row has more than one field")
    values_of = attrgetter(*(name for name, _ in fields))
    if not any(inner):
        return values_of

    def flat(row: Any) -> Row:
        values: list[Any] = []
        for value, nested in zip(values_of(row), inner, strict=True):
            if nested is None:
                values.append(value)
            elif value is None:
                values += [None] * nested[1]
            else:
                values += nested[0](value)
        return values

    return flat


_KINDS: Final[dict[Any, ColumnType]] = {
    str: ColumnType.TEXT,
    int: ColumnType.WHOLE,
    Decimal: ColumnType.AMOUNT,
    bool: ColumnType.FLAG,
    NoneType: ColumnType.TEXT,
}
