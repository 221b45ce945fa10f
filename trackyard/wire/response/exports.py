"""Answers that are a file of rows: `format=csv` or `parquet`.

docs/spec/api-conventions.md#files-of-rows. Rows are read while they are sent, so memory does not grow with the file.
Columns are the fields of the view of the JSON answer, nested ones by their path (`offer.id`).
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import islice
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Generic, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import create_model

from trackyard.base.arrow import Array, dictionary_columns, load_pyarrow
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Spelled
from trackyard.wire.response.envelope import MOMENT, View

CSV: Final = "text/csv"
BYTE_ORDER_MARK: Final = "\ufeff"
"""What a CSV file for people begins with: without it spreadsheets take UTF-8 for another encoding."""
PARQUET: Final = "application/vnd.apache.parquet"
COMMA: Final = ","
SEPARATORS: Final = (COMMA, ";")
DECIMALS: Final = 6
"""Digits after the point of a column of the type DECIMAL. With more of them pyarrow writes 0 as 0E-7."""
BATCH_ROWS: Final = 1000
"""Rows that are read and sent at once."""

D = TypeVar("D")
T = TypeVar("T")


class ColumnType(Enum):
    """The type of the values of a column, besides null.

    AMOUNT: four decimals. DECIMAL: up to six. MOMENT: UTC milliseconds. OTHER: shown as JSON.
    """

    TEXT = "text"
    WHOLE = "a whole number"
    AMOUNT = "an amount"
    DECIMAL = "a decimal number"
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

    mark: whether CSV begins with a byte order mark. separator: the character between the cells of CSV.
    """

    format: Annotated[str, s.Choice(("json", "csv", "parquet"))] = "json"
    mark: Annotated[s.Flag, Spelled(("bom",))] = False
    separator: Annotated[str, s.Choice(SEPARATORS)] = COMMA

    @property
    def is_paged(self) -> bool:
        """Return whether a part of the rows is requested."""
        return not self.model_fields_set.isdisjoint(("page", "limit", "skip"))


@cache
def with_file(model: type[Params]) -> type[ExportParams]:
    """Return a model of parameters that has the parameters of a file, after its own."""
    if issubclass(model, ExportParams):
        return model
    bases: Any = (ExportParams, model)
    made: type[ExportParams] = create_model(f"{model.__name__}AndFile", __base__=bases, __module__=model.__module__)
    return made


@dataclass(frozen=True, slots=True)
class FileExport(Generic[D]):
    """The file that a method also answers with.

    name: the beginning of the file's name.
    views: the views of a row; the last one is for affiliates when it differs. Empty when the columns depend on the
    parameters.
    rows: gets the call and its parameters. Errors are raised before it returns, or with its first piece. None: the
    rows of the answers themselves (wire/http/list_files.py).
    description: describes columns and rows.
    feature: the feature that an affiliate needs for the file (domain/people/permissions.py); "" = none.
    """

    name: str
    views: tuple[type[View], ...]
    rows: Callable[[Any, Any], ExportTable] | None
    description: str = ""
    feature: str = ""


def columns_of(view: type[View]) -> tuple[ExportColumn, ...]:
    """Return the columns of a view."""
    return tuple(_columns(view, ""))


def table_of(view: type[View], rows: Iterable[View], zone: ZoneInfo, **more: Any) -> ExportTable:
    """Return a table of views. Their moments are UTC milliseconds."""
    columns, flat = columns_of(view), flattener_of(view)
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
        ColumnType.DECIMAL: arrow.decimal128(38, DECIMALS),
        ColumnType.MOMENT: arrow.timestamp("ms", tz="UTC"),
        ColumnType.FLAG: arrow.bool_(),
    }.get(kind, arrow.string())


def block_of(columns: Sequence[ExportColumn], arrays: Mapping[str, Array]) -> ColumnBlock:
    """Return rows by column, from arrays by name; further arrays are ignored. Raises KeyError."""
    return ColumnBlock(tuple(arrays[column.name] for column in columns))


def nested_columns(view: type[View], name: str, keys: Array, view_of: Callable[[Any], View | None]) -> dict[str, Array]:
    """Return the columns of a nested view by key. `view_of` is called once for each key."""
    columns, flat = tuple(_columns(view, f"{name}.")), flattener_of(view)
    nothing = [None] * len(columns)

    def values_of(key: Any) -> Row:
        found = view_of(key)
        return nothing if found is None else flat(found)

    arrays = dictionary_columns(keys, [type_of(column.kind) for column in columns], values_of)
    return {column.name: array for column, array in zip(columns, arrays, strict=True)}


def _columns(view: type[View], prefix: str) -> Iterator[ExportColumn]:
    for field in _fields(view):
        if isinstance(field.kind, ColumnType):
            yield ExportColumn(prefix + field.name, field.kind)
        else:
            yield from _columns(field.kind, f"{prefix}{field.name}.")


class _RowField(NamedTuple):
    """A field of a view.

    name: on the wire. kind: its type or nested view. may_lack: whether it may be UNSET.
    """

    attribute: str
    name: str
    kind: ColumnType | type[View]
    may_lack: bool


@cache
def _fields(view: type[View]) -> tuple[_RowField, ...]:
    """Return the fields of a view."""
    hints = get_type_hints(view, include_extras=True)
    return tuple(
        _RowField(each.name, each.encode_name, _kind(hints[each.name]), UnsetType in get_args(hints[each.name]))
        for each in msgspec.structs.fields(view)
    )


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


def flattener_of(view: type[View]) -> Callable[[Any], Row]:
    """Return the function that makes a row of a view.

    A field that is UNSET is None; a nested view that is UNSET has None in each column.
    """
    fields = _fields(view)
    inner = [
        None if isinstance(each.kind, ColumnType) else (flattener_of(each.kind), len(columns_of(each.kind)))
        for each in fields
    ]
    names = [each.attribute for each in fields]
    values_of = attrgetter(*names)
    if len(names) > 1 and not any(inner) and not any(each.may_lack for each in fields):
        return values_of

    def flat(row: Any) -> Row:
        values: list[Any] = []
        for value, nested in zip(values_of(row) if len(names) > 1 else (values_of(row),), inner, strict=True):
            if nested is None:
                values.append(None if value is UNSET else value)
            elif value is None or value is UNSET:
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
