"""The declaration of a list page (docs/spec/console.md#lists)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Generic, Literal, TypeVar, cast

from trackyard.api.statistics import reports
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.methods import Method, Needs
from trackyard.console.frame.periods import MOST_DAYS, DayPeriod
from trackyard.console.frame.request import Audience, PageRequest
from trackyard.console.lists.cells import ListCell, PageLink, cell
from trackyard.console.lists.figures import FiguresBy, FiguresOfRows
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AnyObjects
from trackyard.console.offers_shown.choices import Choices
from trackyard.domain.statistics.metrics import METRIC_BY_NAME
from trackyard.wire.endpoint import A
from trackyard.wire.request.params import fields_of
from trackyard.wire.response.envelope import View

R = TypeVar("R")
"""A row of a list: a record of an answer, or what a page makes of it."""
P = TypeVar("P")
"""A part of a row."""
R_contra = TypeVar("R_contra", contravariant=True)
"""What a column reads of a row: lists of any rows with amounts share a column of amounts."""
Role = Literal["title", "fact", "figure", "act"]
"""What a cell is on the card of a narrow screen: its title, a fact, a figure, or what can be done."""
PER_PAGE: Final = 20


@dataclass(frozen=True, slots=True)
class On:
    """What cells may need besides their row.

    names: titles of objects that the columns show, by the label of their kind and their id.
    """

    request: PageRequest
    names: Mapping[str, Mapping[str, str]]
    figures: FiguresOfRows | None = None

    @property
    def in_currency(self) -> str:
        """Return the query for addresses of pages in the currency of the figures; "" without one."""
        return self.figures.money.query if self.figures else ""

    def object(self, objects: AnyObjects, key: object, *below: str | PageLink, name: str = "") -> ListCell:
        """Return the name of an object as a link to its page; a dash for 0 and "".

        name: is known from the answer.
        """
        if key in (0, "", None):
            return cell("", *below)
        found = name or self.names.get(objects.label, {}).get(str(key)) or f"{objects.label} #{key}"
        return cell(found, *below, link=f"{objects.place}{key}" if objects.place else "")

    def opens(self, path: str) -> bool:
        """Return whether the person may open a page."""
        return self.request.may_open(path)


@dataclass(frozen=True, kw_only=True)
class ListColumn(Generic[R_contra]):
    """A column of a list.

    cell: returns the cell of a row. role: on the card of a narrow screen. longest: characters of its text.
    below, why: the titles of its smaller lines and of its reasons in files; without one, files lack them.
    sort: its name in the method's order, "" = people cannot sort by it. falls: whether its name alone is falling.
    is_hidden_title: for columns of buttons.
    shown: returns whether the page has the column, from its rows.
    objects, key: an object that the cell titles, and its id in a row, for titles that the answer lacks.
    """

    title: str
    cell: Callable[[R_contra, On], ListCell | str]
    role: Role = "fact"
    below: str = ""
    why: str = ""
    longest: int = 120
    sort: str = ""
    falls: bool = False
    is_hidden_title: bool = False
    shown: Callable[[PageRequest, Sequence[R_contra]], bool] = lambda _request, _rows: True
    objects: AnyObjects | None = None
    key: Callable[[R_contra], object] | None = None


def of_part(column: ListColumn[P], part: Callable[[R], P]) -> ListColumn[R]:
    """Return a column of rows that show a part of each. part: returns it."""
    key = column.key
    return replace(
        cast("AnyColumn", column),
        cell=lambda row, on: column.cell(part(row), on),
        key=None if key is None else lambda row: key(part(row)),
    )


def figure_columns(declared: FiguresBy[R, A]) -> tuple[ListColumn[R], ...]:
    """Return the columns of figures, for people with the right to statistics."""

    def figure(name: str, row: R, on: On) -> ListCell:
        return on.figures.cell(name, declared.key(row)) if on.figures else ListCell()

    return tuple(
        ListColumn(
            title=METRIC_BY_NAME[name].label,
            role="figure",
            cell=partial(figure, name),
            sort=name if declared.by else "",
            shown=lambda request, _: request.calls.may(reports.custom),
        )
        for name in declared.names
    )


@dataclass(frozen=True, kw_only=True)
class Search:
    """The search field of a list.

    parameter: the method's. name: in the address.
    meanings: returns the parameters of each meaning of a text; the first meaning with rows counts.
    any_day: is sent instead of the period; () = the period stays.
    """

    placeholder: str
    parameter: str = "q"
    name: str = "q"
    meanings: Callable[[str], Sequence[Sequence[Pair]]] | None = None
    any_day: tuple[Pair, ...] = ()

    def parameters_of(self, text: str) -> list[list[Pair]]:
        """Return the parameters of each meaning of a text."""
        found = self.meanings(text) if self.meanings else [[(self.parameter, text)]]
        return [[*self.any_day, *each] for each in found]


@dataclass(frozen=True, kw_only=True)
class Days:
    """The period of a list. usual: of an address without one. most: days that it may have; None = any.

    first, last: the method's parameters; "" = only the figures of the rows have the period.
    written: the form in which the method reads days, "" = ISO 8601.
    """

    usual: str = "30d"
    most: int | None = MOST_DAYS
    first: str = "date_from"
    last: str = "date_to"
    written: str = ""

    def pairs(self, period: DayPeriod) -> list[Pair]:
        """Return the parameters of a period."""
        days = ((self.first, period.first), (self.last, period.last)) if self.first else ()
        return [(name, format(day, self.written)) for name, day in days]


@dataclass(frozen=True, kw_only=True)
class Tabs:
    """Tabs above a list, of which one is always open: the first without a value in the address.

    parameter: the method's; "" = each tab is a list of its own. without: filters that a tab ends.
    given: returns the tab of an address, where other parameters decide it, too.
    needs: the permission that a tab requires. links: other pages among the tabs.
    """

    name: str
    label: str
    choices: Choices
    parameter: str = ""
    without: tuple[str, ...] = ()
    given: Callable[[PageAddress], str] | None = None
    needs: Mapping[str, Needs] = field(default_factory=dict)
    links: tuple[PageLink, ...] = ()

    def seen(self, request: PageRequest) -> Choices:
        """Return the tabs that the person may open."""
        return tuple(each for each in self.choices if request.may_use(self.needs.get(each[0], ())))

    def of(self, request: PageRequest) -> str:
        """Return the tab that is open."""
        values = [value for value, _ in self.seen(request)]
        given = self.given(request.address) if self.given else request.address.get(self.name)
        return given if given in values else values[0]


@dataclass(frozen=True, kw_only=True)
class Button:
    """A button for the chosen rows. value: of `do`."""

    label: str
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class Selection(Generic[R]):
    """Rows that people choose and change together.

    path: the form is sent there with `field` for each chosen row. needs: people without it choose nothing.
    key: returns the id of a row; "" = the row cannot be chosen. about: returns the name of its checkbox.
    choices: a select named `status`. buttons: of the form. line: words before them; after: words after them.
    has_text: whether the form has a text field, which is named `reason`, with `text` as its name.
    template: fields and buttons of a form that needs others.
    is_apart: whether the form ends before the rows, which have forms of their own.
    """

    path: str
    field: str
    needs: Needs
    key: Callable[[R], object]
    about: Callable[[R, On], str]
    method: Literal["get", "post"] = "post"
    line: str = ""
    choices: Choices = ()
    buttons: tuple[Button, ...] = ()
    after: str = ""
    text: str = ""
    template: str = ""
    is_apart: bool = False
    shown: Callable[[PageRequest], bool] = lambda _request: True


@dataclass(frozen=True, kw_only=True)
class ListPage(Generic[R, A]):
    """A page with a list.

    path: its address. method: lists the records. view: of its answer. rows: returns the rows of an answer.
    needs: other methods that the page needs. title: of the page; a function where it depends on the request.
    counted: returns the sentence that counts all rows. about: a sentence after it.
    notes: returns sentences and links after these. links: buttons at the top; the last one may be the main one.
    period, search, tabs, filters, figures, columns, selection: see their types.
    required: a filter without which the page does not call the method, and the rows are the field of that filter.
    fixed: parameters that are always sent. variables: returns parameters and variables of the path from the request.
    usual: the order of an address without one.
    empty: the sentence of a list without rows and filters, and what to do next. empty_links: where.
    card: the heading of the rows, on pages with other cards.
    above, below: templates around the rows, with the values that `values` returns. template: of the whole page, which
    extends list.html.
    sums: returns the row of sums above all rows; None where the page does not have all of them.
    record: returns the record of a row for the file of all fields, where a row is not the record itself.
    lines: yields the lines of the file of its columns, where a row has several: titles and values.
    own: parameters of its address, where several lists share a path.
    is_late: whether the rows may take seconds, so that the page does not wait for them.
    """

    path: str
    method: Method
    view: type[A]
    rows: Callable[[PageRequest, A], Sequence[R]]
    columns: tuple[ListColumn[R], ...]
    title: str | Callable[[PageRequest], str]
    counted: Callable[[int], str]
    empty: str | Callable[[PageRequest], str]
    audience: Audience = "staff"
    needs: Needs = ()
    about: str = ""
    notes: Callable[[PageRequest], Iterable[str | PageLink]] = lambda _request: ()
    links: Callable[[PageRequest], Iterable[PageLink]] = lambda _request: ()
    main: Callable[[PageRequest], PageLink | None] = lambda _request: None
    empty_links: Callable[[PageRequest], Iterable[PageLink]] = lambda _request: ()
    period: Days | None = None
    search: Search | None = None
    tabs: Tabs | None = None
    filters: tuple[FilterBy, ...] = ()
    required: str = ""
    figures: FiguresBy[R, A] | None = None
    selection: Selection[R] | None = None
    fixed: tuple[Pair, ...] = ()
    variables: Callable[[PageRequest], tuple[Sequence[Pair], Mapping[str, str]]] = lambda _request: ((), {})
    usual: Pair = ("", "asc")
    per_page: int = PER_PAGE
    card: str = ""
    above: str = ""
    below: str = ""
    template: str = "list.html"
    values: Callable[[PageRequest, Sequence[R]], Mapping[str, object]] = lambda _request, _rows: {}
    sums: Callable[[PageRequest, Sequence[R], int], R | None] = lambda _request, _rows, _total: None
    record: Callable[[R], View | Mapping[str, object]] | None = None
    lines: Callable[[PageRequest, Sequence[R]], Iterable[Mapping[str, object]]] | None = None
    own: tuple[Pair, ...] = ()
    is_late: bool = False

    @property
    def all_needs(self) -> Needs:
        """Return the methods that the page cannot do without."""
        return (self.method, *self.needs)

    @property
    def is_paged(self) -> bool:
        """Return whether the method pages its records; otherwise the page does."""
        return any(each.name == "page" for each in fields_of(self.method.params))

    @property
    def sorts(self) -> tuple[str, ...]:
        """Return the orders that columns have."""
        return tuple(each.sort for each in self.columns if each.sort)

    def has_figure(self, name: str) -> bool:
        """Return whether a name of an order belongs to a figure."""
        return self.figures is not None and bool(self.figures.by) and name in self.figures.names

    @property
    def file_name(self) -> str:
        """Return the name of its file, without the ending."""
        return self.path.strip("/").replace("/", "-").replace("{id}", "one")

    def heading(self, request: PageRequest) -> str:
        """Return the title of the page."""
        return str(self.title) if isinstance(self.title, str) else self.title(request)

    def order(self, column: str, direction: str) -> list[Pair]:
        """Return the parameters of an order, as the method reads them."""
        if self.has_figure(column):
            column, direction = self.usual
        if not column:
            return []
        if any(each.name == "sort" for each in fields_of(self.method.params)):
            return [(f"sort[{column}]", direction)]
        return [("order", column), ("orderType", direction)]


AnyColumn = ListColumn[Any]
"""A column of any rows."""
AnyList = ListPage[Any, Any]
"""A list of any records."""
