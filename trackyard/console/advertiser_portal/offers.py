"""The page of an offer of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.people.advertiser_side import own_offers
from trackyard.base.texts.languages import ENGLISH, spoken
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.addresses import (
    charge_conditions,
    charge_text,
    click_parameter,
    goal_addresses,
    goal_name,
    has_code,
)
from trackyard.console.people.threads import threads_card
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.people.threads import ThreadSubject

pages = Pages()

OFFER: Final = own_offers.show


@dataclass(frozen=True, slots=True)
class ChargeRow:
    """What the advertiser pays for a goal. only: the conditions."""

    goal: str
    only: str
    charge: str


@pages.get("/advertiser/offers/{id}", audience="advertiser", needs=(OFFER,))
def offer_page(request: PageRequest) -> PageAnswer:
    """Show an own offer: what it costs, its pages, the address of its postbacks, and how to test it."""
    offer = request.calls.ask(OFFER, path=request.path).offer
    return request.page(
        "advertiser/offer.html",
        offer=offer,
        rule=OfferStatus(offer.status).rule,
        charges=[ChargeRow(goal_name(each), charge_conditions(each), charge_text(each)) for each in offer.payouts],
        description=_spoken(offer.description),
        kpi=_spoken(offer.kpi),
        has_code=has_code(offer.postback_url),
        goals=goal_addresses(offer),
        written=threads_card(request, ThreadSubject.OFFER, offer.id),
        click_parameter=click_parameter(offer.tracking_url),
        api_request_path=request.calls.address(OFFER, path={"id": str(offer.id)}),
    )


def _spoken(texts: Mapping[str, str]) -> str:
    """Return a text in the language of the page, in English, or in any."""
    return texts.get(spoken().code) or texts.get(ENGLISH) or next(iter(texts.values()), "")
