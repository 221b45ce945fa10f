"""The list of affiliates, with what they did in a period (docs/spec/console.md#affiliates)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.people import affiliates as affiliates_api
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.staff.affiliates.words import MARKS, STATUSES
from trackyard.console.staff.list_figures import (
    ListFigures,
    find_list_figures,
    list_currency,
    list_period,
    list_requests,
)
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.people_names import affiliate_name, manager_name, managers
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

SORTS: Final = ("id", "name", "email")
"""Columns that can be sorted, by their names in the API."""


@dataclass(frozen=True, slots=True)
class AffiliateRow:
    """An affiliate of the list. results: None where they cannot be seen."""

    affiliate: AffiliateView
    name: str
    manager: str
    results: ListFigures | None


@pages.get("/console/affiliates", needs=(affiliates_api.list_,))
def affiliates(request: PageRequest) -> PageAnswer:
    """Show affiliates that meet the filters, a page at a time."""
    calls = request.calls
    state = read_list(request.address, affiliate_filters(calls), SORTS, ("id", "desc"))
    column, direction = state.sort
    sent = [*state.sent("search"), ("order", column), ("orderType", direction), ("with_balance", "1")]
    if (file := list_file(request, affiliates_api.list_, lambda answer: answer.partners, sent)) is not None:
        return file
    answer = calls.ask(affiliates_api.list_, sent)
    found = answer.partners
    period = list_period(request)
    money, ids = list_currency(request), [each.id for each in found]
    results, fault = find_list_figures(request, period.days, "affiliate", "partner", ids, money.pairs)
    rows_request = calls.address(affiliates_api.list_, sent)
    waiting = calls.ask(affiliates_api.list_, [("status[]", "on moderation"), ("limit", "1")])
    return request.page(
        "staff/affiliates.html",
        rows=[_row(each, results) for each in found],
        statuses=STATUSES,
        marks=MARKS,
        waiting=waiting.pagination.total_count,
        may_write=calls.may(affiliates_api.edit),
        fault=" ".join(each for each in (period.fault, money.fault, fault) if each),
        currency=money.shown,
        in_currency=money.query,
        currencies=money.menu(request.address),
        api_requests=list_requests(request, rows_request, period.days, money, "affiliate", "partner", ids),
        **period.shown(),
        **state.shown(answer.pagination.total_count),
    )


def affiliate_filters(calls: LocalCalls[Deps]) -> tuple[ListFilter, ...]:
    """Return the filters of lists of affiliates."""
    return (
        ListFilter("status", gettext("Status"), "status[]", tuple(STATUSES.items())),
        ListFilter("manager", gettext("Manager"), "manager_id[]", managers(calls)),
        ListFilter("tag", gettext("Tag"), "tags[]", None),
        ListFilter("country", gettext("Country"), "country[]", country_names()),
    )


def _row(affiliate: AffiliateView, results: Mapping[int, ListFigures] | None) -> AffiliateRow:
    figures = None if results is None else results.get(affiliate.id, ListFigures())
    return AffiliateRow(affiliate, affiliate_name(affiliate), manager_name(affiliate.manager), figures)
