"""The files of a list, with its columns or all fields (docs/spec/console.md#lists-as-files)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.base.errors import AccessDenied, BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download
from trackyard.console.list_files import FORMAT, refuse_too_many, rows_file, total_of
from trackyard.console.lists.cells import FileAmount, ListCell, PageLink
from trackyard.console.lists.declared import AnyColumn
from trackyard.console.lists.figures import FiguresOfRows, find_figures
from trackyard.console.lists.ordering import AT_ONCE, figure_order
from trackyard.console.lists.rows import cell_of, columns_of, context_of, source_zone
from trackyard.console.lists.state import ListRequest
from trackyard.wire.http.list_files import MOST_ROWS
from trackyard.wire.response.envelope import View
from trackyard.wire.response.errors import REQUIRED

ALL_FIELDS: Final = ("fields", "all")
"""What the address of a list has to be a file of every field of the API."""
FORMS: Final = {"csv": "CSV", "parquet": "Parquet"}
_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class ListFile:
    """A file that people can have. label: what is in it."""

    label: str
    to: PageAddress


def files_of(state: ListRequest, total: int) -> list[ListFile]:
    """Return the files of a list; none for an empty one."""
    page, address = state.page, state.address.without("format", "fields")
    calls = state.request.calls
    if not (total or page.is_late) or not calls.may_export(page.method):
        return []
    found = [ListFile(gettext("This table as CSV"), address.set("format", "csv"))]
    if page.method.file_export is None:
        return [*found, ListFile(gettext("All fields as CSV"), address.set("format", "csv").set(*ALL_FIELDS))]
    return found + [
        ListFile(gettext("All fields as %(name)s", name=name), address.set("format", form).set(*ALL_FIELDS))
        for form, name in FORMS.items()
    ]


def list_file(state: ListRequest) -> Download | None:
    """Return the file that the address selects, None where it selects the page.

    Raises RequestError; AccessDenied for people without files; BadInput for wrong values in the address, and where
    there are more than MOST_ROWS.
    """
    request, page = state.request, state.page
    form = request.address.get(FORMAT[0])
    if not form:
        return None
    if form not in FORMS:
        raise BadInput({"format": [gettext("This value must be one of: %(values)s.", values=", ".join(FORMS))]})
    if not request.calls.may_export(page.method):
        raise AccessDenied
    if state.faults:
        raise BadInput({"filter": list(state.faults)})
    if state.lacks is not None:
        raise BadInput({state.lacks.name: [gettext(REQUIRED)]})
    is_all = request.address.get(ALL_FIELDS[0]) == ALL_FIELDS[1] or form != "csv"
    asked = _meant(state)
    export = page.method.file_export
    if is_all and export is not None and (form != "csv" or export.rows is not None):
        return Download(request.calls.file(page.method, [*asked, ("format", form)], state.path))
    if is_all:
        return rows_file(page.file_name, _records(state, asked))
    return rows_file(page.file_name, _lines(state, asked))


def _meant(state: ListRequest) -> Sequence[Pair]:
    """Return the parameters of the first meaning of the search that has rows."""
    page, calls = state.page, state.request.calls
    for asked in state.asked[:-1]:
        if total_of(calls.ask(page.method, [*asked, *state.place(1, 1)], state.path)):
            return asked
    return state.asked[-1]


def _every_page(state: ListRequest, asked: Sequence[Pair]) -> Iterator[Sequence[Any]]:
    """Yield the rows of each page of the method."""
    page, request, seen = state.page, state.request, 0
    if (order := figure_order(state, asked)) is not None:
        ids, total = order.ids()
        refuse_too_many(total)
        while rows := order.rows(ids, AT_ONCE):
            yield rows
        return
    for number in range(1, MOST_ROWS):
        answer = request.calls.ask_as(page.view, page.method, [*asked, *state.place(number, _AT_ONCE)], state.path)
        rows = page.rows(request, answer)
        total = total_of(answer) if page.is_paged else len(rows)
        refuse_too_many(total)
        yield rows
        seen += len(rows)
        if not rows or seen >= total:
            return


def _records(state: ListRequest, asked: Sequence[Pair]) -> Iterator[View | Mapping[str, object]]:
    """Yield the records of the API."""
    record = state.page.record
    yield from (row if record is None else record(row) for rows in _every_page(state, asked) for row in rows)


def _lines(state: ListRequest, asked: Sequence[Pair]) -> Iterator[Mapping[str, object]]:
    """Yield the cells of each row by the title of their column. Columns of buttons are left out."""
    for rows in _every_page(state, asked):
        if state.page.lines is not None:
            yield from state.page.lines(state.request, rows)
            continue
        columns = [each for each in columns_of(state.page.columns, state.request, rows) if each.role != "act"]
        on = context_of(columns, state.request, rows, _figures(state, rows), state.known)
        for row in rows:
            yield dict(pair for each in columns for pair in _values(state, each, cell_of(each, row, on)))


def _figures(state: ListRequest, rows: Sequence[object]) -> FiguresOfRows | None:
    """Return the figures of rows. Raises RequestError where they cannot be read."""
    declared = state.page.figures
    if declared is None or state.period is None:
        return None
    ids = [declared.key(row) for row in rows]
    return find_figures(declared, state.request, state.period, ids, is_compared=False)


def _values(state: ListRequest, column: AnyColumn, each: ListCell) -> Iterator[tuple[str, object]]:
    """Yield the columns of the file that a cell fills."""
    title = str(column.title)
    match each.value:
        case FileAmount(number, currency):
            yield title, number
            yield gettext("%(column)s, currency", column=title), currency
        case None:
            yield (
                title,
                state.request.time_of(each.at, source_zone(state.page, state.request)) if each.at else each.text,
            )
        case value:
            yield title, value
    if column.below:
        yield (
            str(column.below),
            ", ".join(str(line.text if isinstance(line, PageLink) else line) for line in each.below),
        )
    if column.why:
        yield str(column.why), each.why
