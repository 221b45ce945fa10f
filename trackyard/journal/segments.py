"""Journals as files of a directory: their names, their order, their seals (architecture.md, Exactly once).

`{edge:03d}-{start_ms:013d}.log` is a journal, its name without `.log` the journal's name. `{name}.sealed`
beside it says that it is finished and where: what lies behind the end is a torn tail and never read.
"""

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trackyard.base.clock import Clock
from trackyard.base.metrics import JOURNAL_GAPS
from trackyard.journal import frames
from trackyard.journal.durable import write_durably


@dataclass(frozen=True, slots=True)
class Gap:
    """A damaged place: byte offsets in its journal, end exclusive."""

    start: int
    end: int


class Seal(msgspec.Struct, frozen=True):
    """The end of a finished journal. `end`: byte offset after its last good frame · `sealed_at`: UTC ms."""

    end: int
    sealed_at: int
    gaps: list[Gap]


_log = logging.getLogger("trackyard.journal")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Seal).decode


def journal_name(edge: int, start_ms: int) -> str:
    """The name of the journal that edge `edge` began at `start_ms` (UTC ms)."""
    return f"{edge:03d}-{start_ms:013d}"


def start_of(name: str) -> int:
    """When a journal began, UTC ms."""
    return int(name[4:])


def log_path(directory: Path, name: str) -> Path:
    """The file of a journal."""
    return directory / f"{name}.log"


def list_journals(directory: Path, edge: int) -> list[str]:
    """The names of an edge's journals, oldest first."""
    return sorted(path.name.removesuffix(".log") for path in directory.glob(f"{edge:03d}-{'[0-9]' * 13}.log"))


def list_edges(directory: Path) -> list[int]:
    """The numbers of the edges that ever wrote here, ascending."""
    return sorted({int(path.name[:3]) for path in directory.glob(f"[0-9][0-9][0-9]-{'[0-9]' * 13}.log")})


def find_seal(directory: Path, name: str) -> Seal | None:
    """The seal of a journal; None while it is being written, or when the seal is damaged: the next writer makes
    it anew."""
    try:
        return _decode((directory / f"{name}.sealed").read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def write_seal(directory: Path, name: str, seal: Seal) -> None:
    """Finishes a journal durably. Errors: OSError."""
    write_durably(directory / f"{name}.sealed", _encode(seal))


def seal_found(directory: Path, name: str, clock: Clock) -> Seal:
    """Finishes a journal whose writer is gone at its last good frame, wherever damage lies before it.

    What lies behind is kept aside: nearly always a record that was never acknowledged, but nobody can know.
    """
    data = log_path(directory, name).read_bytes()
    end = 0
    gaps: list[Gap] = []
    for item in walk(data, 0):
        if isinstance(item, Gap):
            gaps.append(item)
        else:
            end = item.end
    if end < len(data):
        keep_damaged(directory, name, Gap(end, len(data)))
    made = Seal(end=end, sealed_at=clock.now_ms(), gaps=gaps)
    write_seal(directory, name, made)
    return made


def seal_predecessors(directory: Path, edge: int, clock: Clock) -> None:
    """Finishes every journal of an edge that is not: to be called by whoever holds its number, before it writes."""
    for name in list_journals(directory, edge):
        if find_seal(directory, name) is None:
            made = seal_found(directory, name, clock)
            _log.info("journal of an earlier writer sealed", extra={"journal": name, "end": made.end})


def keep_damaged(directory: Path, name: str, gap: Gap) -> None:
    """Copies a damaged place to `damaged/` and reports it, once. Errors: OSError."""
    kept = directory / "damaged" / f"{name}-{gap.start}-{gap.end}.bin"
    if kept.exists():
        return
    kept.parent.mkdir(exist_ok=True)
    with log_path(directory, name).open("rb") as file:
        write_durably(kept, os.pread(file.fileno(), gap.end - gap.start, gap.start))
    JOURNAL_GAPS.inc()
    _log.error(
        "damaged place in a journal, kept aside",
        extra={"journal": name, "start": gap.start, "end": gap.end, "kept": kept.name},
    )


def walk(data: bytes, position: int) -> Iterator[frames.Frame | Gap]:
    """The frames from `position` on and the damaged places between them; stops behind the last good frame."""
    while True:
        found = frames.read(data, position)
        if isinstance(found, frames.Unreadable):
            later = frames.find_next(data, position + 1)
            if later is None:
                return
            yield Gap(position, later.position)
            found = later
        yield found
        position = found.end
