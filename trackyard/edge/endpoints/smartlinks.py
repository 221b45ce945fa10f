"""Clicks on a SmartLink (docs/spec/tracking.md#smartlinks)."""

from collections.abc import Sequence

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.smartlinks import find_offers, in_order, would_refuse
from trackyard.decision.click.steps import Refused
from trackyard.decision.routes import Rules
from trackyard.decision.target.queries import read_pairs
from trackyard.domain.tracking.ruleset import Offer
from trackyard.edge.endpoints.clicks import BOT, Clicks
from trackyard.edge.endpoints.hits import Hits, own_cookie
from trackyard.edge.http.request import Request, Response


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
        offers = find_offers(hit)
        refused = offers if isinstance(offers, Refused) else self._decide(request, hit, offers)
        return self._clicks.send(request, hit, refused, cut=cut)

    def _decide(self, request: Request, hit: Hit, offers: Sequence[Offer]) -> Refused | None:
        """Aims the click at the first offer, in an order of chance, that takes it; else at the best, which does not.
        One that another click filled meanwhile is passed over."""

        def aim(hit: Hit, offer: Offer) -> None:
            hit.aim(offer)
            hit.cookie = own_cookie(request, hit)

        for offer in in_order(offers, hit.click_id):
            if would_refuse(hit, offer, aim, self._clicks.look) is None:
                refused = self._clicks.ask(request, hit)
                if refused is None or refused.reason == BOT:
                    return refused
        aim(hit, offers[0])
        return self._clicks.ask(request, hit)
