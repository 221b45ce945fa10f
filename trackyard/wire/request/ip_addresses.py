"""Parameters that are IP addresses (docs/spec/api-conventions.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

from trackyard.wire.request.scalars import Scalar, Schema


@dataclass(frozen=True)
class IpEntry(Scalar):
    """One address, a range `a-b`, or a network `a/n`; IPv4 and IPv6."""

    contract = "string"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        entries = self.entries(text)
        for entry in entries:
            if len(text) > 20_000 or not _is_ip_entry(entry):
                raise ValueError("This value must hold IP addresses, ranges a-b, or networks a/n.")
        return "\n".join(entries)

    def entries(self, text: str) -> list[str]:
        """What must be one each."""
        return [text.strip()]

    def schema(self) -> Schema:
        return {"type": "string"}


@dataclass(frozen=True)
class IpLines(IpEntry):
    """Several of them, one a line."""

    drops_empty = False

    def entries(self, text: str) -> list[str]:
        return [line.strip() for line in text.splitlines() if line.strip()]


def _is_ip_entry(entry: str) -> bool:
    try:
        if "/" in entry:
            return bool(ip_network(entry, strict=False))
        first, dash, last = entry.partition("-")
        begin = ip_address(first.strip())
        return not dash or ((end := ip_address(last.strip())).version == begin.version and int(end) >= int(begin))
    except ValueError:
        return False
