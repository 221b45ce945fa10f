"""Addresses that URLs of users may name: only public ones (docs/spec/postbacks.md#delivery)."""

import errno
import ipaddress
import socket
from collections.abc import Sequence
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
AddrInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[str | int | bytes, ...]]

_BLOCKED: tuple[Network, ...] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "168.63.129.16/32",  # the host service of a cloud, on a public address
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "::/96",  # IPv4-compatible
        "64:ff9b:1::/48",  # local NAT64
        "100::/64",
        "2001::/23",  # Teredo and other protocol assignments
        "2002::/16",  # 6to4
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",  # site-local
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

BLOCKED: Final = "is not an IP address that may be called"
"""The text of an error about a refused IP address, also within an error that joins several."""


class AddressBlocked(OSError):
    """The address may not be called for users."""


class AddressFilter:
    """Decides which addresses may be called. allow: networks that the operator permits as a whole."""

    def __init__(self, allow: Sequence[Network] = ()) -> None:
        self._allow = tuple(allow)

    def permits(self, address: Address) -> bool:
        """Return whether an address is public or in an allowed network."""
        inner = _embedded_ipv4(address)
        if any(address in network or inner in network for network in self._allow):
            return True
        return _is_public(address) if inner is address else _is_public(inner)

    def open_socket(self, info: AddrInfo) -> socket.socket:
        """Return a socket for a resolved address. Raises AddressBlocked.

        The connection passes the very address to which it connects, so that no second look-up happens.
        """
        family, kind, protocol, _name, socket_address = info
        text = str(socket_address[0]).partition("%")[0]
        if not self.permits(ipaddress.ip_address(text)):
            raise AddressBlocked(errno.EACCES, f"{text} {BLOCKED}")
        return socket.socket(family, kind, protocol)


def _embedded_ipv4(address: Address) -> Address:
    """Return the IPv4 address in a mapped or NAT64 address, otherwise the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_public(address: Address) -> bool:
    if any(address in network for network in _BLOCKED):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
