"""The rows of a list as cells, for its page and its file."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import AnyList, ListColumn, On, R
from trackyard.console.lists.figures import FiguresOfRows
from trackyard.wire.request.params import fields_of

Titles = Mapping[str, Mapping[str, str]]
"""Titles of objects by the label of their kind and their id."""
NO_TITLES: Final[Titles] = MappingProxyType({})


def columns_of(columns: Iterable[ListColumn[R]], request: PageRequest, rows: Sequence[R]) -> list[ListColumn[R]]:
    """Return the columns that the person sees."""
    return [each for each in columns if each.shown(request, rows)]


def context_of(
    columns: Iterable[ListColumn[R]],
    request: PageRequest,
    rows: Sequence[R],
    figures: FiguresOfRows | None = None,
    known: Titles = NO_TITLES,
) -> On:
    """Return the context of the cells, with the titles of the objects in the rows.

    known: titles that the filters have.
    """
    names = {}
    for each in columns:
        if each.objects is not None and each.key is not None:
            found = known.get(each.objects.label, {})
            missing = (key for key in map(each.key, rows) if str(key) not in found)
            names[each.objects.label] = {**found, **each.objects.names(request.calls, missing)}
    return On(request, names, figures)


def cell_of(column: ListColumn[R], row: R, on: On) -> ListCell:
    """Return the cell of a row in a column."""
    made = column.cell(row, on)
    return made if isinstance(made, ListCell) else ListCell(made)


def source_zone(page: AnyList, request: PageRequest) -> ZoneInfo:
    """Return the zone of the times in an answer: the page's where the method reads in a zone."""
    reads_zone = any(each.name == "timezone" for each in fields_of(page.method.params))
    return request.day_zone if reads_zone else request.deps.zone
