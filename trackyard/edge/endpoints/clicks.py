"""Clicks: the decision, the record and the answer (docs/spec/tracking.md)."""

import logging
from collections.abc import Callable
from typing import Final

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.click.state import ClickState
from trackyard.decision.click.steps import BOT, UNKNOWN_OFFER, Decision, decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.deep_links import is_ignored
from trackyard.decision.target.json_text import quoted
from trackyard.decision.target.queries import find_plain_params, read_query_params
from trackyard.decision.target.url import accepted_url, rejected_click_url
from trackyard.decision.visitor.client_hints import ACCEPT_CH, needs_accept_ch
from trackyard.domain.statistics.click_columns import Source, columns_from
from trackyard.domain.tracking.near_misses import LINK_NAMES, forgive_link, merge
from trackyard.domain.tracking.rejections import NOT_COUNTED, Rejection
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.endpoints.postback_params import read_body_params
from trackyard.edge.endpoints.redirects import HTTP_302, json_redirect, not_available, redirect
from trackyard.edge.http.answers import JOURNAL_UNWRITABLE, SERVER_ERROR
from trackyard.edge.http.cookies import click_cookies
from trackyard.edge.http.page_headers import PageHeaders
from trackyard.edge.http.request import HeldResponse, Request, Response
from trackyard.edge.record_limits import RecordLimits
from trackyard.edge.recorder import Recorder
from trackyard.edge.state.click_state import EdgeState, StateUnwritable
from trackyard.edge.state.shared import SharedEdgeState, needs_shared_state
from trackyard.journal.records import ClickFlag, RecordKind

MAX_UNKNOWN_VALUE: Final = 64
"""Characters of a parameter, and of the referrer, that are recorded of a click on an unknown offer."""
_FOUND: Final = 302
_CLICK: Final = RecordKind.CLICK  # a look-up in the enumeration takes as long as the look-up of an offer

_log = logging.getLogger("trackyard.edge")


