"""Compress finished journals and remove erased data from them (docs/decisions/0029).

One thread does so for a directory. After a kill each journal is whole: the plain file stays until its archive has its
name, and a repeat has the same result.
"""

import logging
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from trackyard.domain.platform.erasures import ErasedSubjects
from trackyard.domain.tracking.near_misses import plain_click_id
from trackyard.journal import frames, segments
from trackyard.journal.archive import Archive, ArchiveIndex, archive_path, write_archive
from trackyard.journal.durable import sync_directory, write_durably
from trackyard.journal.erasing import erase_record
from trackyard.journal.frames import Frame
from trackyard.journal.records import RecordKind, decode_postback
from trackyard.journal.segments import JournalContent

_log = logging.getLogger("trackyard.journal")

FindErased = Callable[[Collection[str]], frozenset[str]]
"""Returns the click ids, of some, with an erased click: a postback does not say which person clicked."""


class JournalCut(Exception):
    """A journal is shorter than it was when it was finished. The text contains its file."""


def compress_journal(directory: Path, name: str, erasure: ErasedSubjects, find_erased: FindErased) -> None:
    """Compress a finished and loaded journal without erased data.

    Raises OSError, ArchiveDamaged, JournalCut, and ValueError for a journal that is not finished.
    """
    segment_end = segments.find_segment_end(directory, name)
    if segment_end is None:
        raise ValueError(f"the journal {name} is not finished")
    plain = segments.log_path(directory, name)
    if plain.exists() and (size := plain.stat().st_size) < segment_end.end:
        raise JournalCut(f"{plain} ends after {size} of {segment_end.end} bytes: restore it from a backup")
    gaps = [(gap.start, gap.end) for gap in segment_end.gaps]
    with segments.open_content(directory, name) as content:
        data = _without_erased(content, segment_end.end, erasure, find_erased)
        read = content.read if data is None else _read_from(data)
        write_archive(
            archive_path(directory, name), read, ArchiveIndex(segment_end.end, segment_end.sealed_at, gaps, [])
        )
    plain.unlink(missing_ok=True)
    (directory / f"{name}.sealed").unlink(missing_ok=True)
    sync_directory(directory)


def erase_archived(directory: Path, name: str, erasure: ErasedSubjects, find_erased: FindErased) -> bool:
    """Rid a compressed journal of erased data; return whether it had any.

    Raises OSError, ArchiveDamaged, FileNotFoundError.
    """
    path = archive_path(directory, name)
    with Archive(path) as packed:
        data = _without_erased(packed, packed.size, erasure, find_erased)
        if data is None:
            return False
        write_archive(path, _read_from(data), packed.index)
    return True


def erased_until(directory: Path) -> int:
    """Return the number of the last erasure that is done in all compressed journals."""
    path = _erased_file(directory)
    return int(path.read_text(encoding="ascii")) if path.exists() else 0


def set_erased_until(directory: Path, number: int) -> None:
    """Note that an erasure and all earlier ones are done in all compressed journals."""
    path = _erased_file(directory)
    path.parent.mkdir(exist_ok=True)
    write_durably(path, str(number).encode())


def _erased_file(directory: Path) -> Path:
    return archive_path(directory, "x").with_name("erased")


def _read_from(data: bytearray) -> Callable[[int, int], bytes]:
    return lambda start, length: bytes(data[start : start + length])


def _without_erased(
    content: JournalContent, end: int, erasure: ErasedSubjects, find_erased: FindErased
) -> bytearray | None:
    """Return the bytes of a journal with erased data emptied in place; None = it has none.

    Every record keeps its offset, by which it is known.
    """
    if not erasure:
        return None
    data = content.read(0, end)
    found = [item for item in segments.each_frame(data, 0) if isinstance(item, Frame)]
    named = {_click_id_of(frame.payload) for frame in found if frame.kind == RecordKind.POSTBACK}
    erased_clicks = erasure.with_clicks(find_erased(named - {""}))
    result: bytearray | None = None
    for frame in found:
        payload = erase_record(erased_clicks, frame.kind, frame.payload)
        if payload is frame.payload:
            continue
        # JSON may end in spaces
        padded = payload.ljust(len(frame.payload))
        if len(padded) != len(frame.payload):
            _log.error("emptied record not shorter", extra={"position": frame.position})
            continue
        result = bytearray(data) if result is None else result
        result[frame.position : frame.end] = frames.pack(frame.kind, padded)
    return result


def _click_id_of(payload: bytes) -> str:
    try:
        return plain_click_id(decode_postback(payload).params.get("clickid", ""))
    except msgspec.MsgspecError:
        return ""
