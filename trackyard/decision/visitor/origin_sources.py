"""Read lists of networks, and wheels of iporigin (docs/spec/quality.md#origins-of-ip-addresses)."""

import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Network, ip_network
from pathlib import Path
from typing import Final

from trackyard.decision.visitor.origins import InvalidOrigins, Span
from trackyard.domain.statistics.quality.origins import BOT, HOSTING, RELAY, TOR, VPN

_WHEEL_FILE: Final = "iporigin/data/ranges.bin"
_MAGIC: Final = b"IPORIGIN"
_VERSION: Final = 1
_HEADER: Final = struct.Struct("<8sHQHII")
_IPV4: Final = struct.Struct("<IIH")
_IPV6: Final = struct.Struct("<16s16sH")
_MOST_LINES: Final = 5_000_000
_HOSTS: Final = frozenset(
    {
        "Amazon AWS", "Google", "Google Cloud", "Microsoft Azure", "DigitalOcean", "Linode", "Vultr", "Oracle Cloud",
        "GitHub", "Cloudflare", "Fastly",
        "Hetzner", "OVHcloud", "Scaleway", "Alibaba Cloud", "Leaseweb", "UpCloud", "IBM Cloud", "Huawei Cloud",
        "Tencent Cloud", "Rackspace", "Gcore",
    }
)  # fmt: skip
"""Hosts that publish their networks, then hosts of lists under CC0. Others of the wheel have no licence in writing."""
_RELAYS: Final = frozenset({"Apple Private Relay"})
_KINDS: Final = {"tor": TOR, "bot": BOT, "vpn": VPN}


@dataclass
class OriginSource:
    """Spans of one source. ipv6: by the first halves of addresses. built_at: UTC seconds, 0 = unknown."""

    ipv4: list[Span] = field(default_factory=list)
    ipv6: list[Span] = field(default_factory=list)
    built_at: int = 0

    def add(self, other: "OriginSource") -> None:
        """Add the spans of another source."""
        self.ipv4 += other.ipv4
        self.ipv6 += other.ipv6


def read_networks(path: Path, bits: int) -> OriginSource:
    """Read a text with an address or a network on each line; `#` begins a comment. Raises InvalidOrigins."""
    found = OriginSource()
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                text = line.partition("#")[0].strip()
                if number > _MOST_LINES:
                    raise InvalidOrigins(f"{path} has more than {_MOST_LINES} lines")
                if text:
                    _add_network(found, text, bits, f"{path}, line {number}")
    except (OSError, UnicodeDecodeError) as fault:
        raise InvalidOrigins(f"{path} cannot be read: {fault}") from None
    return found


def _add_network(found: OriginSource, text: str, bits: int, place: str) -> None:
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        raise InvalidOrigins(f"{place}: {text[:60]} is neither an IP address nor a network") from None
    first, last = int(network.network_address), int(network.broadcast_address)
    if isinstance(network, IPv4Network):
        found.ipv4.append((first, last, bits))
    else:
        found.ipv6.append((first >> 64, last >> 64, bits))


def read_wheel(path: Path) -> OriginSource:
    """Read the networks of a wheel of iporigin that may be used. Raises InvalidOrigins."""
    try:
        with zipfile.ZipFile(path) as wheel:
            content = wheel.read(_WHEEL_FILE)
        return _ranges(content)
    except (OSError, KeyError, zipfile.BadZipFile, struct.error, ValueError, IndexError) as fault:
        raise InvalidOrigins(f"{path} is not a wheel of iporigin that this version reads: {fault}") from None


def _ranges(content: bytes) -> OriginSource:
    magic, version, built_at, label_count, ipv4_count, ipv6_count = _HEADER.unpack_from(content)
    if magic != _MAGIC or version != _VERSION:
        raise ValueError("its table has another format")
    place = _HEADER.size
    labels: list[int] = []
    for _ in range(label_count):
        (length,) = struct.unpack_from("<H", content, place)
        provider, _, kind = content[place + 2 : place + 2 + length].decode().partition("\t")
        labels.append(_bits_of(provider, kind))
        place += 2 + length
    end = place + ipv4_count * _IPV4.size
    found = OriginSource(built_at=built_at)
    found.ipv4 = list(_joined(_IPV4.iter_unpack(content[place:end]), labels))
    halves = (
        (int.from_bytes(first, "big") >> 64, int.from_bytes(last, "big") >> 64, label)
        for first, last, label in _IPV6.iter_unpack(content[end : end + ipv6_count * _IPV6.size])
    )
    found.ipv6 = list(_joined(halves, labels))
    return found


def _bits_of(provider: str, kind: str) -> int:
    """Return the bits of a label, 0 = it is not used."""
    if kind in ("hosting", "cdn"):
        return HOSTING if provider in _HOSTS else 0
    return RELAY if provider in _RELAYS else _KINDS.get(kind, 0)


def _joined(ranges: Iterator[tuple[int, int, int]], labels: list[int]) -> Iterator[Span]:
    """Yield spans with bits; neighbours with the same ones are one."""
    last: Span | None = None
    for first, end, label in ranges:
        bits = labels[label]
        if last is not None and last[2] == bits and last[1] + 1 >= first:
            last = (last[0], max(last[1], end), bits)
            continue
        if last is not None and last[2]:
            yield last
        last = (first, end, bits)
    if last is not None and last[2]:
        yield last
