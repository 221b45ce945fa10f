"""SmartLinks: one address for many offers; each visitor gets one that would take its click (behaviour.md §4)."""

from collections.abc import Sequence
from random import Random
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.decide.hit import Hit
from trackyard.decide.queries import read_pairs
from trackyard.decide.rules import Rules
from trackyard.decide.steps import Refused
from trackyard.domain.rules import Offer
from trackyard.edge.clicks import BOT, Clicks
from trackyard.edge.hits import Hits, own_cookie
from trackyard.edge.request import Request, Response

_EVENLY: Final = 5
"""One click in so many goes to any of the offers, so that their EPC is known; the others go to the best."""
_DETAIL: Final = 64


class SmartLinks:
    """Answers `/sl`."""

    __slots__ = ("_clicks", "_hits")

    def __init__(self, hits: Hits, clicks: Clicks) -> None:
        self._hits = hits
        self._clicks = clicks

    def follow(self, request: Request, rules: Rules) -> Response:
        """A click of the chosen offer. When no offer takes it, it is refused as one of the best."""
        params, cut = read_pairs(request.query)
        params.pop("offer_id", None)
        hit = self._hits.make(rules, request, params)
        key = params.get("id", "")
        smartlink = rules.find_smartlink(key)
        if smartlink is None:
            reason = "unknown-offer" if is_hex24(key) else "invalid-offer"
            return self._clicks.send(request, hit, Refused(reason, key[:_DETAIL]), cut=cut)
        hit.smart_id = key
        offers = [offer for each in smartlink.offers if (offer := rules.find_offer(str(each.offer))) is not None]
        if not offers:
            return self._clicks.send(request, hit, Refused("unknown-offer", "a SmartLink without offers"), cut=cut)
        return self._clicks.send(request, hit, self._decide(request, hit, offers), cut=cut)

    def _decide(self, request: Request, hit: Hit, offers: Sequence[Offer]) -> Refused | None:
        """Aims the click at the first offer, in an order of chance, that takes it; else at the best, which does not."""
        is_bot = hit.bot
        for offer in _in_order(offers, hit.click_id):
            _aim(request, hit, offer)
            # A bot is sent where a visitor would go, so that it learns nothing.
            hit.bot = False
            if self._clicks.look(hit) is None:
                hit.bot = is_bot
                refused = self._clicks.ask(request, hit)
                if refused is None or refused.reason == BOT:
                    return refused
        hit.bot = is_bot
        _aim(request, hit, offers[0])
        return self._clicks.ask(request, hit)


def _in_order(offers: Sequence[Offer], click_id: str) -> Sequence[Offer]:
    """The offers, of which the first that takes the click gets it. They come with the best EPC first."""
    chance = int(click_id[10:], 16)
    if chance % _EVENLY:
        return offers
    return Random(chance).sample(offers, len(offers))


def _aim(request: Request, hit: Hit, offer: Offer) -> None:
    hit.aim(offer)
    hit.cookie = own_cookie(request, hit)
