"""The page of a list, made from its declaration (docs/spec/console.md#lists)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.api.statistics import reports
from trackyard.base.errors import BadInput, RequestCancelled, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.deferred.refused import refused_part, shorter_periods
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.methods import OneOf
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import total_of
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import AnyColumn, AnyList, ListColumn, ListPage, R, Selection
from trackyard.console.lists.drawing import CellDrawer
from trackyard.console.lists.figures import FiguresOfRows, find_figures
from trackyard.console.lists.files import ALL_FIELDS, files_of, list_file
from trackyard.console.lists.ordering import figure_order
from trackyard.console.lists.rows import NO_TITLES, Titles, cell_of, columns_of, context_of, source_zone
from trackyard.console.lists.state import ListRequest, read_state
from trackyard.console.staff.faults import fault_of
from trackyard.wire.endpoint import A

LISTS: Final[list[AnyList]] = []
"""Every list that is declared, for the tests over all of them."""


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the table. chosen: its value in the selection, "" = it cannot be chosen."""

    cells: Sequence[tuple[AnyColumn, ListCell]]
    chosen: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class ShownList:
    """The rows of a page.

    sums: the row above them. total: all rows of the list. asked: the parameters that gave them.
    sort: their order, where the address has another.
    fault: why there are no rows. warning: what the rows lack.
    """

    columns: Sequence[AnyColumn] = ()
    rows: Sequence[ShownRow] = ()
    sums: ShownRow | None = None
    total: int = 0
    asked: Sequence[Pair] = ()
    fault: str = ""
    warning: str = ""
    sort: Pair | None = None
    figures: FiguresOfRows | None = None
    values: dict[str, object] = field(default_factory=dict)

    def drawer(
        self, may_open: Callable[[str], bool], more: Callable[[ListCell], str], source: ZoneInfo, zone: ZoneInfo
    ) -> CellDrawer:
        """Return the drawer of the cells; its parameters are the values of `CellDrawer`."""
        return CellDrawer(may_open, more, source, zone)


def declare_list(pages: Pages, *lists: AnyList) -> None:
    """Declare the page of a list, or of several lists that share its path (`own`).

    People without the right to one of several see the first that they may open.
    """
    LISTS.extend(lists)
    first = lists[0]
    needs = first.all_needs if len(lists) == 1 else (OneOf(tuple(each.method for each in lists)), *first.needs)
    pages.get(first.path, audience=first.audience, needs=needs)(
        lambda request: answer_list(_of_address(lists, request), request)
    )


def _of_address(lists: Sequence[AnyList], request: PageRequest) -> AnyList:
    """Return the list that the address selects, among the lists that the person may open."""
    open_ = [each for each in lists if len(lists) == 1 or request.may_use(each.all_needs)]
    chosen = (each for each in open_ if each.own and all(pair in request.address.pairs for pair in each.own))
    return next(chosen, open_[0])


def declare_file(pages: Pages, page: AnyList) -> None:
    """Declare the address that the file of every field of a list had before lists were declared."""

    def file(request: PageRequest) -> PageAnswer:
        form = request.address.get("format", "csv")
        address = PageAddress(page.path, request.address.set("format", form).set(*ALL_FIELDS).pairs)
        return answer_list(page, replace(request, address=address))

    pages.get(f"{page.path}/file", audience=page.audience, needs=page.all_needs)(file)


def answer_list(page: AnyList, request: PageRequest, fault: str = "", status: int = 200, **more: object) -> PageAnswer:
    """Return the page of a list, or its file where the address selects one.

    fault: is shown above the list. more: values of its templates.
    """
    state = read_state(page, request)
    if (file := list_file(state)) is not None:
        return file
    if page.is_late:
        return Html(page.template, _values(state, ShownList(asked=state.asked[0]), fault), status, lambda: _late(state))
    shown = find_list(state)
    values = {**_values(state, shown, fault), **more}
    return Html(page.template, values, 400 if shown.fault and status == 200 else status)


def _late(state: ListRequest) -> Html:
    """Return the rows of a page that does not wait for them."""
    request = state.request
    try:
        shown = _found(state)
    except RequestCancelled:
        raise
    except RequestError as refusal:
        others = () if state.period is None else shorter_periods(request.address, state.period)
        return refused_part(refusal, request.address, others)
    return Html("list_rows.html", _values(state, shown))


def find_list(state: ListRequest) -> ShownList:
    """Return the rows of the page: none without its required filter, and where the method refuses a value."""
    if state.lacks is not None:
        return ShownList(asked=state.asked[0], values=dict(state.page.values(state.request, ())))
    try:
        return _found(state)
    except BadInput as refusal:
        return ShownList(asked=state.asked[0], fault=fault_of(refusal))


