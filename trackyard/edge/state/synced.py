"""The log of an edge's synced state, which survives a power cut.

Each frame (journal/frames.py) contains the changed counts, and the place of the journal up to which counts and visitors
are synced. Counts are absolute: the last value of each, up to the last whole frame, is valid.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from trackyard.edge.state.counts_file import ClickCount
from trackyard.journal import frames
from trackyard.journal.durable import write_all, write_durably

COMPACT_AT: Final = 4 * 1024 * 1024

_KIND: Final = 1


class Position(NamedTuple):
    """A place in the journals of an edge: the start of a journal (UTC ms), and a byte offset."""

    journal: int
    offset: int


class SyncRecord(msgspec.Struct, array_like=True, frozen=True):
    """One frame of the log.

    counts_at, visitors_at: everything recorded before this position is synced
    visitors_s: when the visitors were synced, UTC s
    counts: the changed counts
    """

    counts_at: Position
    visitors_at: Position
    visitors_s: int
    counts: list[ClickCount]


@dataclass(frozen=True, slots=True)
class SyncedState:
    """The synced state that all frames of a log describe."""

    counts_at: Position
    visitors_at: Position
    visitors_s: int
    counts: dict[bytes, ClickCount]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(SyncRecord).decode


def find_synced_state(path: Path) -> SyncedState | None:
    """Return the state up to the first frame that is not whole; None = the file has no whole frame."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    last: SyncRecord | None = None
    counts: dict[bytes, ClickCount] = {}
    found = frames.read(data, 0)
    while isinstance(found, frames.Frame):
        last = _decode(found.payload)
        counts.update((counted.key, counted) for counted in last.counts)
        found = frames.read(data, found.end)
    return None if last is None else SyncedState(last.counts_at, last.visitors_at, last.visitors_s, counts)


class SyncedLog:
    """A new log at `path` that begins with `first`. Raises OSError."""

    def __init__(self, path: Path, first: SyncRecord) -> None:
        self._path = path
        self._size = 0
        self._begin(first)

    def append(self, synced: SyncRecord, now_s: int) -> None:
        """Append a frame durably. Raises OSError, with nothing appended."""
        if self._size > COMPACT_AT:
            known = find_synced_state(self._path)
            if known is not None:
                merged = {**known.counts, **{counted.key: counted for counted in synced.counts}}
                synced = msgspec.structs.replace(synced, counts=unexpired(merged.values(), now_s))
            os.close(self._descriptor)
            self._begin(synced)
            return
        frame = frames.pack(_KIND, _encode(synced))
        try:
            write_all(self._descriptor, frame)
            os.fdatasync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(frame)

    def close(self) -> None:
        os.close(self._descriptor)

    def _begin(self, first: SyncRecord) -> None:
        frame = frames.pack(_KIND, _encode(first))
        try:
            write_durably(self._path, frame)
            self._size = len(frame)
        finally:
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def unexpired(counts: Iterable[ClickCount], now_s: int) -> list[ClickCount]:
    """Return the counts of periods that are not over at `now_s`."""
    return [counted for counted in counts if counted.end > now_s]
