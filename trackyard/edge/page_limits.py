"""Limits of requests for pages of the tracking listener (docs/spec/tracking.md#limits-of-pages).

Pages are `/healthz`, `/readyz`, `/robots.txt` and the like, unknown paths and wrong methods. Tracking addresses never
ask here.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from trackyard.base.error_codes import ErrorCode
from trackyard.base.rate_limits import Limiter, RateLimit, RateLimiter
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.edge.http.answers import error_response
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import HeldResponse, Request, Response

RATE: Final = RateLimit(per_second=50, burst=500)
DELAY_S: Final = 0.25
"""Time that an answer over the limit waits. Its connection is not read meanwhile, so that a flood sends little."""
_TOO_MANY: Final = error_response(
    429, ErrorCode.TOO_MANY_REQUESTS, "Too many requests: try again in a second", b"Retry-After: 1\r\n"
)

CallLater = Callable[[float, Callable[[], None]], object]
"""Runs a function after a number of seconds, in the event loop."""


class PageLimits:
    """Delays and refuses requests for pages of a network that sends more of them than probes do."""

    def __init__(self, trusted: TrustedNetworks, call_later: CallLater, rate: RateLimit = RATE) -> None:
        self._trusted = trusted
        self._call_later = call_later
        self._limiter: Limiter = RateLimiter(rate)

    def limit(self, request: Request, response: Response) -> Response:
        """Return the response, or one that comes later and is a 429, where the network is over the limit."""
        address = request.peer
        forwarded = request.headers.get(b"x-forwarded-for") if request.trusted else None
        if forwarded is not None:
            address = self._trusted.locate(address, forwarded.decode("latin-1"))[0]
        if self._trusted.trusts_text(address) or self._limiter.take(wide_network_of(address)).wait == 0:
            return response
        held = HeldResponse(_TOO_MANY.status)
        self._call_later(DELAY_S, partial(held.settle, _TOO_MANY))
        return held
