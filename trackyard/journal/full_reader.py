"""Reading a whole journal fast, for a rebuild."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.journal.segments import Gap, each_frame, open_content

_READ_SIZE: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class JournalPart:
    """The content of some bytes of a journal.

    records: (position, kind, payload), checkpoints among them
    gaps: damaged or missing places
    end: offset behind both
    """

    records: list[tuple[int, int, bytes]]
    gaps: list[Gap]
    end: int


def each_part(directory: Path, name: str, end: int, *, step: int = _READ_SIZE) -> Iterator[JournalPart]:
    """Yield the content of a journal before byte `end`, about `step` bytes at a time.

    end: the end of a frame

    Positions are those of the journal, compressed or not. What is no frame, or is missing at the end of the file, is a
    gap.

    Raises FileNotFoundError when the journal is not kept any more, and journal.archive.ArchiveDamaged.
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
    """Return the records of `data`, the damaged places, and how many bytes both take.

    base: byte offset of `data`
    last: no bytes follow; otherwise an unclear end is left for the next part
    """
    records: list[tuple[int, int, bytes]] = []
    gaps: list[Gap] = []
    at = 0
    for item in each_frame(data, 0):
        if isinstance(item, Gap):
            gaps.append(Gap(base + item.start, base + item.end))
        else:
            records.append((base + item.position, item.kind, item.payload))
            at = item.end
    if last and at < len(data):
        gaps.append(Gap(base + at, base + len(data)))
        at = len(data)
    return records, gaps, at
