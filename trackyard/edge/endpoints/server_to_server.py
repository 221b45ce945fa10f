"""Clicks that a trusted server reports for a visitor by `ip=` and `ua=`.

See docs/spec/tracking.md#visitor-ip-address.
"""

from functools import lru_cache
from typing import Final

from trackyard.decision.routes import Ruleset
from trackyard.decision.targeting.ip_lists import AddressSet, address_number
from trackyard.edge.http.client_address import TrustedNetworks, find_address
from trackyard.edge.http.request import Request

USER_AGENT: Final = b"user-agent"
_NETWORK_CACHE_SIZE: Final = 1024
"""Compiled lists of affiliates in the cache."""


def resolve_visitor(
    ruleset: Ruleset, request: Request, params: dict[str, str], trusted: TrustedNetworks, senders: TrustedNetworks
) -> tuple[str, int, str | None]:
    """Return the visitor's IP address, its number, and the user agent that a server reports.

    The user agent is None when the request comes from the visitor. Otherwise the other headers come from the server.
    senders: networks of servers that may report any click. The servers of the click's affiliate may report its clicks.
    A server behind a trusted proxy is known by the address that the proxy sends.
    """
    ip, number = request.peer, -1
    forwarded = request.headers.get(b"x-forwarded-for") if request.trusted else None
    if forwarded is not None:
        ip, number = trusted.locate(ip, forwarded.decode("latin-1"))
    is_reported = "ip" in params or "ua" in params
    if is_reported and (senders.trusts_text(ip) or _is_server(ruleset, params, ip)):
        ip = find_address(params.get("ip", "")) or ip
        return ip, address_number(ip), params.get("ua", request.header(USER_AGENT))
    return ip, number if number >= 0 else address_number(ip), None


def _is_server(ruleset: Ruleset, params: dict[str, str], ip: str) -> bool:
    affiliate = ruleset.affiliate_of(params)
    return (
        affiliate is not None
        and affiliate.server_networks != ()
        and _address_set(affiliate.server_networks).contains(ip)
    )


@lru_cache(maxsize=_NETWORK_CACHE_SIZE)
def _address_set(entries: tuple[str, ...]) -> AddressSet:
    return AddressSet(entries)
