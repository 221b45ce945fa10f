"""The statistics of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from trackyard.api.people.advertiser_side.figures import OwnStatsAnswer, OwnStatsRowView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.advertiser_portal.figures import (
    METHOD,
    OwnFigures,
    OwnPage,
    days_of,
    figures_of,
    read_page,
    total,
)
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.slice_keys import day_in
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Tabs
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import OFFERS_OF_ADVERTISER
from trackyard.console.lists.page import declare_list
from trackyard.console.lists.state import read_days, read_state
from trackyard.console.money.currencies import PARAMETER, read_currency
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.portal.words import STATUSES

pages = Pages()

PATH: Final = "/advertiser/statistics"
_DAYS: Final = Days()
MOST_COMPARED: Final = 1000
"""Rows of a period that are compared."""
SLICES: Final[Mapping[str, str]] = {
    "day": lazy_gettext("Day"),
    "offer": lazy_gettext("Offer"),
    "country": lazy_gettext("Country"),
    "goal": lazy_gettext("Goal"),
}
"""What rows can be by: the value of `by` in the address, and its name."""


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """The figures of finished days, and of as many days before the period, by the value of their slice."""

    latest: Mapping[str, OwnFigures]
    before: Mapping[str, OwnFigures]


@dataclass(frozen=True, slots=True)
class StatisticsRow:
    """A row, or the sums of all rows.

    value: its slice's value; None for sums. record: None for sums. compared: None where the page compares nothing.
    """

    value: str | None
    figures: OwnFigures
    currency: str
    record: OwnStatsRowView | None
    compared: ComparedRows | None

    def change(self, name: str) -> tuple[str, str]:
        """Return the change of a figure in words, and its tone."""
        if self.compared is None:
            return "", "neutral"
        both = (self.compared.latest, self.compared.before)
        found = (total(each.values()) if self.value is None else each.get(self.value, OwnFigures()) for each in both)
        return self.figures.change(name, *found)


def _rows(by: str, request: PageRequest, answer: OwnStatsAnswer) -> list[StatisticsRow]:
    compared = None if request.address.get("format") else _compared(by, request)
    return [
        StatisticsRow(_value(by, each.slice), figures_of(each), answer.currency, each, compared)
        for each in answer.stats
    ]


def _value(by: str, keys: Mapping[str, int | str]) -> str:
    return day_in(keys).isoformat() if by == "day" else str(keys[by])


def _compared(by: str, request: PageRequest) -> ComparedRows | None:
    """Return the figures to compare rows with; None where no day is over, or there are too many rows."""
    state = read_state(STATISTICS[by], request)
    if (period := state.period) is None:
        return None
    last = min(period.last, period.today - timedelta(days=1))
    if last < period.first:
        return None
    earlier = period.before.first
    asked: list[Pair] = [pair for pair in state.asked[0] if pair[0] not in ("date_from", "date_to")]
    asked.append(("limit", str(MOST_COMPARED)))
    spans = ((period.first, last), (earlier, earlier + (last - period.first)))
    latest, before = (read_page(request.calls, [*days_of(*span), *asked]) for span in spans)
    if max(latest.total, before.total) > MOST_COMPARED:
        return None
    return ComparedRows(_by_value(by, latest), _by_value(by, before))


def _by_value(by: str, page: OwnPage) -> Mapping[str, OwnFigures]:
    return {_value(by, row.keys): row.figures for row in page.rows}


def _sums(_request: PageRequest, rows: Sequence[StatisticsRow], all_rows: int) -> StatisticsRow | None:
    if not rows or all_rows > len(rows):
        return None
    return StatisticsRow(None, total(each.figures for each in rows), rows[0].currency, None, rows[0].compared)


def _around(request: PageRequest, rows: Sequence[StatisticsRow]) -> Mapping[str, object]:
    """Return the currency of amounts, and the sentences about it and about changes."""
    currency, notes = read_currency(request), list[str]()
    if rows and rows[0].compared is not None:
        before = read_days(request, _DAYS)[0].before_text
        notes = [gettext("Changes compare the days that are over with the %(before)s.", before=before)]
    if clickless := total(each.figures for each in rows).clickless:
        notes.append(
            ngettext(
                "CR leaves out %(num)d conversion without a click.",
                "CR leaves out %(num)d conversions without a click.",
                clickless,
            )
        )
    return {
        "currency": currency.shown,
        "currencies": currency.menu(request.address),
        "notes": [*notes, *([currency.fault] if currency.fault else [])],
    }


def _name(by: str, row: StatisticsRow, on: On) -> ListCell:
    match row.value:
        case None:
            return cells.cell(gettext("Total"))
        case "":
            return cells.cell(gettext("None"))
        case value if by == "offer":
            return on.object(OFFERS_OF_ADVERTISER, value)
        case value if by == "country":
            return cells.cell(dict(country_names()).get(value, value))
        case value:
            return cells.cell(value)


def _conversions(by: str, row: StatisticsRow, status: str, on: On) -> PageAddress | str:
    """Return the page of the conversions of a status that a row counts."""
    if row.value is None or not row.figures.of_status(status):
        return ""
    kept = PageAddress("/advertiser/conversions", on.request.address.without("by", PARAMETER).pairs)
    if by == "day":
        kept = kept.without("period", "from", "to").set("from", row.value).set("to", row.value)
    else:
        kept = kept.set(by, row.value)
    return kept.set("status", status)


def _change(by: str, row: StatisticsRow, name: str) -> tuple[PageLink, ...]:
    """Return the line below a figure. Days are not compared."""
    text, tone = ("", "") if by == "day" and row.value is not None else row.change(name)
    return (PageLink(text, "", tone=tone),) if text else ()


def _figure(by: str, name: str, title: str) -> ListColumn[StatisticsRow]:
    """Return the column of clicks, or of the conversions of a status, which leads to them."""

    def cell(row: StatisticsRow, on: On) -> ListCell:
        number = row.figures.clicks if name == "clicks" else row.figures.of_status(name)
        link = "" if name == "clicks" else _conversions(by, row, name, on)
        return cells.count(number, *_change(by, row, name), link=link)

    return ListColumn(title=title, role="figure", cell=cell)


CHARGES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("Confirmed charge"),
    "pending": lazy_gettext("Pending charge"),
    "hold": lazy_gettext("Charge on hold"),
    "declined": lazy_gettext("Declined charge"),
}
"""The columns of the charge of a status. Declined conversions cost nothing: theirs is struck out."""


def _charge(status: str, title: str) -> ListColumn[StatisticsRow]:
    """Return the column of the charge of a status; where none has a charge, pages lack it."""

    def cell(row: StatisticsRow, _on: On) -> ListCell:
        charge = row.figures.charge_of(status)
        return cells.worth(status, charge, row.currency) if charge else ListCell()

    def has_any(_request: PageRequest, rows: Sequence[StatisticsRow]) -> bool:
        return status == "confirmed" or any(row.figures.charge_of(status) for row in rows)

    return ListColumn(title=title, role="figure", cell=cell, shown=has_any)


def _columns(by: str) -> tuple[ListColumn[StatisticsRow], ...]:
    return (
        ListColumn(
            title=SLICES[by],
            role="title",
            longest=80,
            objects=OFFERS_OF_ADVERTISER if by == "offer" else None,
            key=lambda row: row.value,
            cell=partial(_name, by),
        ),
        _figure(by, "clicks", lazy_gettext("Clicks")),
        ListColumn(
            title=lazy_gettext("Unique"),
            role="figure",
            cell=lambda row, _: ListCell() if row.value is None else cells.count(row.figures.unique),
        ),
        *(_figure(by, status, label) for status, label in STATUSES.items()),
        ListColumn(
            title=lazy_gettext("CR"),
            role="figure",
            cell=lambda row, _: ListCell(
                shown.percent(row.figures.cr), below=_change(by, row, "cr"), value=row.figures.cr
            ),
        ),
        ListColumn(
            title=lazy_gettext("Charge"),
            role="figure",
            cell=lambda row, _: cells.money(row.figures.charge, row.currency, *_change(by, row, "charge")),
        ),
        *(_charge(name, label) for name, label in CHARGES.items()),
    )


def _statistics(by: str) -> ListPage[StatisticsRow, OwnStatsAnswer]:
    """Return the list of the rows of a slice."""

    return ListPage(
        path=PATH,
        audience="advertiser",
        own=(("by", by),),
        method=METHOD,
        view=OwnStatsAnswer,
        fixed=(("slice[]", by),),
        variables=lambda request: (read_currency(request).pairs, {}),
        rows=partial(_rows, by),
        record=lambda row: row.record or {},
        title=lazy_gettext("Statistics"),
        counted=lambda rows: ngettext("%(num)d row", "%(num)d rows", rows),
        about=lazy_gettext(
            "The charge has confirmed, pending and held conversions. You pay the confirmed charge: invoices bill it."
        ),
        period=_DAYS,
        tabs=Tabs(name="by", label=lazy_gettext("Rows by"), choices=tuple(SLICES.items())),
        filters=(
            FilterBy(name="offer", objects=OFFERS_OF_ADVERTISER),
            FilterBy(name="country", label=lazy_gettext("Country"), choices=lambda _: country_names()),
            FilterBy(name="status", label=lazy_gettext("Status of conversions"), words=STATUSES),
        ),
        columns=_columns(by),
        sums=_sums,
        template="advertiser/statistics.html",
        values=_around,
        empty=lazy_gettext("No click and no conversion in these days."),
        per_page=400,
    )


STATISTICS: Final = {by: _statistics(by) for by in SLICES}
declare_list(pages, *STATISTICS.values())
