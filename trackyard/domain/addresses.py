"""Lists of addresses that staff write: one entry a line, an address, a network or a range with a hyphen."""

import ipaddress
from dataclasses import dataclass
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


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


def entries_of(text: str) -> tuple[str, ...]:
    """The entries of a text with one a line."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _holds(entry: str, address: Address) -> bool:
    span = _find_span(entry)
    return span is not None and span[0].version == address.version and int(span[0]) <= int(address) <= int(span[1])


@lru_cache(maxsize=4096)
def _find_span(entry: str) -> tuple[Address, Address] | None:
    """The first and the last address of an entry; None when it is none."""
    if "/" in entry:
        try:
            network = ipaddress.ip_network(entry.strip(), strict=False)
        except ValueError:
            return None
        return network[0], network[-1]
    first_text, _, last_text = entry.partition("-")
    first, last = _find_address(first_text), _find_address(last_text or first_text)
    if first is None or last is None or first.version != last.version:
        return None
    return first, last


def _find_address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
