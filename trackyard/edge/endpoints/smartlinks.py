"""Clicks on a SmartLink (docs/spec/tracking.md#smartlinks)."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.click.smartlinks import find_offers, ordered_offers
from trackyard.decision.click.state import ClickState
from trackyard.decision.click.steps import BOT, UNKNOWN_OFFER, Decision, decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import read_query_params
from trackyard.domain.tracking.near_misses import forgive_link
from trackyard.domain.tracking.rejections import Rejection
from trackyard.edge.endpoints.clicks import ClickHandler
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.http.request import HeldResponse, Request, Response

_FOUND: Final = 302


class SmartLinkHandler:
    """Answers `/sl`."""

    def __init__(self, hits: HitFactory, clicks: ClickHandler) -> None:
        self._hits = hits
        self._clicks = clicks

    def follow(self, request: Request, ruleset: Ruleset) -> Response:
        """Answer a click of the chosen offer; when no offer takes it, the best one rejects it."""
        params, cut, forgiven = read_query_params(request.query)
        forgiven |= forgive_link(params)
        params.pop("offer_id", None)
        key = params.get("id", "")
        offers = find_offers(ruleset, key)
        smart_id = "" if ruleset.find_smartlink(key) is None else key
        hit = self._hits.make(ruleset, request, params, smart_id=smart_id, forgiven=forgiven)
        if isinstance(offers, Rejection):
            decision = Decision(offers, False)
            return self._clicks.respond(request, ruleset, hit, UNKNOWN_OFFER, decision, cut=cut)
        return _Choice(self._clicks, request, ruleset, hit, offers, cut=cut).answer()


class _Choice:
    """The choice of the first offer, in the order of `ordered_offers`, that takes a click; else the best.

    An offer that another click filled meanwhile is passed over. The choice waits for Redis at each offer on which the
    edges of several machines must agree.
    """

    def __init__(
        self,
        clicks: ClickHandler,
        request: Request,
        ruleset: Ruleset,
        hit: Hit,
        offers: Sequence[OfferRoute],
        *,
        cut: bool,
    ) -> None:
        self._clicks = clicks
        self._request = request
        self._ruleset = ruleset
        self._hit = hit
        self._best = offers[0]
        self._left = iter(ordered_offers(offers, hit.click_id))
        self._cut = cut
        self._held = HeldResponse(_FOUND)

    def answer(self) -> Response:
        """Return the answer of the first offer that takes the click; it comes later when Redis is asked."""
        for route in self._left:
            if not self._clicks.passes_as_visitor(self._hit, route):
                continue
            if self._clicks.ask_shared(self._request, self._hit, route, self._held, partial(self._go_on, route)):
                return self._held
            decision = self._clicks.decide_alone(self._request, self._hit, route)
            if _takes(decision):
                return self._respond(route, decision)
        return self._respond(self._best, self._clicks.decide_alone(self._request, self._hit, self._best))

    def _go_on(self, route: OfferRoute, state: ClickState) -> Response:
        """Return the answer of the offer that Redis decided, or of the next ones."""
        decision = decide(self._hit, route, state)
        return self._respond(route, decision) if _takes(decision) else self.answer()

    def _respond(self, route: OfferRoute, decision: Decision) -> Response:
        return self._clicks.respond(self._request, self._ruleset, self._hit, route, decision, cut=self._cut)


def _takes(decision: Decision) -> bool:
    """Return whether an offer takes a click. A bot goes where a visitor would go."""
    return decision.rejection is None or decision.rejection.reason == BOT
