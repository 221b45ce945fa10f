"""The conversions of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from typing import Final

from trackyard.api.people.advertiser_side import figures
from trackyard.base.texts.marks import gettext
from trackyard.console.advertiser_portal.figures import days_of
from trackyard.console.advertiser_portal.lists import chosen_period, own_offers
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import asks_for_file, every_row, rows_file
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.portal.lists import FilterChoice, chosen_value, paged, set_filters
from trackyard.console.portal.words import STATUSES, decline_text
from trackyard.domain.people.callers import AdvertiserCaller
from trackyard.domain.tracking.subs import SUBS

pages = Pages()

METHOD: Final = figures.conversions
PER_PAGE: Final = 30
OF_AFFILIATES: Final = ("partner_id", *SUBS)
"""Fields that are empty unless staff let the advertiser see affiliates."""
_TEXTS: Final = {"click": "clickid[]", "action": "action_id[]", "goal": "goal[]"}
"""Text of the address to the parameter of the API."""
_LONGEST: Final = 255


@pages.get("/advertiser/conversions", audience="advertiser", needs=(METHOD,))
def conversions(request: PageRequest) -> PageAnswer:
    """Show the conversions that meet the filters, the newest first, or send them as a file."""
    period, fault = chosen_period(request)
    filters = _filters(request)
    sent = _request(request.address, period, filters)
    if asks_for_file(request):
        return _file(request, sent)
    paging = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    answer = request.calls.ask(METHOD, [*sent, *paging])
    found = answer.conversions
    texts = {name: request.address.get(name).strip() for name in _TEXTS}
    chips = set_filters(request.address, filters)
    return request.page(
        "advertiser/conversions.html",
        rows=found,
        reasons={each.id: decline_text(each) for each in found},
        statuses=STATUSES,
        sees_affiliates=not hidden_fields(request),
        period=period,
        periods=CHOICES,
        fault=fault,
        filters=[each for each in filters if each.choices],
        chips=chips,
        is_filtered=bool(chips or any(texts.values())),
        **paged(answer.pagination),
        api_request_path=request.calls.address(METHOD, sent),
    )


def _file(request: PageRequest, sent: list[Pair]) -> PageAnswer:
    """Return the conversions as a file, without fields that are empty for this advertiser."""
    rows = every_row(request, METHOD, lambda answer: answer.conversions, sent)
    return rows_file("advertiser-conversions", rows, without=hidden_fields(request))


def hidden_fields(request: PageRequest) -> tuple[str, ...]:
    """Return the fields of affiliates for an advertiser that does not see them; () for others."""
    caller = request.person.caller
    return () if isinstance(caller, AdvertiserCaller) and caller.sees_affiliates else OF_AFFILIATES


def _filters(request: PageRequest) -> tuple[FilterChoice, ...]:
    return (
        FilterChoice("status", gettext("Status"), tuple(STATUSES.items()), is_fixed=True),
        FilterChoice("offer", gettext("Offer"), own_offers(request)),
        FilterChoice("country", gettext("Country"), country_names()),
    )


def _request(address: PageAddress, period: DayPeriod, filters: tuple[FilterChoice, ...]) -> list[Pair]:
    chosen = ((each.name, chosen_value(address, each)) for each in filters)
    texts = ((parameter, address.get(name).strip()[:_LONGEST]) for name, parameter in _TEXTS.items())
    return [
        *days_of(period.first, period.last),
        *((f"{name}[]", value) for name, value in chosen if value),
        *((parameter, text) for parameter, text in texts if text),
    ]
