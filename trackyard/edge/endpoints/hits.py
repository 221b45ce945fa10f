"""Hits of requests: the affiliate and the visitor of a click.

See docs/spec/tracking.md#visitor-ip-address.
"""

import os
from typing import Final

from trackyard.base.clock import Clock
from trackyard.decision.click.hit import Hit
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import MAX_PARAMETER
from trackyard.decision.visitor.bots import is_prefetch
from trackyard.decision.visitor.cache import BoundedCache
from trackyard.decision.visitor.client_hints import find_hints
from trackyard.decision.visitor.headers import LANGUAGE, read_language
from trackyard.decision.visitor.visitor import ParsedAgent, VisitorLookup
from trackyard.domain.statistics.quality.origins import PREFETCH
from trackyard.edge.endpoints.server_to_server import USER_AGENT, resolve_visitor
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import Request

_ID_BATCH_SIZE: Final = 512
_AGENT_CACHE_SIZE: Final = 5_000
"""Parsed user agents in the cache, as many as VisitorLookup keeps."""
_LANGUAGE_CACHE_SIZE: Final = 1024
"""Values of Accept-Language in the cache."""


class HitFactory:
    """Makes hits.

    number: the edge's number, a part of the click ids
    senders: networks of servers that may report clicks for visitors; None = none
    """

    def __init__(
        self,
        number: int,
        clock: Clock,
        visitors: VisitorLookup,
        trusted: TrustedNetworks,
        senders: TrustedNetworks | None = None,
    ) -> None:
        self._senders = TrustedNetworks(()) if senders is None else senders
        self._number = f"{number:02x}"
        self._clock = clock
        self._visitors = visitors
        self._trusted = trusted
        self._random: list[str] = []
        self._second = -1
        self._id_prefix = ""
        self._languages: dict[bytes, str] = {}
        self._agents: BoundedCache[bytes, ParsedAgent] = BoundedCache(_AGENT_CACHE_SIZE)

    def make(
        self,
        ruleset: Ruleset,
        request: Request,
        params: dict[str, str],
        *,
        plain: bool = False,
        smart_id: str = "",
        forgiven: int = 0,
    ) -> Hit:
        """Return the hit of a request with these parameters. forgiven: what was wrong with them."""
        ip, address, reported_agent = resolve_visitor(ruleset, request, params, self._trusted, self._senders)
        headers = request.headers
        read = self._read(request) if reported_agent is None else self._visitors.read(reported_agent)
        now = self._clock.now_ms()
        geo = self._visitors.find_geo(ip, address)
        prefetch = reported_agent is None and is_prefetch(headers)
        origin = geo.origin | read.origin
        return Hit(
            ruleset.platform,
            ruleset.affiliate_of(params),
            now,
            self._new_click_id(now),
            params,
            ip,
            address,
            geo,
            read,
            request.header(b"referer"),
            self._language(request),
            headers,
            bot=read.bot or prefetch,
            plain=plain,
            smart_id=smart_id,
            origin=origin | PREFETCH if prefetch else origin,
            forgiven=request.forgiven | forgiven,
        )

    def _read(self, request: Request) -> ParsedAgent:
        """Return the parsed user agent of a request."""
        hints = find_hints(request.headers)
        if hints is not None:
            return self._visitors.read(request.header(USER_AGENT), hints)
        # Keyed by the raw bytes: a known user agent is not even decoded.
        sent = request.headers.get(USER_AGENT, b"")
        found = self._agents.find(sent)
        if found is None:
            found = self._visitors.read(request.header(USER_AGENT))
            if len(sent) <= MAX_PARAMETER:
                self._agents.add(sent, found)
        return found

    def _new_click_id(self, now_ms: int) -> str:
        """Return a click id as base/ids.new_click_id, with random digits fetched for many at once."""
        if not self._random:
            digits = os.urandom(7 * _ID_BATCH_SIZE).hex()
            self._random = [digits[at : at + 14] for at in range(0, len(digits), 14)]
        second = now_ms // 1000
        if second != self._second:
            self._second, self._id_prefix = second, f"{second:08x}{self._number}"
        return self._id_prefix + self._random.pop()

    def _language(self, request: Request) -> str:
        """Return the language of a request; browsers send few different headers."""
        sent = request.headers.get(LANGUAGE, b"")
        found = self._languages.get(sent)
        if found is None:
            found = read_language(request.header(LANGUAGE))
            if len(self._languages) >= _LANGUAGE_CACHE_SIZE:
                self._languages.clear()
            if len(sent) <= MAX_PARAMETER:
                self._languages[sent] = found
        return found
