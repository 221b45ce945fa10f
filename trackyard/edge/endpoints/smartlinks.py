"""Clicks on a SmartLink (docs/spec/tracking.md#smartlinks)."""

from collections.abc import Sequence

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.smartlinks import find_offer_rejection, find_offers, ordered_offers
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import read_query_params
from trackyard.domain.tracking.rejections import Rejection
from trackyard.domain.tracking.ruleset import RulesetOffer
from trackyard.edge.endpoints.clicks import BOT, ClickHandler
from trackyard.edge.endpoints.hits import HitFactory, unique_cookie_of
from trackyard.edge.http.request import Request, Response


class SmartLinkHandler:
    """Answers `/sl`."""

    __slots__ = ("_clicks", "_hits")

    def __init__(self, hits: HitFactory, clicks: ClickHandler) -> None:
        self._hits = hits
        self._clicks = clicks

    def follow(self, request: Request, ruleset: Ruleset) -> Response:
        """A click of the chosen offer. When no offer takes it, it is refused as one of the best."""
        params, cut = read_query_params(request.query)
        params.pop("offer_id", None)
        hit = self._hits.make(ruleset, request, params)
        offers = find_offers(hit)
        rejection = offers if isinstance(offers, Rejection) else self._decide(request, hit, offers)
        return self._clicks.respond(request, hit, rejection, cut=cut)

    def _decide(self, request: Request, hit: Hit, offers: Sequence[RulesetOffer]) -> Rejection | None:
        """Aims the click at the first offer, in an order of chance, that takes it; else at the best, which does not.
        One that another click filled meanwhile is passed over."""

        def retarget(hit: Hit, offer: RulesetOffer) -> None:
            hit.retarget(offer)
            hit.cookie = unique_cookie_of(request, hit)

        for offer in ordered_offers(offers, hit.click_id):
            if find_offer_rejection(hit, offer, retarget, self._clicks.dry_run) is None:
                rejection = self._clicks.decide_click(request, hit)
                if rejection is None or rejection.reason == BOT:
                    return rejection
        retarget(hit, offers[0])
        return self._clicks.decide_click(request, hit)
