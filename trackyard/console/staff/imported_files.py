"""Files that people import on pages: how they were read, and the form that corrects it.

Between the steps the page keeps the file as it was sent (docs/spec/platform.md#tables).
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, get_args

from trackyard.actions.platform.spreadsheets import read_grid
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.request import PageRequest
from trackyard.domain.platform.tables.forms import (
    HEADS,
    FileTable,
    Head,
    ReadRow,
    TableForm,
    find_columns,
    notes_on,
    read_head,
    read_rows,
)
from trackyard.domain.platform.tables.grids import TableFault
from trackyard.domain.platform.tables.numbers import currency_in

_MOST_SHOWN: Final = 5
"""Rows that a preview shows."""


@dataclass(frozen=True, slots=True)
class SentContent:
    """What a person sent: the text that was pasted, or a file as the page keeps it."""

    text: str = ""
    kept: str = ""


NOTHING: Final = SentContent()


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was read.

    mapping: the field of each column, "" = not used. notes: sentences about the reading.
    """

    form: TableForm
    sent: SentContent
    table: FileTable
    mapping: Sequence[str]
    rows: Sequence[ReadRow]
    notes: Sequence[str]

    @property
    def missing(self) -> str:
        """Return why the import cannot go on: fields without a column; "" = all have one."""
        labels = self.form.labels
        names = ", ".join(str(labels[name]) for name in self.form.needed if name not in self.mapping)
        return names and gettext("No column is chosen for: %(names)s. Choose it below.", names=names)

    @property
    def used(self) -> list[tuple[str, str]]:
        """Return the names and labels of the fields that have a column."""
        return [(name, label) for name, label in self.form.labels.items() if name in self.mapping]

    @property
    def first(self) -> Sequence[ReadRow]:
        """Return the rows of the preview."""
        return self.rows[:_MOST_SHOWN]

    @property
    def currencies(self) -> dict[int, set[str]]:
        """Return the codes of the currencies that the amounts of each row name, by its line."""
        places = {name: place for place, name in enumerate(self.mapping)}
        found: dict[int, set[str]] = {}
        for row, (number, cells) in zip(self.rows, self.table.rows, strict=True):
            amounts = (cells[places[name]] for name, value in row.values.items() if isinstance(value, Decimal))
            found[number] = {code for each in amounts if (code := currency_in(each))}
        return found

    def faults_of(self, row: ReadRow) -> list[str]:
        """Return the errors of a row's cells, with the labels of their columns."""
        labels = self.form.labels
        return [f"{labels[name]}: {sentence}" for name, sentence in row.faults.items()]


def _sent_content(request: PageRequest) -> SentContent:
    """Return the sent content: a new file, pasted text, or the file of the previous step."""
    file = next((each for name, each in request.files if name == "file" and each.name), None)
    if file is not None:
        return SentContent(kept=urlsafe_b64encode(file.read()).decode())
    return SentContent(request.field("text"), request.field("kept"))


def read_import(request: PageRequest, form: TableForm) -> ImportedFile:
    """Return the sent content, read with the person's choices. Raises TableFault."""
    sent = _sent_content(request)
    table = read_head(read_grid(_bytes_of(sent), form.limits), form, head=_head(request))
    chosen = _chosen(request, form, table)
    places = find_columns(table, form) if chosen is None else chosen
    names = {place: name for name, place in places.items()}
    mapping = [names.get(place, "") for place in range(len(table.columns))]
    return ImportedFile(form, sent, table, mapping, read_rows(table, form, places), notes_on(table, form, places))


def _bytes_of(sent: SentContent) -> bytes:
    if not sent.kept:
        return sent.text.encode()
    try:
        return urlsafe_b64decode(sent.kept)
    except (Error, ValueError):
        raise TableFault(gettext("The file came back damaged. Choose it again.")) from None


def _head(request: PageRequest) -> Head:
    sent = request.field("head")
    return next((each for each in get_args(Head) if each == sent and each in HEADS), "")


def _chosen(request: PageRequest, form: TableForm, table: FileTable) -> dict[str, int] | None:
    """Return the places that the person chose; None where the columns of this file were not shown yet."""
    chosen = [value for name, value in request.form if name == "column"]
    if len(chosen) != len(table.columns) or request.files:
        return None
    return {name: chosen.index(name) for name in form.labels if name in chosen}