class ClickHandler:
    """Answers `/click` and short links."""

    def __init__(
        self,
        hits: HitFactory,
        state: EdgeState,
        recorder: Recorder,
        counters: Counters,
        limits: RecordLimits,
        pages: PageHeaders,
    ) -> None:
        self._pages = pages
        self._shared: SharedEdgeState | None = state if isinstance(state, SharedEdgeState) else None
        self._hits = hits
        self._limits = limits
        self._state = state
        self._recorder = recorder
        self._counters = counters

    def click(self, request: Request, ruleset: Ruleset) -> Response:
        """Answer a click.

        HEAD gets the same answer and is not recorded. POST may have parameters in its body.
        """
        plain = find_plain_params(request.query)
        params, cut, forgiven = read_query_params(request.query) if plain is None else (plain, False, 0)
        if request.body:
            sent, body_forgiven = read_body_params(request, LINK_NAMES)
            forgiven |= body_forgiven | merge(params, sent)
            plain = None
        if plain is None:
            forgiven |= forgive_link(params)
        hit = self._hits.make(ruleset, request, params, plain=plain is not None, forgiven=forgiven)
        route = ruleset.route_of(params)
        if (hit.affiliate is None or not route.is_known) and (late := forgive_link(params)):
            hit = self._hits.make(ruleset, request, params, plain=plain is not None, forgiven=forgiven | late)
            route = ruleset.route_of(params)
        if self._shared is not None and needs_shared_state(route):
            return self._shared_click(request, ruleset, hit, route, cut)
        return self.respond(request, ruleset, hit, route, self.decide_click(request, hit, route), cut=cut)

    def decide_click(self, request: Request, hit: Hit, route: OfferRoute) -> Decision:
        """Decide a click; HEAD reserves nothing."""
        return decide(hit, route, self._state.read_only if request.method == "HEAD" else self._state)

    def ask_shared(
        self,
        request: Request,
        hit: Hit,
        route: OfferRoute,
        held: HeldResponse,
        answer: Callable[[ClickState], Response],
    ) -> bool:
        """Let Redis reserve a click of an offer on which the edges of all machines must agree.

        `held` is settled later with what `answer` returns for the state that Redis left, unless that is `held` again.
        False = it is not: the click is decided at once, by `decide_alone`.
        """
        shared = self._shared
        if shared is None or request.method == "HEAD" or not needs_shared_state(route):
            return False
        if decide(hit, route, shared.read_only).rejection is not None:
            return False  # this machine rejects it without Redis

        def settle(state: ClickState) -> None:
            try:
                response = answer(state)
            except StateUnwritable as fault:
                self._recorder.fault = str(fault)
                response = JOURNAL_UNWRITABLE
            except Exception:
                _log.exception("request failed", extra={"path": request.path})
                response = SERVER_ERROR
            if response is not held:
                held.settle(response)

        return shared.ask(hit, route, settle)

    def decide_alone(self, request: Request, hit: Hit, route: OfferRoute) -> Decision:
        """Decide a click without Redis."""
        shared = self._shared
        if shared is None or request.method == "HEAD" or not needs_shared_state(route):
            return self.decide_click(request, hit, route)
        return decide(hit, route, shared.alone)

    def _shared_click(self, request: Request, ruleset: Ruleset, hit: Hit, route: OfferRoute, cut: bool) -> Response:
        """Answer a click of an offer on which the edges of all machines agree, once Redis has decided."""

        def answer(state: ClickState) -> Response:
            return self.respond(request, ruleset, hit, route, decide(hit, route, state), cut=cut)

        held = HeldResponse(_FOUND)
        if self.ask_shared(request, hit, route, held, answer):
            return held
        return self.respond(request, ruleset, hit, route, self.decide_alone(request, hit, route), cut=cut)

    def passes_as_visitor(self, hit: Hit, route: OfferRoute) -> bool:
        """Return whether the click passes when it is not from a bot; this reserves nothing."""
        return decide(hit, route, self._state.read_only, as_visitor=True).rejection is None

    def respond(
        self, request: Request, ruleset: Ruleset, hit: Hit, route: OfferRoute, decision: Decision, *, cut: bool
    ) -> Response:
        """Record a decided click and answer it. `cut`: one of its parameters was cut."""
        rejection = decision.rejection
        passes = rejection is None or (rejection.reason == BOT and self.passes_as_visitor(hit, route))
        url = accepted_url(hit, route) if passes else rejected_click_url(hit, route)
        recorded = request.method != "HEAD"
        cookies = b""
        if recorded:
            if rejection is None or self._limits.admits_rejected(hit.ip):
                self._record(hit, route, decision, cut)
            if rejection is None:
                cookies = click_cookies(request, ruleset, hit, route, unique=decision.is_unique)
            if needs_accept_ch(request.headers):
                cookies += ACCEPT_CH
        if "format" in hit.params and hit.params["format"] == "json":
            return json_redirect(request, hit, url, cookies, recorded=recorded)
        if url is None:
            return not_available(self._pages.of(request), recorded=recorded)
        kind = route.redirect_type if passes else HTTP_302
        if kind is not HTTP_302:
            cookies += self._pages.of(request)
        return redirect(url, kind, cookies, recorded=recorded)

    def _record(self, hit: Hit, route: OfferRoute, decision: Decision, cut: bool) -> None:
        if route is UNKNOWN_OFFER and not hit.smart_id:
            hit, sent = _shortened(hit), hit
            cut = cut or hit.params != sent.params
        flags = ClickFlag.PARAMETER_CUT if cut else 0
        if ("redirect" in hit.params or "path" in hit.params) and is_ignored(hit, route.offer):
            flags |= ClickFlag.REDIRECT_IGNORED
        rejection = decision.rejection
        is_counted = decision.is_unique or not route.hosts_only
        self._recorder.put(_CLICK, click_record(hit, route, rejection, decision.is_unique, flags, counted=is_counted))
        self._state.set_recorded()
        if rejection is None:
            self._counters.accepted += 1
        else:
            self._counters.clicks[rejection.reason] += 1


