"""Clicks that a server reports for a visitor: `ip=` and `ua=` of those who are believed (behaviour.md §4)."""

from functools import lru_cache
from typing import Final

from trackyard.decide.addresses import Addresses
from trackyard.decide.hit import find_affiliate
from trackyard.decide.rules import Rules
from trackyard.edge.address import TrustedNetworks, find_address
from trackyard.edge.request import Request

_LISTS: Final = 1024
"""Lists of affiliates that are kept compiled."""


def whose(rules: Rules, request: Request, params: dict[str, str], trusted: TrustedNetworks) -> tuple[str, str, bool]:
    """The address and the user agent of the visitor, and whether a server told them: then what else the request
    carries is the server's.

    Believed are a trusted peer that forwards for nobody, and the servers of the click's affiliate, if it has any; a
    server behind a trusted proxy is known by the address that the proxy tells.
    """
    ip = request.peer
    ua = request.header(b"user-agent")
    forwarded = request.headers.get(b"x-forwarded-for") if request.trusted else None
    if forwarded is not None:
        ip = trusted.visitor(ip, forwarded.decode("latin-1"))
    if "ip" not in params and "ua" not in params:
        return ip, ua, False
    if not (request.trusted and forwarded is None) and not _is_server(rules, params, ip):
        return ip, ua, False
    return find_address(params.get("ip", "")) or ip, params.get("ua", ua), True


def _is_server(rules: Rules, params: dict[str, str], ip: str) -> bool:
    affiliate = find_affiliate(rules, params)
    return affiliate is not None and affiliate.server_networks != () and _compiled(affiliate.server_networks).hold(ip)


@lru_cache(maxsize=_LISTS)
def _compiled(entries: tuple[str, ...]) -> Addresses:
    return Addresses(entries)
