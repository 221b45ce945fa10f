"""Clicks on a SmartLink (docs/spec/tracking.md#smartlinks)."""

from collections.abc import Sequence

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.click.smartlinks import find_offers, ordered_offers
from trackyard.decision.click.steps import BOT, UNKNOWN_OFFER, Decision
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import read_query_params
from trackyard.domain.tracking.rejections import Rejection
from trackyard.edge.endpoints.clicks import ClickHandler
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.http.request import Request, Response


class SmartLinkHandler:
    """Answers `/sl`."""

    def __init__(self, hits: HitFactory, clicks: ClickHandler) -> None:
        self._hits = hits
        self._clicks = clicks

    def follow(self, request: Request, ruleset: Ruleset) -> Response:
        """Answer a click of the chosen offer; when no offer takes it, the best one rejects it."""
        params, cut = read_query_params(request.query)
        params.pop("offer_id", None)
        key = params.get("id", "")
        offers = find_offers(ruleset, key)
        smart_id = "" if ruleset.find_smartlink(key) is None else key
        hit = self._hits.make(ruleset, request, params, smart_id=smart_id)
        if isinstance(offers, Rejection):
            route, decision = UNKNOWN_OFFER, Decision(offers, False)
        else:
            route, decision = self._decide(request, hit, offers)
        return self._clicks.respond(request, ruleset, hit, route, decision, cut=cut)

    def _decide(self, request: Request, hit: Hit, offers: Sequence[OfferRoute]) -> tuple[OfferRoute, Decision]:
        """Choose the first offer, in the order of `ordered_offers`, that takes the click; else the best.

        An offer that another click filled meanwhile is passed over.
        """
        for route in ordered_offers(offers, hit.click_id):
            if self._clicks.passes_as_visitor(hit, route):
                decision = self._clicks.decide_click(request, hit, route)
                if decision.rejection is None or decision.rejection.reason == BOT:
                    return route, decision
        return offers[0], self._clicks.decide_click(request, hit, offers[0])
