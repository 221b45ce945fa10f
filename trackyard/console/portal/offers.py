"""Offers that an affiliate sees, its requests for them, its questions (docs/spec/console.md#portal)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.offers import lists, tickets
from trackyard.api.offers.view_affiliate import AffiliateOfferView
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown import choices
from trackyard.console.offers_shown.caps import CapMeter, find_meters, fullest
from trackyard.console.offers_shown.words import payout
from trackyard.console.portal.lists import FilterChoice, chosen_value, paged, set_filters

pages = Pages()

OFFERS: Final = "/portal/offers"
REQUESTS: Final = "/portal/requests"
PER_PAGE: Final = 20
REQUESTS_PER_PAGE: Final = 30
SORTS: Final[Mapping[str, str]] = {
    "": lazy_gettext("Newest first"),
    "epc": lazy_gettext("Highest EPC"),
    "cr": lazy_gettext("Highest CR"),
    "title": lazy_gettext("Title"),
}
"""Value of `sort` in the address to its name."""
_MINE: Final = FilterChoice("mine", lazy_gettext("Connection"), (("1", lazy_gettext("My offers")),), is_fixed=True)
_COUNTRIES: Final = 6
"""Countries that a row names; it counts the others."""
_DECISIONS: Final = {
    "approve": ("confirmed", lazy_gettext("Approved")),
    "reject": ("declined", lazy_gettext("Rejected")),
}
"""Decision to the class of its mark and its word."""
_UNDECIDED: Final = {"open": ("pending", lazy_gettext("Open")), "closed": ("declined", lazy_gettext("Closed"))}
"""Status of a request without a decision to the same."""
_DONE: Final = ("confirmed", lazy_gettext("Closed"))
"""The same of a question that staff closed."""
_QUESTIONS: Final[Mapping[str, str]] = {
    "common": lazy_gettext("Something else"),
    "financial": lazy_gettext("Money"),
    "technical": lazy_gettext("Technical matters"),
}
"""Type of a question to what it is about."""
_QUESTION: Final = FormPlan(
    tickets.ask,
    (
        FormGroup(
            lazy_gettext("Question"),
            (
                FormField("type", lazy_gettext("About"), words=_QUESTIONS, help=""),
                FormField("title", lazy_gettext("Subject"), help=""),
                FormField(
                    "text",
                    lazy_gettext("Your question"),
                    widget="long",
                    wide=True,
                    help=lazy_gettext("The network reads it."),
                ),
            ),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class OfferAccess:
    """Whether an affiliate may send visitors to an offer. kind: the class of its mark."""

    kind: str
    text: str


CONNECTED: Final = OfferAccess("confirmed", lazy_gettext("Connected"))
ON_REQUEST: Final = OfferAccess("pending", lazy_gettext("On request"))
CLOSED: Final = OfferAccess("declined", lazy_gettext("Closed to you"))


@dataclass(frozen=True, slots=True)
class PortalOfferRow:
    """An offer of the list. more: the number of further payments. epc: None before it has clicks."""

    id: int
    title: str
    categories: str
    countries: str
    payout: str
    more: int
    epc: str
    cr: str
    cap: CapMeter | None
    connection: OfferAccess


@pages.get(OFFERS, audience="affiliate", needs=(lists.list_offers,))
def offers(request: PageRequest) -> PageAnswer:
    """Show the offers that meet the filters, a page at a time."""
    calls, address = request.calls, request.address
    filters = _filters(request)
    method = lists.list_live if chosen_value(address, _MINE) else lists.list_offers
    sent = _request(address, filters)
    if (file := list_file(request, method, lambda answer: answer.offers, sent)) is not None:
        return file
    answer = calls.ask_as(lists.AffiliateOffersAnswer, method, sent)
    found = answer.offers
    meters = find_meters(calls, [each.id for each in found if each.caps], request.deps.currency)
    chips = set_filters(address, filters)
    return request.page(
        "portal/offers.html",
        rows=[offer_row(each, meters, request.deps.currency) for each in found],
        filters=[each for each in filters if each.choices],
        chips=chips,
        is_filtered=bool(chips or address.get("q").strip()),
        sorts=SORTS,
        **paged(answer.pagination),
        api_request_path=calls.address(method, sent),
    )


def connection_of(offer: AffiliateOfferView) -> OfferAccess:
    """Return whether an affiliate may send visitors to an offer, from its own view."""
    if offer.links:
        return CONNECTED
    return ON_REQUEST if offer.required_approval else CLOSED


def request_state(ticket: tickets.OwnTicketView) -> tuple[str, str]:
    """Return the class of the mark of a request and its word, from the affiliate's own view."""
    if ticket.type in _QUESTIONS and ticket.status == "closed":
        return _DONE
    return _DECISIONS.get(ticket.decision or "") or _UNDECIDED[ticket.status]


