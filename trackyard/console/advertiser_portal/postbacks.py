"""The addresses of all offers of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from dataclasses import dataclass
from typing import Final

from trackyard.api.people.advertiser_side import account
from trackyard.console.advertiser_portal.addresses import GoalAddresses, goal_addresses, has_code
from trackyard.console.advertiser_portal.lists import OFFERS
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.lists import paged

pages = Pages()

PER_PAGE: Final = 20


@dataclass(frozen=True, slots=True)
class OfferAddresses:
    """The addresses of the goals of an offer."""

    id: int
    title: str
    goals: list[GoalAddresses]


@pages.get("/advertiser/postbacks", audience="advertiser", needs=(account.show, OFFERS))
def postbacks(request: PageRequest) -> PageAnswer:
    """Show the addresses of postbacks and pixels, ready to copy."""
    calls = request.calls
    own = calls.ask(account.show).advertiser
    sent = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    answer = calls.ask(OFFERS, sent)
    return request.page(
        "advertiser/postbacks.html",
        own=own,
        has_code=has_code(own.postback_url),
        rows=[OfferAddresses(each.id, each.title, goal_addresses(each)) for each in answer.offers],
        **paged(answer.pagination),
        api_request_path=calls.address(account.show),
    )
