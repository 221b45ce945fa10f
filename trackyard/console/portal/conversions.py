"""The conversions of an affiliate (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.api.conversions import conversions as conversions_api
from trackyard.api.conversions.conversions import ConversionForAffiliate, ConversionsForAffiliate
from trackyard.api.offers import lists
from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Download, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices, country_names
from trackyard.console.portal.lists import FilterChoice, chosen_value, set_filters
from trackyard.console.portal.refused_imports import METHOD as REFUSED_METHOD
from trackyard.console.portal.refused_imports import PATH as REFUSED
from trackyard.console.portal.words import STATUSES, decline_text, sentences_of

pages = Pages()

PER_PAGE: Final = 30
PATH: Final = "/portal/conversions"
_NUMBERS: Final = {"confirmed": "1", "pending": "2", "declined": "3", "hold": "5"}
"""Status to its number in the API."""
_OFFERS: Final = 200
_TEXTS: Final = {"q": "clickid", "sub1": "subid1", "sub2": "subid2"}
"""Text of the address to the parameter of the API."""
_LONGEST: Final = 500


@pages.get(PATH, audience="affiliate", needs=(conversions_api.list_conversions,))
def conversions(request: PageRequest) -> PageAnswer:
    """Show the conversions that meet the filters, the newest first."""
    period, fault = read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
    filters = _filters(request)
    sent = _request(request.address, period, filters)
    paging = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    found: list[ConversionForAffiliate] = []
    total, page = 0, 1
    try:
        answer = request.calls.ask_as(ConversionsForAffiliate, conversions_api.list_conversions, [*sent, *paging])
        found, total, page = answer.conversions, answer.pagination.total_count, answer.pagination.page
    except BadInput as refusal:
        fault = sentences_of(refusal)
    chips = set_filters(request.address, filters)
    texts = [name for name in _TEXTS if request.address.get(name).strip()]
    may_export = request.calls.may_export(conversions_api.list_conversions)
    return request.page(
        "portal/conversions.html",
        rows=found,
        declined={each.id: decline_text(each) for each in found},
        statuses=STATUSES,
        period=period,
        periods=CHOICES,
        fault=fault,
        filters=[each for each in filters if each.choices],
        chips=chips,
        is_filtered=bool(chips or texts),
        total=total,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        file=PageAddress(f"{PATH}/file", request.address.without().pairs) if may_export else "",
        refused=REFUSED if request.calls.may(REFUSED_METHOD) else "",
        api_request_path=request.calls.address(conversions_api.list_conversions, sent),
    )


@pages.get(f"{PATH}/file", audience="affiliate", needs=(conversions_api.list_conversions,))
def conversions_file(request: PageRequest) -> PageAnswer:
    """Send all conversions that meet the filters as the file that the API makes of them."""
    period, _ = read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
    sent = _request(request.address, period, _filters(request))
    return Download(request.calls.file(conversions_api.list_conversions, [*sent, ("format", "csv")]))


def _filters(request: PageRequest) -> tuple[FilterChoice, ...]:
    return (
        FilterChoice("status", gettext("Status"), tuple(STATUSES.items()), is_fixed=True),
        FilterChoice("offer", gettext("Offer"), _offers(request)),
        FilterChoice("country", gettext("Country"), country_names()),
    )


def _offers(request: PageRequest) -> Choices:
    """Return the offers that the affiliate may send visitors to, and the offer in the address."""
    chosen = request.address.get("offer")
    found = {}
    if request.calls.may(lists.list_live):
        answer = request.calls.ask(lists.list_live, [("limit", str(_OFFERS)), ("sort[title]", "asc")])
        found = {str(each.id): each.title for each in answer.offers}
    if chosen.isascii() and chosen.isdecimal() and len(chosen) < 10 and chosen not in found:
        try:
            found[chosen] = request.calls.ask(lists.get, path={"id": chosen}).offer.title
        except RequestError:
            found[chosen] = f"#{chosen}"
    return tuple(found.items())


def _request(address: PageAddress, period: DayPeriod, filters: tuple[FilterChoice, ...]) -> list[Pair]:
    chosen = {each.name: chosen_value(address, each) for each in filters}
    sent = [("date_from", period.first.isoformat()), ("date_to", period.last.isoformat())]
    if chosen["status"]:
        sent.append(("status[]", _NUMBERS[chosen["status"]]))
    sent += [(f"{name}[]", chosen[name]) for name in ("offer", "country") if chosen[name]]
    texts = {name: address.get(name).strip()[:_LONGEST] for name in _TEXTS}
    return sent + [(f"{_TEXTS[name]}[]", text) for name, text in texts.items() if text]
