"""The tracking addresses: a function from a request to an answer, without a server.

See docs/spec/tracking.md#paths.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from trackyard.base.clock import Clock
from trackyard.base.error_codes import ErrorCode
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.platform.own_requests import INSTALLATION_PATH
from trackyard.domain.tracking.forgiven import PATH
from trackyard.domain.tracking.links import Link, unpack
from trackyard.domain.tracking.near_misses import plain_target
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.clicks import ClickHandler
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.endpoints.impressions import ImpressionHandler
from trackyard.edge.endpoints.known_clicks import KnownClicks
from trackyard.edge.endpoints.pixels import FindClick, PixelHandler
from trackyard.edge.endpoints.postback_params import unpacked
from trackyard.edge.endpoints.postbacks import PostbackHandler
from trackyard.edge.endpoints.redirects import preflight
from trackyard.edge.endpoints.smartlinks import SmartLinkHandler
from trackyard.edge.http.answers import (
    ACCEPTED_BODY,
    BODY_TOO_LARGE,
    JOURNAL_UNWRITABLE,
    NO_STORE,
    NOT_READY,
    error_response,
)
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.installation import installation_page
from trackyard.edge.http.page_headers import PageHeaders
from trackyard.edge.http.request import MAX_URL, Request, Response
from trackyard.edge.page_limits import PageLimits
from trackyard.edge.record_limits import RecordLimits
from trackyard.edge.recorder import Journal, Recorder
from trackyard.edge.state.click_state import EdgeState, StateUnwritable

_FOUND: Final = 302
_READY: Final = Response(200, ACCEPTED_BODY, headers=NO_STORE)
_UNREADY: Final = Response(503, b'{"status":2}', headers=NO_STORE)
"""The monitoring listener has the reasons."""
_METRICS_MOVED: Final = error_response(
    404, ErrorCode.NOT_FOUND, "Metrics are on the monitoring listener: see TRACKYARD_MONITORING_LISTEN"
)
_NOT_FOUND: Final = error_response(404, ErrorCode.NOT_FOUND, "Page Not Found")
_ROBOTS: Final = b"User-agent: *\nDisallow: /\n"
_GET: Final = ("GET", "HEAD")
_GET_OR_POST: Final = ("GET", "HEAD", "POST")
"""Methods of addresses that scripts of other sites ask with parameters in the body."""


@dataclass(frozen=True)
class _Route:
    """The function that answers a path: `decide` gets the ruleset, `answer` needs none.

    is_page: the path tracks nothing, and its requests are limited.
    """

    methods: tuple[str, ...]
    answer: Callable[[Request], Response] | None = None
    decide: Callable[[Request, Ruleset], Response] | None = None
    is_page: bool = False


class EdgeHandler:
    """Decides, records and answers.

    number: the edge's number
    forward_key: signs the caller's address in forwarded requests (domain/tracking/forwarding.py); b"" = none is trusted
    find_click: looks up a recorded click (edge/endpoints/click_lookups.py); None = look-ups are off
    limits: limits on recorded requests of strangers; None = the default limits
    page_limits: limits on requests that track nothing; None = no limits
    known_clicks: checks which clicks exist; None = every well-formed id may be a click's
    senders: networks of servers that may report clicks for visitors; None = none
    hsts_seconds: see PageHeaders
    ruleset: None until a ruleset was read
    """

    def __init__(
        self,
        *,
        number: int,
        clock: Clock,
        journal: Journal,
        visitors: VisitorLookup,
        state: EdgeState,
        trusted: TrustedNetworks,
        counters: Counters,
        forward_key: bytes = b"",
        find_click: FindClick | None = None,
        limits: RecordLimits | None = None,
        page_limits: PageLimits | None = None,
        known_clicks: KnownClicks | None = None,
        senders: TrustedNetworks | None = None,
        hsts_seconds: int = 0,
    ) -> None:
        self.ruleset: Ruleset | None = None
        self._counters = counters
        self._page_limits = page_limits
        limits = RecordLimits(trusted, counters) if limits is None else limits
        self._recorder = Recorder(journal, state)
        self.commit = self._recorder.commit
        """Writes the records of the clicks decided since the last call.

        False = they could not be written: the answer of each is JOURNAL_UNWRITABLE, and none counts.
        """
        hits, pages = HitFactory(number, clock, visitors, trusted, senders), PageHeaders(hsts_seconds)
        clicks = ClickHandler(hits, state, self._recorder, counters, limits, pages)
        inbound = PostbackHandler(
            clock, trusted, self._recorder, counters, forward_key, limits=limits, known_clicks=known_clicks
        )
        pixels = PixelHandler(inbound, pages, find_click)
        self._routes: dict[str, _Route] = {
            "/click": _Route(_GET_OR_POST, decide=clicks.click),
            "/sl": _Route(_GET, decide=SmartLinkHandler(hits, clicks).follow),
            "/imp": _Route(_GET, decide=ImpressionHandler(hits, state.read_only, self._recorder, limits).impression),
            "/postback": _Route(("GET", "POST"), inbound.unless_own(inbound.postback)),
            "/success.jpg": _Route(
                _GET_OR_POST, inbound.unless_own(lambda request: pixels.image(request, self.ruleset))
            ),
            "/success.php": _Route(
                _GET_OR_POST, inbound.unless_own(lambda request: pixels.page(request, self.ruleset))
            ),
            "/track.js": _Route(_GET_OR_POST, inbound.unless_own(lambda request: pixels.script(request, self.ruleset))),
            **_page_routes(self._readyz),
            INSTALLATION_PATH: _Route(_GET, installation_page(forward_key), is_page=True),
        }

    @property
    def journal_fault(self) -> str:
        """The reason why the journal takes no records; "" while it does."""
        return self._recorder.fault

    @journal_fault.setter
    def journal_fault(self, fault: str) -> None:
        self._recorder.fault = fault

    def handle(self, request: Request) -> Response:
        """Return the answer to a request; a `recorded` one is sent only after `commit` returned."""
        path = request.path
        found = self._routes.get(path)
        if found is None:
            path = path.rstrip("/")
            found = self._routes.get(path)
        if found is None:
            path, found, request = self._find_link(path, request)
        if request.method == "OPTIONS":
            path, response = path if found else "other", preflight(request, found.methods if found else ())
        elif found is None or found.is_page:
            path = "other" if found is None else path
            response = self._answer_page(request, found)
        elif request.method not in found.methods:
            response = _method_not_allowed(found)
        elif len(path) + len(request.query) >= MAX_URL:
            response = error_response(414, ErrorCode.URI_TOO_LONG, "The URL is over the limit of 8 KB")
        else:
            response = self._answer(found, request)
        if path == "/click" and response.status == _FOUND:
            self._counters.redirected += 1
        else:
            self._counters.requests[path, response.status] += 1
        return response

    def _find_link(self, path: str, request: Request) -> tuple[str, _Route | None, Request]:
        """Return the route of an unknown path: a short link, or a near miss of a known path or a link.

        The result has the path for the metrics, the route (None = the path is unknown), and the request that is meant.
        """
        clicks = self._routes["/click"]
        if (link := unpack(path[1:])) is not None:
            return "/{hash}", clicks, _as_click(request, link)
        plain = plain_target(request.path, request.query)
        if plain is None:
            return path, None, request
        near, query = plain
        found = self._routes.get(near) or self._routes.get(near.lower())
        if found is not None and not found.is_page:
            near = near if near in self._routes else near.lower()
            return near, found, request.with_target(near, query, PATH)
        if (link := unpack(near[1:])) is not None:
            return "/{hash}", clicks, _as_click(request.with_target(near, query, PATH), link)
        return path, None, request

    def _answer(self, route: _Route, request: Request) -> Response:
        """Return the answer to a request that tracks something."""
        if request.body:
            opened = unpacked(request)
            if opened is None:
                return BODY_TOO_LARGE
            request = opened
        if route.decide is not None:
            return NOT_READY if self.ruleset is None else self._decide(route.decide, request, self.ruleset)
        if route.answer is not None:
            return route.answer(request)
        raise TypeError(f"{request.path} has no function that answers it")

    def _answer_page(self, request: Request, page: _Route | None) -> Response:
        """Return the answer to a request that tracks nothing. page: None = its path is unknown."""
        if page is None or page.answer is None:
            response = _NOT_FOUND
        elif request.method not in page.methods:
            response = _method_not_allowed(page)
        else:
            response = page.answer(request)
        return response if self._page_limits is None else self._page_limits.limit(request, response)

    def _decide(self, decide: Callable[[Request, Ruleset], Response], request: Request, ruleset: Ruleset) -> Response:
        try:
            return decide(request, ruleset)
        except StateUnwritable as fault:
            self.journal_fault = str(fault)
            return JOURNAL_UNWRITABLE

    def _readyz(self, request: Request) -> Response:
        return _UNREADY if self.ruleset is None or self.journal_fault else _READY


def _page_routes(readyz: Callable[[Request], Response]) -> dict[str, _Route]:
    return {
        "/healthz": _Route(_GET, _healthz, is_page=True),
        "/readyz": _Route(_GET, readyz, is_page=True),
        "/metrics": _Route(_GET, _metrics, is_page=True),
        "/favicon.ico": _Route(_GET, _favicon, is_page=True),
        "/robots.txt": _Route(_GET, _robots, is_page=True),
    }


def _method_not_allowed(route: _Route) -> Response:
    allow = f"Allow: {', '.join(route.methods)}\r\n".encode()
    return error_response(405, ErrorCode.METHOD_NOT_ALLOWED, "Method Not Allowed", allow)


def _as_click(request: Request, link: Link) -> Request:
    """Return the click of a short link; the parameters of the link override the parameters of the query."""
    own = link.query.encode("ascii")
    query = request.query + b"&" + own if request.query else own
    return request.with_target("/click", query)


def _metrics(request: Request) -> Response:
    return _METRICS_MOVED


def _healthz(request: Request) -> Response:
    return _READY


def _favicon(request: Request) -> Response:
    return Response(204, b"", b"", headers=b"Cache-Control: max-age=86400\r\n")


def _robots(request: Request) -> Response:
    return Response(200, _ROBOTS, b"text/plain; charset=utf-8")
