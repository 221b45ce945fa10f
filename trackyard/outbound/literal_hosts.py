"""Hosts of URLs that are IP addresses, in each spelling that systems read.

docs/spec/postbacks.md#ip-addresses-of-servers
"""

import ipaddress
import re
import unicodedata
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from trackyard.outbound.guard import Address, AddressFilter, Network

_LOOPBACK: Final = ipaddress.IPv4Address("127.0.0.1")
_METADATA: Final = ipaddress.IPv4Address("169.254.169.254")
_NAMES: Final[dict[str, Address]] = {
    "localhost": _LOOPBACK,
    "localhost.localdomain": _LOOPBACK,
    "ip6-localhost": _LOOPBACK,
    "ip6-loopback": _LOOPBACK,
    "metadata": _METADATA,
    "metadata.google.internal": _METADATA,
}
"""Names that systems answer themselves, with the addresses that they mean."""
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|0[0-7]*|[1-9][0-9]*")
_DOTS: Final = re.compile("[。．｡]")


def refused_host(url: str, allow: Sequence[Network] = ()) -> str:
    """Return the host of a URL when it is an IP address that may not be called; "" for every other URL.

    allow: networks that the operator permits as a whole. A host name that needs a look-up is decided at each call.
    """
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # brackets around what is not an address
        return ""
    address = literal_address(host)
    return "" if address is None or AddressFilter(allow).permits(address) else host


def literal_address(host: str) -> Address | None:
    """Return the IP address that a host means without a look-up; None for another host."""
    plain = _DOTS.sub(".", unicodedata.normalize("NFKC", unquote(host))).casefold().strip().rstrip(".")
    plain = plain.strip("[]").partition("%")[0]
    if plain.endswith(".localhost"):
        return _LOOPBACK
    if plain in _NAMES:
        return _NAMES[plain]
    if ":" in plain:
        return _ipv6(plain)
    return _ipv4(plain)


def _ipv6(text: str) -> Address | None:
    try:
        return ipaddress.IPv6Address(text)
    except ValueError:
        return None


def _ipv4(text: str) -> Address | None:
    """Return an IPv4 address of one to four numbers, decimal, octal or hexadecimal, as inet_aton reads it."""
    parts = text.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    *first, last = [_number(part) for part in parts]
    room = 256 ** (4 - len(first))
    if any(part > 255 for part in first) or last >= room:
        return None
    leading = sum(part * 256 ** (3 - place) for place, part in enumerate(first))
    return ipaddress.IPv4Address(leading + last)


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") else int(text)
