"""A journal from its beginning, as fast as it can be read: for whoever makes everything of it again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.journal.frames import Unreadable, find_next, read
from trackyard.journal.segments import Gap, open_content

_READ_SIZE: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class JournalPart:
    """What stands in some bytes of a journal. records: (position, kind, payload), marks among them · gaps: damaged or
    missing places · end: offset behind both."""

    records: list[tuple[int, int, bytes]]
    gaps: list[Gap]
    end: int


def each_part(directory: Path, name: str, end: int, *, step: int = _READ_SIZE) -> Iterator[JournalPart]:
    """What a journal holds before byte `end`, at which a frame ends, about `step` bytes at a time.

    Positions are those of the journal, compressed or not. What is no frame, or is missing at the end of the file, is a
    gap. Raises FileNotFoundError when there is no such journal any more, and journal.archive.ArchiveDamaged.
    """
    with open_content(directory, name) as content:
        data, base = b"", 0
        while base < end:
            have = base + len(data)
            more = content.read(have, min(step, end - have))
            data += more
            records, gaps, used = _split_records(data, base, last=not more or have + len(more) >= end)
            if not more and base + used < end:
                gaps.append(Gap(base + used, end))
                used = end - base
            if records or gaps:
                yield JournalPart(records, gaps, base + used)
            data, base = data[used:], base + used


def _split_records(data: bytes, base: int, *, last: bool) -> tuple[list[tuple[int, int, bytes]], list[Gap], int]:
    """The records of `data`, which stands at byte `base`, the damaged places, and how many bytes they take; what may be
    judged better with the bytes that follow is left, unless these are the last."""
    records: list[tuple[int, int, bytes]] = []
    gaps: list[Gap] = []
    at = 0
    while at < len(data):
        found = read(data, at)
        if isinstance(found, Unreadable):
            if found is Unreadable.TRUNCATED and not last:
                break
            later = find_next(data, at + 1)
            if later is None:
                if last:
                    gaps.append(Gap(base + at, base + len(data)))
                    at = len(data)
                break
            gaps.append(Gap(base + at, base + later.position))
            found = later
        records.append((base + found.position, found.kind, found.payload))
        at = found.end
    return records, gaps, at