def _shortened(hit: Hit) -> Hit:
    """Return the recorded part of a click without an offer: the beginnings of the sender's values."""
    return Hit(
        hit.platform,
        hit.affiliate,
        hit.time_ms,
        hit.click_id,
        {name: value[:MAX_UNKNOWN_VALUE] for name, value in hit.params.items()},
        hit.ip,
        hit.address,
        hit.geo,
        hit.parsed,
        hit.referrer[:MAX_UNKNOWN_VALUE],
        hit.language,
        hit.headers,
        bot=hit.bot,
        plain=hit.plain,
        origin=hit.origin,
        forgiven=hit.forgiven,
    )


_COLUMN_PARAMETERS: Final = columns_from(Source.PARAMETER)
_COLUMN_INDEX: Final = {name: place for place, name in enumerate(_COLUMN_PARAMETERS)}
_EMPTY_COLUMNS: Final = ['"",'] * len(_COLUMN_PARAMETERS)
_TRAILING_EMPTY_COLUMNS: Final = [
    '"",' * (len(_COLUMN_PARAMETERS) - before) for before in range(len(_COLUMN_PARAMETERS) + 1)
]
"""The columns behind the last column that is not empty, by its index."""
_ACCEPTED: Final = '"",""'
_ACCEPTED_NOT_COUNTED: Final = f'{quoted(NOT_COUNTED)},"the visitor was seen"'
"""The columns `reason` and `detail` of accepted clicks."""
_BEFORE_ORIGIN: Final = ",0,0,"
"""The columns between `prelanding` and `origin`: the version of the ruleset and the target."""
_BEFORE_FORGIVEN: Final = ",0,0,"
"""The columns between `origin` and `forgiven`: the cost, and whether it is a test."""


def click_record(
    hit: Hit, route: OfferRoute, rejection: Rejection | None, unique: bool, flags: int, *, counted: bool = True
) -> bytes:
    """Return the record of a decided click, byte for byte as journal.records.encode_click gives it.

    It is put together from parts that are encoded once for many clicks.

    counted: whether statistics count the click if it is accepted.
    """
    params = hit.params
    affiliate = hit.affiliate
    column_values = _EMPTY_COLUMNS.copy()
    last = 0
    for name, value in params.items():
        column = _COLUMN_INDEX.get(name)
        if column is not None:
            column_values[column] = f'"{value}",' if hit.plain else f"{quoted(value)},"
            last = max(last, column + 1)
    del column_values[last:]
    landing, prelanding = "0", ""
    if "l" in params:
        page = route.find_landing(hit)
        if page is not None and page.transit:
            prelanding = f",{page.id}"
        elif page is not None:
            landing = str(page.id)
    if rejection is not None:
        reason = f"{quoted(rejection.reason)},{quoted(rejection.detail)}"
    else:
        reason = _ACCEPTED if counted else _ACCEPTED_NOT_COUNTED
    pid = "0" if affiliate is None else affiliate.number
    smart = quoted(hit.smart_id) if hit.smart_id else '""'
    prefix = f'[{hit.time_ms},"{hit.click_id}",{reason},{route.number},{pid},{route.columns},{landing},{smart},'
    visitor = f'{"1" if unique else "0"},"{hit.ip}",{hit.geo.columns},{hit.parsed.columns}'
    if hit.origin:
        prelanding = f"{prelanding or ',0'}{_BEFORE_ORIGIN}{hit.origin}"
    if hit.forgiven:
        if not hit.origin:
            prelanding = f"{prelanding or ',0'}{_BEFORE_ORIGIN}0"
        prelanding += f"{_BEFORE_FORGIVEN}{hit.forgiven}"
    suffix = f"{_TRAILING_EMPTY_COLUMNS[last]}{flags}{prelanding}]"
    return f'{prefix}{visitor},"{hit.language}",{quoted(hit.referrer)},{"".join(column_values)}{suffix}'.encode()
