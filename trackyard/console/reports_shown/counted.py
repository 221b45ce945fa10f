"""Where figures lead: to the lists of the conversions and clicks that they count."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.figures import Row
from trackyard.console.frame.request import PageRequest
from trackyard.console.reports_shown.query import ReportQuery
from trackyard.console.reports_shown.slices import Cell, cell_of
from trackyard.domain.statistics.metrics import BY_STATUS, COUNTED

_CONVERSIONS: Final = "/console/conversions"
_CLICKS: Final = "/console/clicks"
LIST_FILTERS: Final = frozenset(("offer", "affiliate", "advertiser", "country", "sub1"))
"""Filters that both lists have, by their names in addresses."""


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The lists of some days that a person may open. Links are "" where there is no list.

    zone: the parameter of the days' time zone for links, where the address has one.
    """

    first: date
    last: date
    has_conversions: bool
    has_clicks: bool
    zone: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, request: PageRequest, first: date, last: date) -> "CountedRows":
        """Return the lists of the days of a period."""
        return cls(first, last, request.may_open(_CONVERSIONS), request.may_open(_CLICKS), request.zone_pairs)

    def on(self, day: date) -> "CountedRows":
        """Return the lists of one day."""
        return replace(self, first=day, last=day)

    def to(self, figure: str, chosen: Iterable[Pair]) -> str:
        """Return the list that a figure counts. chosen: filters and their values; an empty value has no list."""
        given = tuple(chosen)
        found = tuple(pair for pair in given if pair[0] != "status")
        statuses = {value for name, value in given if name == "status"} or {*COUNTED, "declined"}
        status = figure.partition("_")[0] if figure in BY_STATUS else figure
        if not all(name in LIST_FILTERS or name == "reason" for name, _ in found) or not all(v for _, v in found):
            return ""
        pairs = (*found, ("from", self.first.isoformat()), ("to", self.last.isoformat()), *self.zone)
        match figure:
            case _ if status in statuses and self.has_conversions:
                return str(PageAddress(_CONVERSIONS, (*pairs, ("status", status))))
            case "conversions" if self.has_conversions:
                counted = tuple(("status", each) for each in COUNTED if each in statuses)
                return str(PageAddress(_CONVERSIONS, (*pairs, *counted))) if counted else ""
            case "clicks" if self.has_clicks:
                return str(PageAddress(_CLICKS, pairs))
            case "rejected" if self.has_clicks:
                return str(PageAddress(_CLICKS, (*pairs, ("verdict", "rejected"))))
        return ""


def linked_cell(request: PageRequest, name: str, row: Row) -> Cell:
    """Return the cell of a slice, with a link where its object has a page that the person may open."""
    cell = cell_of(name, row.keys)
    path = f"{request.person.home}{cell.path}" if cell.path else ""
    return replace(cell, path=path if path and request.may_open(path) else "")


def links_of(request: PageRequest, query: ReportQuery, row: Row | None) -> Callable[[str], str]:
    """Return a function from a figure to the list that it counts; "" where the lists lack the filters."""
    cells = [] if row is None else [cell_of(name, row.keys) for name in query.by]
    days = [cell for cell in cells if cell.slice == "day"]
    chosen = [(cell.slice, cell.value) for cell in cells if cell.slice != "day"]
    for each in query.conditions:
        values = each.values if not each.without and not each.has_empty else ("",)
        if each.kind.name not in (name for name, _ in chosen):
            chosen += [(each.kind.name, value) for value in values]
    counted = CountedRows.of(request, query.period.first, query.period.last)
    if days and row is not None:
        counted = counted.on(row.day)
    return lambda figure: counted.to(figure, chosen)
