"""The statistics of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.advertiser_portal.figures import (
    METHOD,
    STATUSES,
    OwnFigures,
    OwnPage,
    OwnRow,
    day_of,
    days_of,
    read_page,
    total,
)
from trackyard.console.advertiser_portal.lists import chosen_period, own_offers
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.portal.lists import FilterChoice, chosen_value, page_number, set_filters

pages = Pages()

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
    """A row of the table. conversions: the page of those that it counts, without a status."""

    name: str
    figures: OwnFigures
    charge: str
    conversions: PageAddress


@dataclass(frozen=True, slots=True)
class StatisticsSums:
    """The sums of all rows."""

    figures: OwnFigures
    charge: str


@pages.get("/advertiser/statistics", audience="advertiser", needs=(METHOD,))
def statistics(request: PageRequest) -> PageAnswer:
    """Show clicks, conversions and charge by day, offer, country or goal, or send them as a file."""
    period, fault = chosen_period(request)
    offers, by = own_offers(request), _slice(request)
    filters = (
        FilterChoice("offer", gettext("Offer"), offers),
        FilterChoice("country", gettext("Country"), country_names()),
    )
    conditions = [(f"{each.name}[]", value) for each in filters if (value := chosen_value(request.address, each))]
    sent: list[Pair] = [*days_of(period.first, period.last), *conditions, ("slice[]", by)]
    if (file := list_file(request, METHOD, "stats", sent)) is not None:
        return file
    page = page_number(request.address)
    try:
        found = read_page(request.calls, [*sent, ("limit", str(PER_PAGE)), ("page", str(page))])
    except RequestError as refusal:
        found, fault = OwnPage([], 0, ""), gettext("The figures cannot be read now. %(text)s.", text=refusal.text)
    chips = set_filters(request.address, filters)
    names = {"offer": dict(offers), "country": dict(country_names())}
    return request.page(
        "advertiser/statistics.html",
        by=by,
        slices=SLICES,
        statuses=STATUSES,
        rows=[_row(request, by, each, found.currency, names) for each in found.rows],
        sums=_sums(found),
        period=period,
        periods=CHOICES,
        fault=fault,
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


def _sums(found: OwnPage) -> StatisticsSums | None:
    """Return the sums of all rows; None where the page has not all of them."""
    if not found.rows or found.total > len(found.rows):
        return None
    sums = total(each.figures for each in found.rows)
    return StatisticsSums(sums, shown.money(sums.charge, found.currency))


def _row(
    request: PageRequest, by: str, row: OwnRow, currency: str, names: Mapping[str, Mapping[str, str]]
) -> StatisticsRow:
    """Return a row with its name, and the page of the conversions that it counts.

    names: of values, by slice.
    """
    value = day_of(row).isoformat() if by == "day" else str(row.keys[by])
    name = names.get(by, {}).get(value, value) or gettext("None")
    kept = PageAddress("/advertiser/conversions", request.address.without("by").pairs)
    conversions = (
        kept.without("period", "from", "to").set("from", value).set("to", value) if by == "day" else kept.set(by, value)
    )
    return StatisticsRow(name, row.figures, shown.money(row.figures.charge, currency), conversions)
