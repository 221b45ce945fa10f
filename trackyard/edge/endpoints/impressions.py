"""Views: impressions of an offer's creatives, counted by an image (docs/spec/tracking.md#impressions)."""

from trackyard.decision.click.state import NOTHING_SEEN
from trackyard.decision.click.steps import Refused, decide
from trackyard.decision.routes import Rules
from trackyard.decision.target.queries import read_pairs
from trackyard.decision.target.url import impressions_url
from trackyard.edge.endpoints.clicks import click_record
from trackyard.edge.endpoints.hits import Hits
from trackyard.edge.endpoints.pages import GIF, GIF_TYPE
from trackyard.edge.endpoints.redirects import PLAIN, redirect
from trackyard.edge.http.answers import NO_STORE
from trackyard.edge.http.request import Request, Response
from trackyard.edge.recorder import Recorder
from trackyard.journal.records import Flag, Kind

_NAMES = {"aid": "pid", "oid": "offer_id"}
"""What `/imp` calls the parameters of a click."""
_NOT_COUNTED = Refused("no-impressions")


class Views:
    """Answers `/imp`."""

    __slots__ = ("_hits", "_recorder")

    def __init__(self, hits: Hits, recorder: Recorder) -> None:
        self._hits = hits
        self._recorder = recorder

    def view(self, request: Request, rules: Rules) -> Response:
        """An image of one point, or the way to the advertiser's own. HEAD is answered alike and leaves no trace.

        A view is decided like a click, but for what counts clicks: who was seen before, and caps of clicks.
        """
        params, cut = read_pairs(request.query)
        for own, name in _NAMES.items():
            if own in params:
                params[name] = params[own]
        hit = self._hits.make(rules, request, params)
        hit.seen = NOTHING_SEEN
        refused = decide(hit)
        if refused is None and hit.offer is not None and not hit.offer.allow_impressions:
            refused = _NOT_COUNTED
        recorded = request.method == "GET"
        if recorded:
            self._recorder.put(Kind.VIEW, click_record(hit, refused, False, Flag.PARAMETER_CUT if cut else 0))
        if refused is None and hit.offer is not None and hit.offer.impressions_url:
            return redirect(impressions_url(hit, hit.offer), PLAIN, b"", recorded=recorded)
        return Response(200, GIF, GIF_TYPE, headers=NO_STORE, recorded=recorded)
