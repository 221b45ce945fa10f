"""Impressions of creatives, counted by an image (docs/spec/tracking.md#impressions)."""

from trackyard.decision.click.state import EMPTY_CLICK_STATE, CapsOnlyClickState, ReadOnlyClickState
from trackyard.decision.click.steps import decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import read_query_params
from trackyard.decision.target.url import impression_url
from trackyard.domain.tracking.near_misses import forgive_link
from trackyard.domain.tracking.rejections import Rejection
from trackyard.edge.endpoints.clicks import click_record
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.endpoints.pages import GIF, GIF_TYPE
from trackyard.edge.endpoints.redirects import HTTP_302, redirect
from trackyard.edge.http.answers import NO_STORE
from trackyard.edge.http.request import Request, Response
from trackyard.edge.record_limits import RecordLimits
from trackyard.edge.recorder import Recorder
from trackyard.journal.records import ClickFlag, RecordKind

_PARAMETER_NAMES = {"aid": "pid", "oid": "offer_id"}
"""Names of `/imp` for parameters of a click."""
_IMPRESSIONS_NOT_ALLOWED = Rejection("no-impressions")


class ImpressionHandler:
    """Answers `/imp`."""

    def __init__(self, hits: HitFactory, state: ReadOnlyClickState, recorder: Recorder, limits: RecordLimits) -> None:
        self._caps = CapsOnlyClickState(state)
        self._limits = limits
        self._hits = hits
        self._recorder = recorder

    def impression(self, request: Request, ruleset: Ruleset) -> Response:
        """Return an image of one point, or a redirect to the advertiser's image.

        An impression is decided like a click, without unique visitors, and without click caps unless the offer applies
        them to impressions too. HEAD gets the same answer and is not recorded.
        """
        params, cut, forgiven = read_query_params(request.query)
        forgiven |= forgive_link(params)
        for own, name in _PARAMETER_NAMES.items():
            if own in params:
                params[name] = params[own]
        hit = self._hits.make(ruleset, request, params, forgiven=forgiven)
        route = ruleset.route_of(params)
        state = self._caps if route.offer.impression_overcap else EMPTY_CLICK_STATE
        rejection = decide(hit, route, state).rejection
        if rejection is None and not route.offer.allow_impressions:
            rejection = _IMPRESSIONS_NOT_ALLOWED
        recorded = request.method == "GET"
        if recorded and (rejection is None or self._limits.admits_rejected(hit.ip, "impression")):
            flags = ClickFlag.PARAMETER_CUT if cut else 0
            self._recorder.put(RecordKind.IMPRESSION, click_record(hit, route, rejection, False, flags))
        target = "" if rejection is not None else impression_url(hit, route)
        if target:
            return redirect(target, HTTP_302, b"", recorded=recorded)
        return Response(200, GIF, GIF_TYPE, headers=NO_STORE, recorded=recorded)
