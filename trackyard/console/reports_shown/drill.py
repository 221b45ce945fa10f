"""The menu of a row of a report (docs/spec/console.md#reports)."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from trackyard.console.frame.address import PageAddress
from trackyard.console.reports_shown.filters import FILTER_OF_SLICE, with_only
from trackyard.console.reports_shown.query import ReportQuery
from trackyard.console.reports_shown.slices import Cell, slice_label

SPLITS: Final = (
    "offer", "affiliate", "country", "sub1", "day", "hour", "device", "browser", "os", "city", "goal", "advertiser",
)  # fmt: skip
"""Slices that menus offer to split rows by, the most useful ones first."""
MOST_SPLITS: Final = 7
LONGEST_LINK: Final = 700
"""Characters of a link above which a menu offers the rows alone: they can be split from there."""


@dataclass(frozen=True, slots=True)
class RowLink:
    """A link of the menu of a row. text: the part of the row that the link is about."""

    text: str
    to: str


@dataclass(frozen=True, slots=True)
class RowMenu:
    """The menu of a row.

    name: the row's name.
    only: the link to its rows; "" where no filter has any part of it.
    parts: the parts of the row that `only` filters by; "" where it filters by all of them.
    without: links to all rows without one of its values. splits: links to its rows by other slices.
    """

    name: str
    only: str
    parts: str
    without: tuple[RowLink, ...]
    splits: tuple[RowLink, ...]


def menu_of(query: ReportQuery, cells: Sequence[Cell]) -> RowMenu:
    """Return the menu of a row."""
    kept = [cell for cell in cells if _can_filter(query, cell)]
    only = _only(query, kept)
    others = [cell.slice for cell in cells if cell not in kept]
    is_short = len(str(only)) <= LONGEST_LINK
    return RowMenu(
        name=" · ".join(str(cell.text) for cell in cells),
        only=_query(only) if kept else "",
        parts="" if len(kept) == len(cells) else " · ".join(str(cell.text) for cell in kept),
        without=tuple(_without(query, cells)) if is_short else (),
        splits=tuple(_splits(query, only, others)) if is_short else (),
    )


def _query(address: PageAddress) -> str:
    """Return the link to another state of the same page, as short as it can be."""
    return str(address).removeprefix(address.path)


def _can_filter(query: ReportQuery, cell: Cell) -> bool:
    if cell.is_time:
        return cell.slice != "hour"
    kind = FILTER_OF_SLICE.get(cell.slice)
    return kind is not None and bool(cell.value or kind.is_text)


def _only(query: ReportQuery, cells: Sequence[Cell]) -> PageAddress:
    """Return the address of the rows with these values."""
    address = query.address.without()
    for cell in cells:
        if cell.is_time:
            first, last = _span(query, cell)
            address = address.without("period").set("from", first).set("to", last)
        else:
            address = with_only(address, FILTER_OF_SLICE[cell.slice], cell.value)
    return address


def _without(query: ReportQuery, cells: Sequence[Cell]) -> Iterator[RowLink]:
    """Yield a link for each value that the API can leave out."""
    for cell in cells:
        kind = FILTER_OF_SLICE.get(cell.slice)
        if kind is not None and kind.excludes and cell.value:
            text = "" if len(cells) == 1 else cell.text
            yield RowLink(text, _query(query.address.add(f"not.{kind.name}", cell.value)))


def _splits(query: ReportQuery, only: PageAddress, others: Sequence[str]) -> Iterator[RowLink]:
    """Yield links to the rows by each further slice. A part without a filter remains a slice."""
    base = only.without("by", "sort", "dir") if query.sort in query.by else only.without("by")
    new = (name for name in SPLITS if name in query.slices and name not in query.by)
    for name, _ in zip(new, range(MOST_SPLITS), strict=False):
        pairs = tuple(("by", each) for each in (*others, name))
        yield RowLink(slice_label(name), _query(PageAddress(base.path, pairs + base.pairs)))


def _span(query: ReportQuery, cell: Cell) -> tuple[date, date]:
    """Return the days of a row by time, within the period of the report."""
    year = int(cell.text[:4])
    match cell.slice:
        case "day":
            first = last = date.fromisoformat(cell.text)
        case "month":
            month = int(cell.text[5:7])
            first, last = date(year, month, 1), date(year, month, monthrange(year, month)[1])
        case "quarter":
            month = int(cell.text[6]) * 3
            first, last = date(year, month - 2, 1), date(year, month, monthrange(year, month)[1])
        case _:
            first, last = date(year, 1, 1), date(year, 12, 31)
    return max(first, query.period.first), min(last, query.period.last)
