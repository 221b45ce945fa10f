"""What pages of advertisers have in common."""

from typing import Final

from trackyard.api.people.advertiser_side import own_offers as own_offers_api
from trackyard.console.frame.periods import DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices

OFFERS: Final = own_offers_api.list_
_MOST_OFFERS: Final = 300
"""Offers of a select; the page of an offer leads to its figures in any case."""


def own_offers(request: PageRequest) -> Choices:
    """Return the advertiser's offers, and the offer that the address selects."""
    found = request.calls.ask(OFFERS, [("limit", str(_MOST_OFFERS))]).offers
    choices = {str(each.id): each.title for each in found}
    chosen = request.address.get("offer")
    if chosen.isascii() and chosen.isdecimal() and len(chosen) < 10:
        choices.setdefault(chosen, f"#{chosen}")
    return tuple(choices.items())


def chosen_period(request: PageRequest) -> tuple[DayPeriod, str]:
    """Return the period of the address in the zone of days, and what is wrong with it."""
    return read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
