"""Lists of addresses that staff write: one entry a line, an address, a network or a range with a hyphen."""

import ipaddress
import socket
from dataclasses import dataclass
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_MAPPED = bytes(10) + b"\xff\xff"
"""What an IPv4 address in IPv6 form begins with."""


@dataclass(frozen=True, slots=True)
class AddressLists:
    """Who may call. An empty `allowed` allows all; `denied` wins over it."""

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    def permits(self, text: str) -> bool:
        """Whether a call from this address is let through. What is no address passes no list of allowed ones."""
        if not self.allowed and not self.denied:
            return True
        address = _find_address(text)
        if address is None:
            return not self.allowed
        if any(_holds(entry, address) for entry in self.denied):
            return False
        return not self.allowed or any(_holds(entry, address) for entry in self.allowed)


ANYONE = AddressLists()


@lru_cache(maxsize=4096)
def network_of(text: str) -> str:
    """What strangers are counted by: an IPv4 address, or the 64 bits of an IPv6 one that its owner cannot choose."""
    address = _find_address(text)
    if address is None:
        return text
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


def find_packed(text: str) -> bytes | None:
    """The 4 or 16 bytes of an address, IPv4-mapped ones as 4; None when the text is no address."""
    try:
        if ":" not in text:
            return socket.inet_pton(socket.AF_INET, text)
        packed = socket.inet_pton(socket.AF_INET6, text.partition("%")[0])
    except (OSError, ValueError):  # ValueError: a NUL in the text
        return None
    return packed[12:] if packed.startswith(_MAPPED) else packed


def entries_of(text: str) -> tuple[str, ...]:
    """The entries of a text with one a line."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _holds(entry: str, address: Address) -> bool:
    span = find_span(entry)
    return span is not None and span[0].version == address.version and int(span[0]) <= int(address) <= int(span[1])


@lru_cache(maxsize=4096)
def find_span(entry: str) -> tuple[Address, Address] | None:
    """The first and the last address of an entry, IPv4-mapped ones as IPv4; None when it is none."""
    if "/" in entry:
        try:
            network = ipaddress.ip_network(entry.strip(), strict=False)
        except ValueError:
            return None
        begin, end = _unmapped(network[0]), _unmapped(network[-1])
        # A network wider than that of the mapped addresses is one of IPv6.
        return (begin, end) if begin.version == end.version else (network[0], network[-1])
    first_text, _, last_text = entry.partition("-")
    first, last = _find_address(first_text), _find_address(last_text or first_text)
    if first is None or last is None or first.version != last.version:
        return None
    return first, last


def _find_address(text: str) -> Address | None:
    try:
        return _unmapped(ipaddress.ip_address(text.strip()))
    except ValueError:
        return None


def _unmapped(address: Address) -> Address:
    return getattr(address, "ipv4_mapped", None) or address
