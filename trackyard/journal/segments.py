"""Journals as files of a directory: names, order, ends (docs/spec/engine.md#exactly-once).

`{edge:03d}-{start_ms:013d}.log` is a journal; its name without `.log` is the name of the journal. `{name}.sealed` in
the same folder closes the segment, and contains its end: bytes after the end are a torn tail and never read. A
closed segment that is loaded is compressed in `archive/` (journal/archive.py), together with its end.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from trackyard.base.clock import Clock
from trackyard.base.metrics import JOURNAL_GAPS
from trackyard.journal import archive, frames
from trackyard.journal.durable import write_durably


@dataclass(frozen=True, slots=True)
class Gap:
    """A damaged place: byte offsets in its journal, end exclusive."""

    start: int
    end: int


class SegmentEnd(msgspec.Struct, frozen=True):
    """The end of a closed segment: `end` is the offset after its last good frame, `sealed_at` UTC ms."""

    end: int
    sealed_at: int
    gaps: list[Gap]


_COARSE_NS = 2_000_000_000
_listed: dict[tuple[Path, int], tuple[int, list[str]]] = {}
"""By folder of archives and edge: when the folder changed last, and its names."""

_log = logging.getLogger("trackyard.journal")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SegmentEnd).decode


def journal_name(edge: int, start_ms: int) -> str:
    """Return the name of the journal that an edge began at `start_ms` (UTC ms)."""
    return f"{edge:03d}-{start_ms:013d}"


def start_of(name: str) -> int:
    """Return when a journal began, UTC ms."""
    return int(name[4:])


def log_path(directory: Path, name: str) -> Path:
    """Return the file of a journal that is not compressed."""
    return directory / f"{name}.log"


class JournalContent(Protocol):
    """The bytes of a journal, compressed or not."""

    @property
    def size(self) -> int:
        """The bytes that are there now."""

    def read(self, start: int, length: int) -> bytes:
        """Return bytes from an offset on, fewer at the end."""


@dataclass(frozen=True, slots=True)
class _PlainContent:
    descriptor: int

    @property
    def size(self) -> int:
        return os.fstat(self.descriptor).st_size

    def read(self, start: int, length: int) -> bytes:
        return os.pread(self.descriptor, max(0, length), start)


@contextmanager
def open_content(directory: Path, name: str) -> Iterator[JournalContent]:
    """Open a journal of `directory`, compressed or not.

    Raises FileNotFoundError for a journal that is not kept any more, and ArchiveDamaged.
    """
    try:
        descriptor = os.open(log_path(directory, name), os.O_RDONLY)
    except FileNotFoundError:
        # Compressed: the archive is there before the plain file is removed.
        with archive.Archive(archive.archive_path(directory, name)) as packed:
            yield packed
        return
    try:
        yield _PlainContent(descriptor)
    finally:
        os.close(descriptor)


def list_journals(directory: Path, edge: int) -> list[str]:
    """Return the journals of an edge, oldest first."""
    return sorted({*list_plain(directory, edge), *list_archived(directory, edge)})


def list_plain(directory: Path, edge: int) -> list[str]:
    """Return the uncompressed journals, oldest first."""
    return _names(directory, edge, ".log")


def list_archived(directory: Path, edge: int) -> list[str]:
    """Return the compressed journals, oldest first."""
    # They may be tens of thousands, and the projector looks ten times a second.
    folder = directory / archive.FOLDER
    try:
        changed_at = folder.stat().st_mtime_ns
    except FileNotFoundError:
        return []
    key = (folder, edge)
    known = _listed.get(key)
    if known is not None and known[0] == changed_at:
        return list(known[1])
    names = _names(folder, edge, ".log.zst")
    # The file system's clock is coarse: a change just now may not show in the time of the next one.
    if time.time_ns() - changed_at > _COARSE_NS:
        _listed[key] = (changed_at, names)
    return list(names)


def list_edges(directory: Path) -> list[int]:
    """Return the numbers of the edges that ever wrote here, ascending."""
    # Each has its lock; a journal without one was put here by hand.
    found = [*directory.glob("[0-9][0-9][0-9].lock"), *directory.glob(f"[0-9][0-9][0-9]-{'[0-9]' * 13}.log")]
    return sorted({int(path.name[:3]) for path in found})


def find_last_journal(directory: Path, edge: int) -> str | None:
    """Return the name of the last journal of an edge, kept or removed; None = it began none."""
    removed = _last_removed(directory, edge)
    known = list_journals(directory, edge)
    if removed.exists():
        known.append(removed.read_text(encoding="ascii"))
    return max(known, default=None)


def remove_archived(directory: Path, edge: int, name: str) -> None:
    """Removes a compressed journal; that there was one of its name stays known. Errors: OSError."""
    removed = _last_removed(directory, edge)
    if not removed.exists() or removed.read_text(encoding="ascii") < name:
        write_durably(removed, name.encode())
    archive.archive_path(directory, name).unlink()


def find_segment_end(directory: Path, name: str) -> SegmentEnd | None:
    """Return the end of a segment; None = it is being written, or its end is damaged.

    The next writer writes a damaged end again.
    """
    try:
        return _decode((directory / f"{name}.sealed").read_bytes())
    except msgspec.DecodeError:
        return None
    except FileNotFoundError:
        pass
    try:
        with archive.Archive(archive.archive_path(directory, name)) as packed:
            index = packed.index
    except FileNotFoundError:
        return None
    return SegmentEnd(end=index.end, sealed_at=index.sealed_at, gaps=[Gap(*gap) for gap in index.gaps])


def end_of(directory: Path, name: str) -> int:
    """Return the byte offset at which a journal ends. An open journal ends after its last written byte."""
    segment_end = find_segment_end(directory, name)
    if segment_end is not None:
        return segment_end.end
    with open_content(directory, name) as content:
        return content.size


def bytes_after(directory: Path, edge: int, place: tuple[str, int]) -> int:
    """Return the number of bytes in the journals of an edge after a place, which is (journal, position)."""
    total = 0
    for name in list_journals(directory, edge):
        if name >= place[0]:
            with suppress(FileNotFoundError):  # retention or compression was here
                total += max(0, end_of(directory, name) - (place[1] if name == place[0] else 0))
    return total


def is_loaded(directory: Path, name: str, reached: tuple[str, int] | None) -> bool:
    """Return whether a journal is closed and loaded. reached: (journal, position) of its edge."""
    if reached is None or name > reached[0]:
        return False
    segment_end = find_segment_end(directory, name)
    return segment_end is not None and (name < reached[0] or reached[1] >= segment_end.end)


def begin_after(directory: Path, edge: int, name: str) -> None:
    """Make the journals of an edge begin after `name`, a journal of another directory. Raises OSError."""
    last = find_last_journal(directory, edge)
    if last is None or last < name:
        (directory / archive.FOLDER).mkdir(parents=True, exist_ok=True)
        write_durably(_last_removed(directory, edge), name.encode())


def _names(directory: Path, edge: int, ending: str) -> list[str]:
    found = directory.glob(f"{edge:03d}-{'[0-9]' * 13}{ending}")
    return sorted(path.name.removesuffix(ending) for path in found)


def _last_removed(directory: Path, edge: int) -> Path:
    return directory / archive.FOLDER / f"{edge:03d}.removed"


def write_segment_end(directory: Path, name: str, segment_end: SegmentEnd) -> None:
    """Write the end of a segment to disk, durably. Raises OSError."""
    write_durably(directory / f"{name}.sealed", _encode(segment_end))


def close_segment(directory: Path, name: str, clock: Clock) -> SegmentEnd:
    """Close a segment without a writer at its last good frame, even with damage before it.

    The bytes behind that frame are quarantined: they nearly always are a record that was never acknowledged.
    """
    data = log_path(directory, name).read_bytes()
    end = 0
    gaps: list[Gap] = []
    for item in each_frame(data, 0):
        if isinstance(item, Gap):
            gaps.append(item)
        else:
            end = item.end
    if end < len(data):
        quarantine_damaged(directory, name, Gap(end, len(data)))
    closed = SegmentEnd(end=end, sealed_at=clock.now_ms(), gaps=gaps)
    write_segment_end(directory, name, closed)
    return closed


def close_predecessors(directory: Path, edge: int, clock: Clock) -> None:
    """Close every open segment of an edge; the process that holds its number calls it first."""
    for name in list_plain(directory, edge):
        if find_segment_end(directory, name) is None:
            closed = close_segment(directory, name, clock)
            _log.info("segment of an earlier writer closed", extra={"journal": name, "end": closed.end})


def quarantine_damaged(directory: Path, name: str, gap: Gap) -> None:
    """Copy a damaged place to `damaged/` and report it, once. Raises OSError."""
    copy = directory / "damaged" / f"{name}-{gap.start}-{gap.end}.bin"
    if copy.exists():
        return
    copy.parent.mkdir(exist_ok=True)
    with open_content(directory, name) as content:
        write_durably(copy, content.read(gap.start, gap.end - gap.start))
    JOURNAL_GAPS.inc()
    _log.error(
        "damaged place of a journal quarantined",
        extra={"journal": name, "start": gap.start, "end": gap.end, "kept": copy.name},
    )


def each_frame(data: bytes, position: int) -> Iterator[frames.Frame | Gap]:
    """Yield frames from `position` to the last good one, and the damaged places between them."""
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
