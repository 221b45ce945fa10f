"""The state of a list page in its address (docs/spec/console.md#urls)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from trackyard.api.statistics import reports
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.periods import DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.declared import AnyList, Days
from trackyard.console.lists.filters import LONGEST, BoundFilter, FilterWords, bind_filters, find_names


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The state of a list in its address.

    period: None for a list without one. faults: sentences about wrong values.
    asked: the parameters of the method, for each meaning of the search.
    """

    page: AnyList
    request: PageRequest
    filters: tuple[BoundFilter, ...]
    word: str
    tab: str
    sort: Pair
    period: DayPeriod | None
    faults: tuple[str, ...]
    asked: tuple[tuple[Pair, ...], ...]
    path: Mapping[str, str]

    @property
    def address(self) -> PageAddress:
        """Return the address of the page."""
        return self.request.address

    @property
    def is_filtered(self) -> bool:
        """Return whether fewer rows than all are asked for."""
        return bool(self.word or any(each.values for each in self.filters if each.name != self.page.required))

    @property
    def lacks(self) -> BoundFilter | None:
        """Return the required filter where the address has none."""
        return next((each for each in self.filters if each.name == self.page.required and not each.values), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the parameters of the search and the filters, which people may clear."""
        search = (self.page.search.name,) if self.page.search else ()
        return (*search, *(each.name for each in self.filters if each.name != self.page.required))

    @property
    def unfiltered(self) -> PageAddress:
        """Return the address without the search and the filters; the rest of the state stays."""
        return self.address.without(*self.names)

    @property
    def first(self) -> int:
        """Return the place of the first row of the page, counted from 1."""
        return (self.address.page - 1) * self.page.per_page + 1

    @property
    def chips(self) -> list[FilterWords]:
        """Return the filters that are set, in words."""
        return [each.chip(self.address) for each in self.filters if each.values]

    @property
    def kept(self) -> list[Pair]:
        """Return the hidden fields of the form of filters: the state besides the filters."""
        return list(self.address.hidden(*(each.name for each in self.filters)))

    @property
    def known(self) -> dict[str, dict[str, str]]:
        """Return the titles that the selects of objects have, by the label of the objects and the id."""
        kinds = ((each.declared.objects, each.choices) for each in self.filters)
        return {kind.label: dict(choices) for kind, choices in kinds if kind is not None and not kind.is_numbered}

    def place(self, page: int, limit: int) -> list[Pair]:
        """Return the parameters of a page of the method; none where it does not page."""
        return [("limit", str(limit)), ("page", str(page))] if self.page.is_paged else []


def read_state(page: AnyList, request: PageRequest) -> ListRequest:
    """Return the state of a list. Wrong values are taken for the usual ones, with a sentence about each."""
    address = request.address
    filters = bind_filters(request, page.method, page.filters)
    found = find_names(request.calls, filters)
    filters = tuple(replace(each, named=found.get(each.name, {})) for each in filters)
    word = address.get(page.search.name).strip()[:LONGEST] if page.search else ""
    period, fault = (None, "") if page.period is None else read_days(request, page.period)
    tab = page.tabs.of(request) if page.tabs else ""
    more, path = page.variables(request)
    shared = [*more, *page.fixed, *((page.tabs.parameter, tab) for _ in [0] if page.tabs and page.tabs.parameter)]
    shared += [pair for each in filters for pair in each.pairs]
    sort = _sort(page, request)
    days = page.period.pairs(period) if page.period is not None and period is not None else []
    meanings = [days] if page.search is None or not word else page.search.parameters_of(word)
    has_days = page.search is None or not page.search.any_day
    asked = [(*(days if word and has_days else ()), *each, *shared, *page.order(*sort)) for each in meanings]
    faults = [each for each in (fault, *(text for each in filters for text in each.faults)) if each]
    return ListRequest(page, request, filters, word, tab, sort, period, tuple(faults), tuple(asked), path)


def read_days(request: PageRequest, days: Days) -> tuple[DayPeriod, str]:
    """Return the period of an address, and a sentence where it has no valid one."""
    address = request.address
    if not any(address.get(name) for name in ("period", "from", "to")):
        address = address.set("period", days.usual)
    return read_period(address, request.deps.clock.now_ms(), request.day_zone, most_days=days.most)


def _sort(page: AnyList, request: PageRequest) -> Pair:
    column, _, direction = request.address.get("sort").partition("-")
    if column not in page.sorts or (page.has_figure(column) and not request.calls.may(reports.custom)):
        return page.usual
    usual = "desc" if any(each.falls for each in page.columns if each.sort == column) else "asc"
    return column, direction if direction in ("asc", "desc") else usual
