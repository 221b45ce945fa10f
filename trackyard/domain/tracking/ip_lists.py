"""Lists of addresses: an address, a network or a range with a hyphen a line."""

import ipaddress
import socket
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Looked up once, since every click uses them.
_inet_pton: Final = socket.inet_pton
_INET: Final = socket.AF_INET
_INET6: Final = socket.AF_INET6

_IPV4: Final = 4
_IPV4_NETWORK: Final = 24
_IPV6_NETWORK: Final = 48
_LENGTHS: Final = frozenset(map(str, range(129)))
_MAPPED = bytes(10) + b"\xff\xff"
"""The first bytes of an IPv4 address in IPv6 form."""


@dataclass(frozen=True, slots=True)
class AddressLists:
    """The addresses that may call. An empty `allowed` allows all; `denied` wins over it."""

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    def permits(self, text: str) -> bool:
        """Return whether a postback from this IP address is accepted. An invalid address is on no list."""
        if not self.allowed and not self.denied:
            return True
        packed = find_packed(text.strip())
        if packed is None:
            return not self.allowed
        if _contains(self.denied, packed):
            return False
        return not self.allowed or _contains(self.allowed, packed)


ANY_ADDRESS = AddressLists()


class AddressRange(NamedTuple):
    """Addresses from `first` to `last`, inclusive, as numbers. length: bytes of an address, 4 or 16."""

    length: int
    first: int
    last: int


@lru_cache(maxsize=4096)
def network_of(text: str) -> str:
    """Return the network by which clients are counted: an IPv4 address, or an IPv6 network of 64 bits."""
    address = _find_address(text)
    if address is None:
        return text
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


def wide_network_of(address: str) -> str:
    """Return the network by which strangers are counted: /24 of IPv4, /48 of IPv6.

    One host may have every address of it.
    """
    packed = find_packed(address.strip())
    if packed is None:
        return address
    length = _IPV4_NETWORK if len(packed) == _IPV4 else _IPV6_NETWORK
    return f"{packed[: length // 8].hex()}/{length}"


def find_packed(text: str) -> bytes | None:
    """Return the 4 or 16 bytes of an address, IPv4-mapped ones as 4; None for other text."""
    try:
        if ":" not in text:
            return _inet_pton(_INET, text)
        packed = _inet_pton(_INET6, text.partition("%")[0])
    except (OSError, ValueError):  # ValueError: a NUL in the text
        return None
    return packed[12:] if packed.startswith(_MAPPED) else packed


def split_entries(text: str) -> tuple[str, ...]:
    """Return the entries of a text with one a line."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _contains(entries: tuple[str, ...], packed: bytes) -> bool:
    number = int.from_bytes(packed, "big")
    ranges = (address_range for entry in entries if (address_range := find_address_range(entry)) is not None)
    return any(
        address_range.length == len(packed) and address_range.first <= number <= address_range.last
        for address_range in ranges
    )


@lru_cache(maxsize=4096)
def find_address_range(entry: str) -> AddressRange | None:
    """Return the addresses of an entry, IPv4-mapped ones as IPv4; None for other text."""
    text, slash, length = entry.strip().partition("/")
    if slash:
        return _find_plain_network(text, length) or _find_network(entry)
    first_text, _, last_text = text.partition("-")
    first = find_packed(first_text.strip())
    last = find_packed(last_text.strip()) if last_text else first
    if first is None or last is None or len(first) != len(last):
        return None
    return AddressRange(len(first), int.from_bytes(first, "big"), int.from_bytes(last, "big"))


def _find_plain_network(text: str, length: str) -> AddressRange | None:
    """Return the addresses of a network with a prefix length, the usual form; None for other text."""
    packed = find_packed(text)
    if packed is None or length not in _LENGTHS or (":" in text and len(packed) == _IPV4):
        return None
    free = len(packed) * 8 - int(length)
    if free < 0:
        return None
    first = int.from_bytes(packed, "big") >> free << free
    return AddressRange(len(packed), first, first + (1 << free) - 1)


def _find_network(entry: str) -> AddressRange | None:
    try:
        network = ipaddress.ip_network(entry.strip(), strict=False)
    except ValueError:
        return None
    first, last = network[0], network[-1]
    begin, end = _unmapped(first), _unmapped(last)
    if begin.version == end.version:  # otherwise it is an IPv6 network wider than the network of the mapped addresses
        first, last = begin, end
    return AddressRange(first.max_prefixlen // 8, int(first), int(last))


def _find_address(text: str) -> Address | None:
    try:
        return _unmapped(ipaddress.ip_address(text.strip()))
    except ValueError:
        return None


def _unmapped(address: Address) -> Address:
    return getattr(address, "ipv4_mapped", None) or address
