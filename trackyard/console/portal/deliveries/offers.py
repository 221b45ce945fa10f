"""The offers that an affiliate may choose for a postback or a pixel."""

from typing import Final

from trackyard.api.offers import lists
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices

_OFFERS: Final = 200


def own_offers(request: PageRequest) -> Choices:
    """Return the offers that the affiliate may send visitors to, by title."""
    if not request.calls.may(lists.list_live):
        return ()
    answer = request.calls.ask(lists.list_live, [("limit", str(_OFFERS)), ("sort[title]", "asc")])
    return tuple((str(each.id), each.title) for each in answer.offers)
