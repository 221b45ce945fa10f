"""The visitor's address, of the peer or from a trusted proxy.

See docs/spec/tracking.md#visitor-ip-address.
"""

import socket
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address

from trackyard.decision.targeting.ip_lists import address_number
from trackyard.domain.tracking.ip_lists import find_packed


def address_text(packed: bytes) -> str:
    """Return an address in its one form: dotted, or compressed lower-case IPv6."""
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def find_address(text: str) -> str | None:
    """Return an IP address in its canonical form; None = the text is not an address."""
    packed = find_packed(text)
    return None if packed is None else address_text(packed)


class TrustedNetworks:
    """The networks of trusted proxies."""

    def __init__(self, networks: Iterable[IPv4Network | IPv6Network]) -> None:
        by_length: dict[int, list[tuple[int, int]]] = {4: [], 16: []}
        for network in networks:
            start = int(network.network_address)
            by_length[network.max_prefixlen // 8].append((int(network.netmask), start))
        self._by_length = {length: tuple(pairs) for length, pairs in by_length.items()}

    def trusts(self, packed: bytes) -> bool:
        """Return whether an address (as of `find_packed`) is in one of them."""
        number = int.from_bytes(packed, "big")
        for mask, start in self._by_length[len(packed)]:  # noqa: SIM110 (a generator costs more than the look)
            if number & mask == start:
                return True
        return False

    def trusts_text(self, text: str) -> bool:
        """Return whether an address in text form is in one of them."""
        packed = find_packed(text)
        return packed is not None and self.trusts(packed)

    def locate(self, peer: str, forwarded: str) -> tuple[str, int]:
        """Return the IP address of a visitor behind a trusted peer, and its number.

        forwarded: the peer's header X-Forwarded-For

        The address is the right-most entry that is not trusted itself, or the left-most when all are. Entries to the
        left of an invalid entry are ignored.
        """
        packed = find_packed(forwarded)
        if packed is not None and len(packed) == 4 and ":" not in forwarded:
            # One plain IPv4 address, as nearly always; inet_pton accepts its one form only.
            return forwarded, int.from_bytes(packed, "big")
        found = peer
        for item in reversed(forwarded.split(",")):
            entry = item.strip()
            packed = find_packed(_without_port(entry))
            if packed is None:
                break
            found = address_text(packed)
            if not self.trusts(packed):
                break
        return found, address_number(found)


def _without_port(entry: str) -> str:
    if ":" not in entry:
        return entry
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry


def peer_address(peername: object) -> str:
    """Return the address in the peer name of a socket; "" = it has no addresses."""
    if isinstance(peername, tuple) and peername:
        return find_address(str(peername[0])) or str(ip_address(str(peername[0])))
    return ""
