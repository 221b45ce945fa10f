"""Clicks that a server reports for a visitor: `ip=` and `ua=` of those who are believed
(docs/spec/tracking.md#visitor-address)."""

from functools import lru_cache
from typing import Final

from trackyard.decision.click.hit import find_affiliate
from trackyard.decision.routes import Rules
from trackyard.decision.targeting.ip_lists import Addresses, number_of
from trackyard.edge.http.client_address import TrustedNetworks, find_address
from trackyard.edge.http.request import Request

AGENT: Final = b"user-agent"
_LISTS: Final = 1024
"""Lists of affiliates that are kept compiled."""


def whose(
    rules: Rules, request: Request, params: dict[str, str], trusted: TrustedNetworks
) -> tuple[str, int, str | None]:
    """The address of the visitor, its number, and the user agent that a server told with it: then what else the request
    carries is the server's; None = the request is the visitor's own.

    Believed are a trusted peer that forwards for nobody, and the servers of the click's affiliate, if it has any; a
    server behind a trusted proxy is known by the address that the proxy tells.
    """
    ip, number = request.peer, -1
    forwarded = request.headers.get(b"x-forwarded-for") if request.trusted else None
    if forwarded is not None:
        ip, number = trusted.locate(ip, forwarded.decode("latin-1"))
    told = "ip" in params or "ua" in params
    if told and ((request.trusted and forwarded is None) or _is_server(rules, params, ip)):
        ip = find_address(params.get("ip", "")) or ip
        return ip, number_of(ip), params.get("ua", request.header(AGENT))
    return ip, number if number >= 0 else number_of(ip), None


def _is_server(rules: Rules, params: dict[str, str], ip: str) -> bool:
    affiliate = find_affiliate(rules, params)
    return affiliate is not None and affiliate.server_networks != () and _compiled(affiliate.server_networks).hold(ip)


@lru_cache(maxsize=_LISTS)
def _compiled(entries: tuple[str, ...]) -> Addresses:
    return Addresses(entries)
