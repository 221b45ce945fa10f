"""Reading journals in ranges that every repeat returns again (docs/spec/engine.md#exactly-once).

A range ends at a checkpoint or at the end of a closed segment, never at the end of an open file. The end of a range of
several checkpoints depends on how many existed: the reader records this end, and a repeat requests it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trackyard.journal import segments
from trackyard.journal.frames import Frame, Unreadable, read
from trackyard.journal.records import RecordKind, decode_checkpoint
from trackyard.journal.segments import Gap, SegmentEnd, each_frame, open_content

_FIRST_READ_SIZE = 1024 * 1024
_BATCH_READ_SIZE = 64 * 1024 * 1024
_PART_SIZE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """The records that are loaded as one batch.

    start, end: byte offsets in `journal`; end is exclusive, after the last checkpoint
    frames: (position, kind, payload) without checkpoints
    checkpoint_at: time of the last checkpoint, UTC ms; without one the time when the segment was closed
    gaps: damaged places inside, already copied to `damaged/`
    checkpoints: how many it has; 0 = it ends at the end of a closed segment
    """

    journal: str
    start: int
    end: int
    frames: list[tuple[int, RecordKind, bytes]]
    checkpoint_at: int
    gaps: list[Gap]
    checkpoints: int


def next_range(
    directory: Path, edge: int, journal: str | None, position: int, *, records: int = 0, until: int = 0
) -> OffsetRange | None:
    """Return the range of an edge that follows a position; None = nothing is complete yet.

    journal: None = the first one of the edge
    records: undamaged checkpoints are added until the range has so many records
    until: the end of the range, as an earlier call with this position returned it; 0 = the first checkpoint

    `records` and `until` hold in `journal` alone. Behind the end of a closed segment the next journal follows.
    """
    for name in _each_journal_from(directory, edge, journal):
        start = position if name == journal else 0
        # Looked for before the bytes are read: a closed segment never changes.
        segment_end = segments.find_segment_end(directory, name)
        if segment_end is not None and start >= segment_end.end:
            continue
        wanted = (records, until) if name == journal else (0, 0)
        found = _read_range(directory, name, start, segment_end, *wanted)
        if found is not None and found.gaps and segment_end is None:
            # The read may have met a write half-way: damage counts when a second read finds it too.
            found = _read_range(directory, name, start, segment_end, *wanted)
        if found is not None:
            for gap in found.gaps:
                segments.quarantine_damaged(directory, found.journal, gap)
        return found
    return None


def count_records(directory: Path, name: str, start: int) -> int:
    """Return how many records of a journal follow a position, up to what cannot be read."""
    with open_content(directory, name) as content:
        data = content.read(start, max(0, content.size - start))
    count = position = 0
    while not isinstance(found := read(data, position), Unreadable):
        count += found.kind != RecordKind.CHECKPOINT
        position = found.end
    return count


def _each_journal_from(directory: Path, edge: int, journal: str | None) -> Iterator[str]:
    """Yield an edge's journals from one on; the further journals are listed late, because they are many."""
    if journal is not None and segments.log_path(directory, journal).exists():
        yield journal
        yield from (name for name in segments.list_journals(directory, edge) if name > journal)
    else:
        yield from (name for name in segments.list_journals(directory, edge) if journal is None or name >= journal)


def _read_range(
    directory: Path, name: str, start: int, segment_end: SegmentEnd | None, records: int, until: int
) -> OffsetRange | None:
    with open_content(directory, name) as content:
        size = content.size
        limit = min(segment_end.end, size) if segment_end is not None else size
        step = max(until - start, _BATCH_READ_SIZE if records else _FIRST_READ_SIZE)
        while True:
            whole = start + step >= limit
            data = content.read(start, limit - start if whole else step)
            if whole or _reaches_checkpoint(data):
                break
            step *= 4
    return _assemble(name, start, data, segment_end, records, until)


def _reaches_checkpoint(data: bytes) -> bool:
    """Return whether undamaged frames lead to a checkpoint; damage needs the whole rest of a file."""
    position = 0
    while True:
        found = read(data, position)
        if isinstance(found, Unreadable):
            return False
        if found.kind == RecordKind.CHECKPOINT:
            return True
        position = found.end


def _assemble(
    name: str, start: int, data: bytes, segment_end: SegmentEnd | None, min_records: int, until: int
) -> OffsetRange | None:
    records: list[tuple[int, RecordKind, bytes]] = []
    gaps: list[Gap] = []
    end = start
    checkpoints = checkpoint_end = checkpoint_at = checkpoint_records = 0
    for item in each_frame(data, 0):
        if not isinstance(item, Frame):
            if checkpoints:
                break  # the checkpoints before are whole; the damage is the next range
            gaps.append(Gap(start + item.start, start + item.end))
            continue
        end = start + item.end
        if item.kind != RecordKind.CHECKPOINT:
            records.append((start + item.position, RecordKind(item.kind), item.payload))
            continue
        checkpoints, checkpoint_end, checkpoint_at, checkpoint_records = (
            checkpoints + 1,
            end,
            decode_checkpoint(item.payload).time,
            len(records),
        )
        if gaps or (end >= until and len(records) >= min_records):
            break
    if checkpoints:
        return OffsetRange(name, start, checkpoint_end, records[:checkpoint_records], checkpoint_at, gaps, checkpoints)
    if segment_end is None:
        return None
    if end < segment_end.end:
        # Whole when the segment was closed, damaged since.
        gaps.append(Gap(end, segment_end.end))
    return OffsetRange(name, start, segment_end.end, records, segment_end.sealed_at, gaps, 0)


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


def each_part(directory: Path, name: str, end: int, *, step: int = _PART_SIZE) -> Iterator[JournalPart]:
    """Yield the content of a journal before byte `end`, about `step` bytes at a time.

    end: the end of a frame

    Positions are offsets in the uncompressed journal. Bytes that are not a frame, or are missing at the end of the
    file, are a gap.

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
