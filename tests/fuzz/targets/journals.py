"""Fuzzed journals: whole, torn and damaged frames, compressed files, and records in them."""

import shutil
import tempfile
from pathlib import Path

import msgspec

from trackyard.base.clock import ManualClock
from trackyard.journal import archive, frames, segments
from trackyard.journal.reader import each_part, next_range
from trackyard.journal.records import (
    Checkpoint,
    RecordKind,
    decode_checkpoint,
    decode_click,
    decode_impression,
    decode_postback,
    encode,
)

EDGE = 1
STARTED = 1_700_000_000_000
DECODE = {
    RecordKind.CLICK: decode_click,
    RecordKind.IMPRESSION: decode_impression,
    RecordKind.POSTBACK: decode_postback,
    RecordKind.CHECKPOINT: decode_checkpoint,
}
SEPARATOR = b"\n\n"
MEMORY = Path("/dev/shm")


def read_journal(data: bytes) -> None:
    """Read a journal made of the pieces of `data`.

    A piece that begins with a digit is a frame of this kind, and others are bytes as they are. A first line "sealed"
    closes the segment.
    """
    first, _, rest = data.partition(b"\n")
    content = b"".join(map(_piece, rest.split(SEPARATOR)))
    home = Path(tempfile.mkdtemp(prefix="fuzz-journal-", dir=MEMORY if MEMORY.is_dir() else None))
    try:
        name = segments.journal_name(EDGE, STARTED)
        segments.log_path(home, name).write_bytes(content)
        if first == b"sealed":
            segments.close_segment(home, name, ManualClock(STARTED))
        _read_ranges(home, content)
        _read_parts(home, name, content)
    finally:
        shutil.rmtree(home)


def _piece(piece: bytes) -> bytes:
    kinds = {b"%d" % kind: kind for kind in RecordKind}
    kind = kinds.get(piece[:1])
    if kind is RecordKind.CHECKPOINT:  # which only the writer fills
        return frames.pack(kind, encode(Checkpoint(STARTED, len(piece))))
    return piece if kind is None else frames.pack(kind, piece[1:])


def _read_ranges(home: Path, content: bytes) -> None:
    """Ranges follow each other to the end, and a repeat with the same end is the same range."""
    journal, position, reads = None, 0, 0
    while (found := next_range(home, EDGE, journal, position)) is not None:
        assert found.start == position and position < found.end <= len(content), "a range does not follow its neighbour"
        again = next_range(home, EDGE, found.journal, position, until=found.end)
        assert again is not None and (again.end, again.frames) == (found.end, found.frames), "a repeat reads otherwise"
        for _, kind, payload in found.frames:
            _decode(kind, payload)
        journal, position, reads = found.journal, found.end, reads + 1
        assert reads <= len(content) + 1, "reading does not end"


def _read_parts(home: Path, name: str, content: bytes) -> None:
    """Records and gaps cover the journal, whatever the size of a read."""
    end = len(content)
    whole = list(each_part(home, name, end))
    parts = list(each_part(home, name, end, step=7))
    assert [r for part in whole for r in part.records] == [r for part in parts for r in part.records], (
        "a step loses records"
    )
    if end:
        assert whole[-1].end == end, "a journal is not read to its end"


def _decode(kind: RecordKind, payload: bytes) -> None:
    try:
        DECODE[kind](payload)
    except msgspec.DecodeError:  # which goes to quarantine
        return


def read_archive(data: bytes) -> None:
    """Read a compressed journal of these bytes: it is damaged, or is read to its end."""
    home = Path(tempfile.mkdtemp(prefix="fuzz-archive-", dir=MEMORY if MEMORY.is_dir() else None))
    try:
        name = segments.journal_name(EDGE, STARTED)
        path = archive.archive_path(home, name)
        path.parent.mkdir()
        path.write_bytes(data)
        try:
            list(each_part(home, name, 4096))
        except archive.ArchiveDamaged:
            return
    finally:
        shutil.rmtree(home)
