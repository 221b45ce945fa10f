"""The statistics of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.advertiser_portal.figures import (
    METHOD,
    OwnFigures,
    OwnPage,
    OwnRow,
    days_of,
    read_page,
    total,
)
from trackyard.console.advertiser_portal.lists import chosen_period, own_offers
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.slice_keys import day_in
from trackyard.console.list_files import list_file
from trackyard.console.money_shown.currencies import PARAMETER, read_currency
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.portal.lists import FilterChoice, chosen_value, set_filters
from trackyard.console.portal.words import STATUSES

pages = Pages()

MOST_COMPARED: Final = 1000
"""Rows of a period that are compared."""
PER_PAGE: Final = 400
"""Rows of a page: a year of days."""
SLICES: Final[Mapping[str, str]] = {
    "day": lazy_gettext("Day"),
    "offer": lazy_gettext("Offer"),
    "country": lazy_gettext("Country"),
    "goal": lazy_gettext("Goal"),
}
"""What rows can be by: the value of `by` in the address, and its name."""


@dataclass(frozen=True, slots=True)
class StatisticsRow:
    """A row of the table.

    conversions: the page of the conversions that it counts, in any status. compared: None for a row without comparison.
    """

    name: str
    figures: OwnFigures
    compared: "ComparedFigures | None"
    charge: str
    conversions: PageAddress


@dataclass(frozen=True, slots=True)
class StatisticsSums:
    """The sums of all rows. compared: None where they are not compared."""

    figures: OwnFigures
    charge: str
    compared: "ComparedFigures | None"


@dataclass(frozen=True, slots=True)
class ComparedFigures:
    """The figures of a period, of its days that are over, and of as many days before the period."""

    shown: OwnFigures
    latest: OwnFigures
    before: OwnFigures

    def change(self, name: str) -> tuple[str, str]:
        """Return the change of a figure in words, and its tone."""
        return self.shown.change(name, self.latest, self.before)


@pages.get("/advertiser/statistics", audience="advertiser", needs=(METHOD,))
def statistics(request: PageRequest) -> PageAnswer:
    """Show clicks, conversions and charge by day, offer, country or goal, or send them as a file."""
    period, fault = chosen_period(request)
    offers, by = own_offers(request), _slice(request)
    filters = (
        FilterChoice("offer", gettext("Offer"), offers),
        FilterChoice("country", gettext("Country"), country_names()),
    )
    currency = read_currency(request)
    conditions = [(f"{each.name}[]", value) for each in filters if (value := chosen_value(request.address, each))]
    conditions += currency.pairs
    sent: list[Pair] = [*days_of(period.first, period.last), *conditions, ("slice[]", by)]
    if (file := list_file(request, METHOD, lambda answer: answer.stats, sent)) is not None:
        return file
    page = request.address.page
    try:
        found = read_page(request.calls, [*sent, ("limit", str(PER_PAGE)), ("page", str(page))])
        compared = _compared(request, period, [*conditions, ("slice[]", by)])
    except RequestError as refusal:
        compared, found, fault = (
            None,
            OwnPage([], 0, ""),
            gettext("The figures cannot be read now. %(text)s.", text=refusal.text),
        )
    chips = set_filters(request.address, filters)
    names = {"offer": dict(offers), "country": dict(country_names())}
    return request.page(
        "advertiser/statistics.html",
        by=by,
        slices=SLICES,
        statuses=STATUSES,
        rows=[_row(request, by, each, found.currency, names, compared) for each in found.rows],
        sums=_sums(found, compared),
        compared_text=period.before_text if compared is not None else "",
        period=period,
        periods=CHOICES,
        fault=fault or currency.fault,
        currency=currency.shown,
        currencies=currency.menu(request.address),
        filters=[each for each in filters if each.choices],
        chips=chips,
        is_filtered=bool(chips),
        total=found.total,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        api_request_path=request.calls.address(METHOD, sent),
    )


def _slice(request: PageRequest) -> str:
    chosen = request.address.get("by")
    return chosen if chosen in SLICES else "day"


_Compared = tuple[Mapping[str, OwnFigures], Mapping[str, OwnFigures]]
"""The rows of the days that are over, and of as many days before the period, by the value of their slice."""


def _compared(request: PageRequest, period: DayPeriod, asked: Sequence[Pair]) -> _Compared | None:
    """Return the figures to compare rows with; None where no day is over, or there are too many rows.

    asked: the filters and the slice.
    """
    last = min(period.last, period.today - timedelta(days=1))
    if last < period.first:
        return None
    earlier = period.before.first
    spans = ((period.first, last), (earlier, earlier + (last - period.first)))
    limit = ("limit", str(MOST_COMPARED))
    latest, before = (read_page(request.calls, [*days_of(*span), *asked, limit]) for span in spans)
    if max(latest.total, before.total) > MOST_COMPARED:
        return None
    return _by_value(latest), _by_value(before)


def _by_value(page: OwnPage) -> Mapping[str, OwnFigures]:
    return {"-".join(map(str, row.keys.values())): row.figures for row in page.rows}


def _sums(found: OwnPage, compared: _Compared | None) -> StatisticsSums | None:
    """Return the sums of all rows; None where the page has not all of them."""
    if not found.rows or found.total > len(found.rows):
        return None
    sums = total(each.figures for each in found.rows)
    both = None if compared is None else ComparedFigures(sums, *(total(each.values()) for each in compared))
    return StatisticsSums(sums, shown.money(sums.charge, found.currency), both)


def _row(
    request: PageRequest,
    by: str,
    row: OwnRow,
    currency: str,
    names: Mapping[str, Mapping[str, str]],
    compared: _Compared | None,
) -> StatisticsRow:
    """Return a row with its name, and the page of the conversions that it counts. Days are not compared.

    names: the names of values, by slice.
    """
    value = day_in(row.keys).isoformat() if by == "day" else str(row.keys[by])
    name = names.get(by, {}).get(value, value) or gettext("None")
    kept = PageAddress("/advertiser/conversions", request.address.without("by", PARAMETER).pairs)
    conversions = (
        kept.without("period", "from", "to").set("from", value).set("to", value) if by == "day" else kept.set(by, value)
    )
    both = None
    if compared is not None and by != "day":
        both = ComparedFigures(row.figures, *(each.get(value, OwnFigures()) for each in compared))
    return StatisticsRow(name, row.figures, both, shown.money(row.figures.charge, currency), conversions)
