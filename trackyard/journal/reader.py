"""Reading journals in ranges that are the same on every repeat (docs/spec/engine.md#exactly-once).

A range ends at a mark or at the sealed end of a journal, never at the end of an unsealed file. One of several marks
depends on how many there are: whoever asks for it notes where it ends, and asks for that end again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trackyard.journal import segments
from trackyard.journal.frames import Frame, Unreadable, read
from trackyard.journal.records import Kind, decode_mark
from trackyard.journal.segments import Gap, Seal, walk

_FIRST_READ = 1024 * 1024
_READ_OF_MANY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Range:
    """What may be loaded as one batch, always the same on a repeat.

    marks: how many it has; 0 = it ends at the sealed end · start, end: byte offsets in `journal`, end exclusive (after
    its last mark) · frames: (position, kind, payload) without marks · marked_at: time of its last mark, UTC ms; for a
    sealed end without a mark the time of the seal · gaps: damaged places inside, already copied to `damaged/`.
    """

    journal: str
    start: int
    end: int
    frames: list[tuple[int, Kind, bytes]]
    marked_at: int
    gaps: list[Gap]
    marks: int


def next_range(
    directory: Path, edge: int, journal: str | None, position: int, *, records: int = 0, until: int = 0
) -> Range | None:
    """The range of an edge that follows (journal, position); `journal` None means from its first.

    records: further marks are taken in, undamaged, until there are so many records · until: the end of the range, as an
    earlier one from here said; 0 = the first mark. Both count in `journal` alone.

    Steps over to the edge's next journal behind a sealed end. None: nothing complete yet.
    """
    for name in _each_from(directory, edge, journal):
        start = position if name == journal else 0
        # The seal is looked for before the bytes are read: a sealed file never changes.
        seal = segments.find_seal(directory, name)
        if seal is not None and start >= seal.end:
            continue
        wanted = (records, until) if name == journal else (0, 0)
        found = _read_range(directory, name, start, seal, *wanted)
        if found is not None and found.gaps and seal is None:
            # A file that is being written can be caught in the middle of a write: damage is believed twice.
            found = _read_range(directory, name, start, seal, *wanted)
        if found is not None:
            for gap in found.gaps:
                segments.keep_damaged(directory, found.journal, gap)
        return found
    return None


def _each_from(directory: Path, edge: int, journal: str | None) -> Iterator[str]:
    """The names of an edge's journals from one on. They are listed only when that one has no more: there are many."""
    if journal is not None and segments.log_path(directory, journal).exists():
        yield journal
        yield from (name for name in segments.list_journals(directory, edge) if name > journal)
    else:
        yield from (name for name in segments.list_journals(directory, edge) if journal is None or name >= journal)


def _read_range(directory: Path, name: str, start: int, seal: Seal | None, records: int, until: int) -> Range | None:
    with segments.open_content(directory, name) as content:
        size = content.size
        limit = min(seal.end, size) if seal is not None else size
        step = max(until - start, _READ_OF_MANY if records else _FIRST_READ)
        while True:
            whole = start + step >= limit
            data = content.read(start, limit - start if whole else step)
            if whole or _reaches_mark(data):
                break
            step *= 4
    return _assemble(name, start, data, seal, records, until)


def _reaches_mark(data: bytes) -> bool:
    """Whether undamaged frames lead to a mark within `data`; damage is judged by the whole rest of a file."""
    position = 0
    while True:
        found = read(data, position)
        if isinstance(found, Unreadable):
            return False
        if found.kind == Kind.MARK:
            return True
        position = found.end


def _assemble(name: str, start: int, data: bytes, seal: Seal | None, most: int, until: int) -> Range | None:
    records: list[tuple[int, Kind, bytes]] = []
    gaps: list[Gap] = []
    end = start
    marks = marked_end = marked_at = marked_records = 0
    for item in walk(data, 0):
        if not isinstance(item, Frame):
            if marks:
                break  # what was taken in is whole; the damage, or what was not read to its end, comes next
            gaps.append(Gap(start + item.start, start + item.end))
            continue
        end = start + item.end
        if item.kind != Kind.MARK:
            records.append((start + item.position, Kind(item.kind), item.payload))
            continue
        marks, marked_end, marked_at, marked_records = marks + 1, end, decode_mark(item.payload).time, len(records)
        if gaps or (end >= until and len(records) >= most):
            break
    if marks:
        return Range(name, start, marked_end, records[:marked_records], marked_at, gaps, marks)
    if seal is None:
        return None
    if end < seal.end:
        # Good when it was sealed, damaged since.
        gaps.append(Gap(end, seal.end))
    return Range(name, start, seal.end, records, seal.sealed_at, gaps, 0)