def _found(state: ListRequest) -> ShownList:
    page, request = state.page, state.request
    sort, warning = None, ""
    for asked in state.asked:
        try:
            rows, total = _read(state, asked)
        except RequestCancelled:
            raise
        except RequestError as refusal:
            if not page.has_figure(state.sort[0]):
                raise
            sort = page.usual
            warning = gettext("The list is in its usual order. %(text)s.", text=refusal.text.removesuffix("."))
            rows, total = _read(replace(state, sort=sort), asked)
        if total:
            break
    figures = None
    if page.figures is not None and state.period is not None:
        figures = find_figures(page.figures, request, state.period, [page.figures.key(row) for row in rows])
        warning = warning or (figures.fault if figures else "")
    sums = page.sums(request, rows, total)
    with_sums = rows if sums is None else [sums, *rows]
    shown = make_table(page.columns, request, with_sums, _selection(page, request), figures, state.known)
    return replace(
        shown,
        sums=None if sums is None else shown.rows[0],
        rows=shown.rows[len(with_sums) - len(rows) :],
        total=total,
        asked=[*asked, *state.place(request.address.page, page.per_page)],
        values=dict(page.values(request, rows)),
        warning=warning,
        sort=sort,
        figures=figures,
    )


def _read(state: ListRequest, asked: Sequence[Pair]) -> tuple[Sequence[object], int]:
    """Return the rows of the page, and the number of all."""
    page, request = state.page, state.request
    if (order := figure_order(state, asked)) is not None:
        ids, total = order.ids()
        return order.rows(islice(ids, state.first - 1, None), page.per_page), total
    sent = [*asked, *state.place(request.address.page, page.per_page)]
    answer = request.calls.ask_as(page.view, page.method, sent, state.path)
    rows = page.rows(request, answer)
    if page.is_paged:
        return rows, total_of(answer)
    return rows[state.first - 1 : state.first - 1 + page.per_page], len(rows)


def make_table(
    columns: Sequence[ListColumn[R]],
    request: PageRequest,
    rows: Sequence[R],
    selection: Selection[R] | None = None,
    figures: FiguresOfRows | None = None,
    known: Titles = NO_TITLES,
) -> ShownList:
    """Return rows as the cells of a table, which the macro `list_table` shows.

    selection: of rows that people may choose. known: see `context_of`.
    """
    seen = columns_of(columns, request, rows)
    on = context_of(seen, request, rows, figures, known)
    made = []
    for row in rows:
        key = selection.key(row) if selection else ""
        about = selection.about(row, on) if selection and key else ""
        made.append(ShownRow([(column, cell_of(column, row, on)) for column in seen], str(key), about))
    return ShownList(seen, made, total=len(rows))


def _selection(page: ListPage[R, A], request: PageRequest) -> Selection[R] | None:
    """Return the selection of a list for people who may change its rows."""
    found = page.selection
    return found if found is not None and request.may_use(found.needs) and found.shown(request) else None


def _values(state: ListRequest, shown: ShownList, fault: str = "") -> dict[str, object]:
    """Return the values of the templates of a list."""
    page, request = state.page, state.request
    selection = _selection(page, request)
    return {
        "list": replace(state, sort=shown.sort or state.sort),
        "page": page,
        "title": page.heading(request),
        "shown": shown,
        "rows": shown.rows,
        "total": shown.total,
        "line": _line(state, shown.total),
        "notes": list(page.notes(request)),
        "links": [each for each in page.links(request) if request.may_open(_path(each.to))],
        "main": _opened(request, page.main(request)),
        "empty": str(page.empty) if isinstance(page.empty, str) else page.empty(request),
        "empty_links": [each for each in page.empty_links(request) if request.may_open(_path(each.to))],
        "faults": [each for each in (fault, *state.faults, shown.fault, shown.warning) if each],
        "figures": shown.figures,
        "periods": CHOICES,
        "files": files_of(state, shown.total),
        "selection": selection if any(row.chosen for row in shown.rows) else None,
        "source_zone": source_zone(page, request),
        "api_requests": list(_api_requests(state, shown)),
        **({"currency": shown.figures.money.shown} if shown.figures else {}),
        **shown.values,
    }


def _api_requests(state: ListRequest, shown: ShownList) -> Iterator[str]:
    """Yield the requests of the API that give the rows, and their figures."""
    yield state.request.calls.address(state.page.method, shown.asked, state.path)
    if shown.figures is not None and shown.figures.sent:
        yield state.request.calls.address(reports.custom, shown.figures.sent)


def _line(state: ListRequest, total: int) -> str:
    """Return the sentence that counts the rows of the list."""
    page = state.page
    if page.is_late:
        return "" if state.period is None else state.period.text
    counted = page.counted(total)
    if state.period is None or not page.period or not page.period.first:
        return counted
    any_day = bool(state.word and page.search and page.search.any_day)
    return counted if any_day else f"{counted} \N{MIDDLE DOT} {state.period.text}"


def _opened(request: PageRequest, link: PageLink | None) -> PageLink | None:
    return link if link is not None and request.may_open(_path(link.to)) else None


def _path(to: str | PageAddress) -> str:
    return str(to).partition("?")[0]
