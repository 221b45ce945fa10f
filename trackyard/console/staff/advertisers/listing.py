"""The list of advertisers, with what they did in a period."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.people import advertisers as advertisers_api
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.staff.advertisers.one import STATUSES
from trackyard.console.staff.list_figures import (
    ListFigures,
    find_list_figures,
    list_currency,
    list_period,
    list_requests,
)
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.people_names import manager_name, managers

pages = Pages()

SORTS: Final = ("title", "email")
"""Columns that can be sorted, by their names in the API."""


@dataclass(frozen=True, slots=True)
class AdvertiserRow:
    """An advertiser of the list. results: None where they cannot be seen."""

    advertiser: advertisers_api.AdvertiserView
    manager: str
    results: ListFigures | None


@pages.get("/console/advertisers", needs=(advertisers_api.list_,))
def advertisers(request: PageRequest) -> PageAnswer:
    """Show advertisers that meet the filters, a page at a time."""
    calls = request.calls
    filters = (
        ListFilter("manager", gettext("Manager"), "manager[]", managers(calls)),
        ListFilter("tag", gettext("Tag"), "tags[]", None),
        ListFilter("country", gettext("Country"), "country[]", country_names()),
        ListFilter("status", gettext("Sign-in"), "status[]", tuple(STATUSES.items())),
    )
    state = read_list(request.address, filters, SORTS, ("_id", "desc"))
    column, direction = state.sort
    sent = [*state.sent("search"), ("order", column), ("orderType", direction)]
    if (file := list_file(request, advertisers_api.list_, lambda answer: answer.advertisers, sent)) is not None:
        return file
    answer = calls.ask(advertisers_api.list_, sent)
    found = answer.advertisers
    period = list_period(request)
    money, ids = list_currency(request), [each.id for each in found]
    results, fault = find_list_figures(request, period.days, "advertiser", "advertiser", ids, money.pairs)
    rows_request = calls.address(advertisers_api.list_, sent)
    return request.page(
        "staff/advertisers.html",
        rows=[_row(each, results) for each in found],
        may_write=calls.may(advertisers_api.add),
        fault=" ".join(each for each in (period.fault, money.fault, fault) if each),
        currency=money.shown,
        in_currency=money.query,
        currencies=money.menu(request.address),
        api_requests=list_requests(request, rows_request, period.days, money, "advertiser", "advertiser", ids),
        **period.shown(),
        **state.shown(answer.pagination.total_count),
    )


def _row(advertiser: advertisers_api.AdvertiserView, results: Mapping[str, ListFigures] | None) -> AdvertiserRow:
    figures = None if results is None else results.get(advertiser.id, ListFigures())
    return AdvertiserRow(advertiser, manager_name(advertiser.manager_obj), figures)