def _filters(request: PageRequest) -> tuple[FilterChoice, ...]:
    return (
        FilterChoice("category", gettext("Category"), choices.categories(request.calls)),
        FilterChoice("country", gettext("Country"), choices.country_names()),
        _MINE,
    )


def _request(address: PageAddress, filters: tuple[FilterChoice, ...]) -> list[Pair]:
    parameters = {"category": "categories[]", "country": "countries[]"}
    chosen = {each.name: chosen_value(address, each) for each in filters}
    sent = [(parameters[name], value) for name, value in chosen.items() if value and name in parameters]
    words = address.get("q").strip()[:200]
    sort = address.get("sort") if address.get("sort") in SORTS else ""
    order = (f"sort[{sort or 'id'}]", "asc" if sort == "title" else "desc")
    paging = [("limit", str(PER_PAGE)), ("page", str(address.page))]
    return [*([("q", words)] if words else []), *sent, order, *paging]


def offer_row(offer: AffiliateOfferView, meters: Mapping[int, Sequence[CapMeter]], currency: str) -> PortalOfferRow:
    """Return an offer as a row, with the cap of `meters` that is the fullest."""
    payments = offer.payments
    best = max(payments, key=lambda payment: payment.revenue, default=None)
    return PortalOfferRow(
        id=offer.id,
        title=offer.title,
        categories=", ".join(offer.categories),
        countries=_countries(offer.countries),
        payout=payout(best) if best else "",
        more=max(len(payments) - 1, 0),
        epc=shown.rate(offer.epc, currency) if offer.epc else "",
        cr=shown.percent(offer.cr / 100) if offer.cr else "",
        cap=fullest(meters.get(offer.id, ())),
        connection=connection_of(offer),
    )


def _countries(codes: Sequence[str]) -> str:
    more = len(codes) - _COUNTRIES
    return ", ".join(codes[:_COUNTRIES]) + (f" +{more}" if more > 0 else "")


@pages.get(REQUESTS, audience="affiliate", needs=(tickets.list_own,))
def requests(request: PageRequest) -> PageAnswer:
    """Show the requests for offers and the questions, the newest first."""
    if (file := list_file(request, tickets.list_own, lambda answer: answer.tickets, ())) is not None:
        return file
    paging = [("limit", str(REQUESTS_PER_PAGE)), ("page", str(request.address.page))]
    answer = request.calls.ask(tickets.list_own, paging)
    return request.page(
        "portal/requests.html",
        rows=[(each, *request_state(each)) for each in answer.tickets],
        questions=_QUESTIONS,
        may_ask=request.calls.may(tickets.ask),
        **paged(answer.pagination),
        api_request_path=request.calls.address(tickets.list_own),
    )


@pages.get(f"{REQUESTS}/ask", audience="affiliate", needs=(tickets.ask,))
@pages.post(f"{REQUESTS}/ask", audience="affiliate", needs=(tickets.ask,))
def ask_question(request: PageRequest) -> PageAnswer:
    """Ask the network a question."""
    form = open_form(request, _QUESTION, {"type": "common", "title": "", "text": ""}, is_new=True)
    if form.save() is not None:
        return Redirect(REQUESTS, gettext("Your question is sent. You get a mail with each answer."))
    line = gettext("A person of the network answers. You see the answer here and get it by mail.")
    return form.page(request, gettext("Ask a question"), back=REQUESTS, line=line, save=gettext("Send the question"))
