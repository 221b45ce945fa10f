"""`trackyard origins`: what is known about the networks of IP addresses, and a new file of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trackyard.commands.failures import CommandFailed
from trackyard.decision.visitor.origin_sources import OriginSource, read_networks, read_wheel
from trackyard.decision.visitor.origins import InvalidOrigins, OriginTable, Span, pack_origins
from trackyard.domain.statistics.quality.origins import SIGNALS
from trackyard.journal.durable import write_durably


@dataclass(frozen=True, slots=True)
class OriginLists:
    """Files to read.

    networks: text files by signal. wheels: of iporigin.
    with_present: whether what the file in use has is kept.
    """

    networks: Mapping[str, Sequence[Path]]
    wheels: Sequence[Path]
    with_present: bool


def describe_origins(path: Path) -> list[str]:
    """Return lines that describe the content of a file of origins. Raises CommandFailed."""
    table = _read(path)
    made = datetime.fromtimestamp(table.built_at, UTC).date().isoformat() if table.built_at else "an unknown day"
    ipv4, ipv6 = table.spans()
    lines = [f"{path}: made from data of {made}"]
    for name, bit in SIGNALS.items():
        counts = [sum(1 for span in spans if span[2] & bit) for spans in (ipv4, ipv6)]
        addresses = sum(last - first + 1 for first, last, bits in ipv4 if bits & bit)
        if any(counts):
            lines.append(
                f"{name:9} {counts[0]:8,} spans of IPv4 with {addresses:,} IP addresses, {counts[1]:,} of IPv6"
            )
    return lines


def write_origins(lists: OriginLists, present: Path, target: Path, now_ms: int) -> None:
    """Write a file of origins in one step. Raises CommandFailed."""
    found = OriginSource()
    sources = []
    try:
        for name, paths in lists.networks.items():
            for path in paths:
                found.add(read_networks(path, SIGNALS[name]))
                sources.append(f"{name}: {path.name}")
        for path in lists.wheels:
            found.add(read_wheel(path))
            sources.append(path.name)
    except InvalidOrigins as fault:
        raise CommandFailed(f"{fault}. Nothing was written.") from None
    if lists.with_present:
        found.add(OriginSource(*_without(present, lists.networks)))
    target.parent.mkdir(parents=True, exist_ok=True)
    write_durably(target, pack_origins(found.ipv4, found.ipv6, now_ms // 1000, sources))


def _without(present: Path, replaced: Mapping[str, Sequence[Path]]) -> tuple[list[Span], list[Span]]:
    """Return the spans of a file without the signals that other files replace."""
    kept = ~sum(SIGNALS[name] for name in replaced)
    ipv4, ipv6 = _read(present).spans()
    return _masked(ipv4, kept), _masked(ipv6, kept)


def _masked(spans: Sequence[Span], kept: int) -> list[Span]:
    return [(first, last, bits & kept) for first, last, bits in spans if bits & kept]


def _read(path: Path) -> OriginTable:
    try:
        return OriginTable.of_file(path)
    except InvalidOrigins as fault:
        raise CommandFailed(f"{path} cannot be used: {fault}.") from None
