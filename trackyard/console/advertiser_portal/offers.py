"""The offers of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.people.advertiser_side import own_offers
from trackyard.base.texts.languages import ENGLISH, spoken
from trackyard.console.advertiser_portal.addresses import (
    charge_conditions,
    charge_text,
    click_parameter,
    goal_addresses,
    goal_name,
    has_code,
)
from trackyard.console.advertiser_portal.lists import OFFERS
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.words import STATUSES
from trackyard.console.portal.lists import paged

pages = Pages()

OFFER: Final = own_offers.show
PER_PAGE: Final = 30


@dataclass(frozen=True, slots=True)
class OwnOfferRow:
    """An offer of the list. charges: of its goals."""

    id: int
    title: str
    status: str
    goals: tuple[str, ...]
    charges: tuple[str, ...]
    countries: str


@dataclass(frozen=True, slots=True)
class ChargeRow:
    """What the advertiser pays for a goal. only: the conditions."""

    goal: str
    only: str
    charge: str


@pages.get("/advertiser/offers", audience="advertiser", needs=(OFFERS,))
def offers(request: PageRequest) -> PageAnswer:
    """Show the own offers that meet a search, a page at a time."""
    words = request.address.get("q").strip()[:200]
    sent: list[Pair] = [("search", words)] if words else []
    paging = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    answer = request.calls.ask(OFFERS, [*sent, *paging])
    return request.page(
        "advertiser/offers.html",
        rows=[_row(each) for each in answer.offers],
        statuses=STATUSES,
        words=words,
        **paged(answer.pagination),
        api_request_path=request.calls.address(OFFERS, sent),
    )


@pages.get("/advertiser/offers/{id}", audience="advertiser", needs=(OFFER,))
def offer_page(request: PageRequest) -> PageAnswer:
    """Show an own offer: what it costs, its pages, the address of its postbacks, and how to test it."""
    offer = request.calls.ask(OFFER, path=request.path).offer
    return request.page(
        "advertiser/offer.html",
        offer=offer,
        statuses=STATUSES,
        charges=[ChargeRow(goal_name(each), charge_conditions(each), charge_text(each)) for each in offer.payouts],
        description=_spoken(offer.description),
        kpi=_spoken(offer.kpi),
        has_code=has_code(offer.postback_url),
        goals=goal_addresses(offer),
        click_parameter=click_parameter(offer.tracking_url),
        api_request_path=request.calls.address(OFFER, path={"id": str(offer.id)}),
    )


def _row(offer: own_offers.OwnOfferView) -> OwnOfferRow:
    payouts = offer.payouts
    return OwnOfferRow(
        id=offer.id,
        title=offer.title,
        status=offer.status,
        goals=tuple(dict.fromkeys(goal_name(each) for each in payouts)),
        charges=tuple(dict.fromkeys(charge_text(each) for each in payouts)),
        countries=", ".join(dict.fromkeys(code for group in offer.targetings for code in group.country)),
    )


def _spoken(texts: Mapping[str, str]) -> str:
    """Return a text in the language of the page, in English, or in any."""
    return texts.get(spoken().code) or texts.get(ENGLISH) or next(iter(texts.values()), "")
