"""Imports declare their columns; the rows of a file become values of these columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Literal

from trackyard.base.ids import is_number
from trackyard.base.texts.marks import gettext, source_of
from trackyard.domain.platform.tables.days import is_day
from trackyard.domain.platform.tables.grids import Cell, Grid, Limits, TableFault
from trackyard.domain.platform.tables.kinds import Kind, Value, as_text, is_status, sent_text
from trackyard.domain.platform.tables.numbers import plain_text

_DATA: Final = re.compile(
    r"""https?://\S*                                  # an address
    | [^\s@]+@[^\s@]+\.[^\s@]+                        # an e-mail address
    | [0-9a-f]{24}                                    # an id
    | [-+(]?\s*(?:[A-Z]{3}\s*|[$€£¥₽₴₸₹]\s*)?-?[0-9][0-9.,\s']*\)?\s*%?(?:[A-Z]{3}|[$€£¥₽₴₸₹]|руб\.?|р\.)?""",
    re.I | re.X,
)
"""What no column is named."""
_BETWEEN_WORDS: Final = re.compile(r"[\s_\-./]+")
_MOST_NAME: Final = 500
HEADS: Final = ("names", "record")
"""What the first row can be: the names of the columns, or a record."""
Head = Literal["", "names", "record"]
"""What a person says of the first row; "" = it is found."""


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of an import.

    name: the field's name. label: the same in words. others: names that programs use for it.
    """

    name: str
    label: str
    kind: Kind
    others: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the column, the best first."""
        return self.name, folded(source_of(self.label)), folded(str(self.label)), *self.others


@dataclass(frozen=True, slots=True)
class TableForm:
    """What an import reads. needed: fields that a column must fill. unused: why known columns fill none."""

    columns: tuple[FileColumn, ...]
    needed: tuple[str, ...]
    limits: Limits
    unused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def labels(self) -> dict[str, str]:
        """Return the label of each field."""
        return {each.name: each.label for each in self.columns}

    @property
    def example(self) -> str:
        """Return a first row with the columns that are needed."""
        return ",".join(self.needed)


@dataclass(frozen=True, slots=True)
class FileTable:
    """A file with its column names, which are numbers where the first row is a record."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[Cell, ...]], ...]
    has_head: bool
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row: its line, the values of its cells that are not empty, and why others have none, by field."""

    number: int
    values: Mapping[str, Value]
    faults: Mapping[str, str]

    @property
    def sent(self) -> dict[str, str]:
        """Return the values as parameters of the API."""
        return {name: sent_text(value) for name, value in self.values.items()}


def folded(name: str) -> str:
    """Return a name of a column in small letters, with `_` between words."""
    plain = name.strip().strip("\ufeff").lower().replace("ё", "е").removeprefix("g:")
    return _BETWEEN_WORDS.sub("_", plain).strip("_")


def read_head(grid: Grid, form: TableForm, given: Sequence[str] = (), head: Head = "") -> FileTable:
    """Return the table of a grid: the first row contains the column names, or is a record.

    given: column names in the request. Raises TableFault for a first row that may be either, and for
    a file without a record.
    """
    first: Sequence[Cell] = grid.rows[0][1] if grid.rows else ()
    has_head = _has_head(first, form, given) if not head else head == "names"
    rows = grid.rows[1:] if has_head else grid.rows
    if not rows:
        raise TableFault(
            gettext("The first row names the columns, and each further row is one record: this file has none.")
        )
    width = max(len(row) for _, row in grid.rows)
    names = (
        tuple(plain_text(each)[:_MOST_NAME] or str(number) for number, each in enumerate(first, 1)) if has_head else ()
    )
    return FileTable(
        names + tuple(str(number) for number in range(len(names) + 1, width + 1)), rows, has_head, grid.encoding
    )


def _has_head(first: Sequence[Cell], form: TableForm, given: Sequence[str]) -> bool:
    names = {name for column in form.columns for name in column.names} | set(form.unused)
    wanted = {each for each in given if not is_number(each)}
    known = [isinstance(each, str) and (each.strip() in wanted or folded(each) in names) for each in first]
    records = sum(_is_data(each) for each, is_name in zip(first, known, strict=True) if not is_name)
    if records and records >= sum(known) > 0:
        raise TableFault(
            gettext(
                "The first row has names of columns and values, so it may be either. Put a row above it that names "
                "all columns, such as %(example)s.",
                example=form.example,
            )
        )
    return not records or any(known)


def _is_data(cell: Cell) -> bool:
    if isinstance(cell, Decimal):
        return True
    text = cell.strip()
    return bool(text) and (_DATA.fullmatch(text) is not None or is_day(text) or is_status(text))


def find_columns(table: FileTable, form: TableForm, chosen: Mapping[str, str] | None = None) -> dict[str, int]:
    """Return the position of each field's column: as chosen, else by its names, the best first.

    Raises TableFault for a chosen column that is missing, and for one that the file has twice.
    """
    places: dict[str, int] = {}
    for name, column in (chosen or {}).items():
        if column not in table.columns:
            known = ", ".join(table.columns)[:400]
            raise TableFault(
                gettext(
                    "The file has no column %(column)s for %(name)s. It has: %(known)s.",
                    column=repr(column),
                    name=name,
                    known=known,
                )
            )
        places[name] = table.columns.index(column)
    if table.has_head:
        _add_by_names(table, form, places)
    for place in places.values():
        _check_is_single(table, place)
    return {each.name: places[each.name] for each in form.columns if each.name in places}


def _add_by_names(table: FileTable, form: TableForm, places: dict[str, int]) -> None:
    known: dict[str, int] = {}
    for place, name in enumerate(table.columns):
        known.setdefault(folded(name), place)
    for best in (True, False):  # no column gets the place of another one that has its own name
        for column in form.columns:
            names = column.names[:1] if best else column.names
            free = (known[name] for name in names if name in known and known[name] not in places.values())
            if column.name not in places and (found := next(free, None)) is not None:
                places[column.name] = found


def _check_is_single(table: FileTable, place: int) -> None:
    name = table.columns[place]
    if table.has_head and sum(folded(each) == folded(name) for each in table.columns) > 1:
        raise TableFault(
            gettext("The file has the column %(column)s more than once. Rename all but one.", column=repr(name))
        )


def missing_fault(table: FileTable, form: TableForm, names: Sequence[str]) -> str:
    """Return the sentence about fields without a column."""
    labels = ", ".join(str(form.labels[name]) for name in names)
    if table.has_head:
        return gettext("No column is known for: %(names)s. Name it in the first row.", names=labels)
    return gettext(
        "The first row is a record, so that the columns have no names, and none is known for: %(names)s. Put a first "
        "row above it, such as %(example)s.",
        names=labels,
        example=form.example,
    )


def read_rows(table: FileTable, form: TableForm, places: Mapping[str, int]) -> list[ReadRow]:
    """Return the rows with their values. places: of the column of each field."""
    readers = {}
    for column in form.columns:
        if column.name in places:
            place = places[column.name]
            cells = [row[place] for _, row in table.rows if place < len(row)]
            readers[column.name] = (place, column.kind(cells))
    found = []
    for number, row in table.rows:
        values: dict[str, Value] = {}
        faults: dict[str, str] = {}
        for name, (place, read) in readers.items():
            cell = row[place] if place < len(row) else ""
            if isinstance(cell, str) and not as_text(cell):
                continue
            try:
                values[name] = read(cell)
            except ValueError as fault:
                faults[name] = f"{fault}."
        found.append(ReadRow(number, values, faults))
    return found


def notes_on(table: FileTable, form: TableForm, places: Mapping[str, int]) -> list[str]:
    """Return sentences about how a file was read: its encoding, its first row, columns without use."""
    return list(_notes(table, form, places))


def _notes(table: FileTable, form: TableForm, places: Mapping[str, int]) -> Iterator[str]:
    if table.encoding:
        yield gettext("The file is not in UTF-8: it was read as %(encoding)s.", encoding=table.encoding)
    if not table.has_head:
        yield gettext("The first row was read as a record, not as names of columns.")
    others = [name for place, name in enumerate(table.columns) if place not in places.values()]
    for name in others:
        if reason := form.unused.get(folded(name)):
            yield gettext("The column %(column)s is not used: %(reason)s", column=repr(name), reason=reason)
    if unknown := [repr(each) for each in others if folded(each) not in form.unused]:
        yield gettext("Columns that are not used: %(columns)s.", columns=", ".join(unknown)[:400])
