"""The rows of the answer of a list, for a file (docs/spec/api-conventions.md#files-of-rows).

A list is an answer that has its rows with their pagination, or that has nothing but rows. Both may be one level down.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from operator import attrgetter
from typing import Any, Final, get_args, get_origin, get_type_hints

from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.exports import DECIMALS, ColumnType, ExportColumn, Row, columns_of, flattener_of

_TOTALS: Final = ("pagination.total_count", "pagination.total", "total_count", "all_items")
"""Where answers have the number of all rows."""
_ABOUT_ALL: Final = frozenset({"status", "warnings", "status_code"})
"""Fields of an answer in addition to its content."""
_KINDS: Final = {ColumnType.AMOUNT: ColumnType.DECIMAL, ColumnType.MOMENT: ColumnType.TEXT}
"""Types of columns that differ in answers: amounts may be finer, times are text."""
_PLACES: Final = Decimal(1).scaleb(-DECIMALS)


@dataclass(frozen=True)
class ListRows:
    """Where an answer has its rows.

    place: the field of the rows, with the field that holds it (`data.promocodes`). total: the field of the number of
    all rows; "" where the answer has every row.
    view: the view of a row; None where a row is one text.
    by_key: whether the rows are a map. Its keys are a column where the rows themselves have no id.
    """

    place: str
    total: str
    view: type[View] | None
    by_key: bool

    @property
    def columns(self) -> tuple[ExportColumn, ...]:
        """Return the columns of the file."""
        keys = [ExportColumn("key")] if self._shows_keys else []
        if self.view is None:
            return *keys, ExportColumn("value" if self.by_key else self.place.rpartition(".")[2])
        return *keys, *(replace(each, kind=_KINDS.get(each.kind, each.kind)) for each in columns_of(self.view))

    def rows_of(self, answer: Answer) -> list[Row]:
        """Return the rows of an answer, a value for each column."""
        rows = attrgetter(self.place)(answer)
        exact = _exact(self.columns)
        flat: Callable[[Any], Row] = (lambda row: (row,)) if self.view is None else flattener_of(self.view)
        if self._shows_keys:
            return [exact([key, *flat(row)]) for key, row in rows.items()]
        return [exact(flat(row)) for row in (rows.values() if self.by_key else rows)]

    @property
    def _shows_keys(self) -> bool:
        return self.by_key and (self.view is None or "id" not in self.view.__struct_encode_fields__)

    def total_of(self, answer: Answer) -> int:
        """Return the number of all rows of the list."""
        total: int = attrgetter(self.total)(answer) if self.total else len(attrgetter(self.place)(answer))
        return total


@cache
def list_rows(answer: type[Answer]) -> ListRows | None:
    """Return where an answer has its rows; None for an answer that is not a list."""
    for prefix, record in (("", answer), *((f"{name}.", inner) for name, inner in _inner_of(answer))):
        total = next((each for each in _TOTALS if _has(record, each)), "")
        found = next(_lists_in(record, prefix, any_row=bool(total)), None)
        fields = [name for name in record.__struct_fields__ if name not in _ABOUT_ALL]
        if found is not None and (total or len(fields) == 1):
            return replace(found, total=prefix + total if total else "")
    return None


def _inner_of(answer: type[Answer]) -> Iterator[tuple[str, type[View]]]:
    """Yield the record that an answer consists of."""
    hints = get_type_hints(answer)
    names = [name for name in answer.__struct_fields__ if name not in _ABOUT_ALL]
    if len(names) == 1 and isinstance(hints[names[0]], type) and issubclass(hints[names[0]], View):
        yield names[0], hints[names[0]]


def _has(record: type[Any], path: str) -> bool:
    first, _, rest = path.partition(".")
    if first not in record.__struct_fields__:
        return False
    return not rest or _has(get_type_hints(record)[first], rest)


def _lists_in(record: type[Any], prefix: str, *, any_row: bool) -> Iterator[ListRows]:
    """Yield the fields of a record that hold rows. any_row: rows may be texts, too."""
    for name, hint in get_type_hints(record).items():
        kind, arguments = get_origin(hint), get_args(hint)
        if name in _ABOUT_ALL or kind not in (list, dict):
            continue
        row, place, by_key = arguments[-1], prefix + name, kind is dict
        if isinstance(row, type) and issubclass(row, View):
            yield ListRows(place, "", row, by_key)
        elif any_row and row is str:
            yield ListRows(place, "", None, by_key)


def _exact(columns: tuple[ExportColumn, ...]) -> Callable[[Row], Row]:
    """Return the function that rounds the decimal numbers of a row to what a column holds."""
    places = [place for place, column in enumerate(columns) if column.kind is ColumnType.DECIMAL]
    if not places:
        return lambda row: row

    def exact(row: Row) -> Row:
        values = list(row)
        for place in places:
            value = values[place]
            if isinstance(value, Decimal) and value.as_tuple().exponent < -DECIMALS:  # type: ignore[operator]
                values[place] = value.quantize(_PLACES)
        return values

    return exact
