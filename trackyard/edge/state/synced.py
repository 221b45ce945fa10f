"""The part of an edge's state that survives a power cut of the memory-mapped files.

A log of frames (journal/frames.py): each says which counts changed, and up to where in the edge's journal counts and
visitors are safe. Counts are absolute, so the last of each is the truth of the last whole frame.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from trackyard.edge.state.counts_file import ClickCount
from trackyard.journal import frames
from trackyard.journal.durable import write_durably

COMPACT_AT: Final = 4 * 1024 * 1024

_KIND: Final = 1


class Position(NamedTuple):
    """A place in an edge's journals: when the journal began (UTC ms), and a byte offset in it."""

    journal: int
    offset: int


class SyncRecord(msgspec.Struct, array_like=True, frozen=True):
    """One frame. counts_at, visitors_at: everything recorded before is safe · visitors_s: when the visitors were,
    UTC s · counts: those that changed."""

    counts_at: Position
    visitors_at: Position
    visitors_s: int
    counts: list[ClickCount]


@dataclass(frozen=True, slots=True)
class SyncedState:
    """All frames of a log together."""

    counts_at: Position
    visitors_at: Position
    visitors_s: int
    counts: dict[bytes, ClickCount]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(SyncRecord).decode


def find_synced_state(path: Path) -> SyncedState | None:
    """What the log says, up to its first frame that is not whole; None = it says nothing."""
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
    """Writes a new log at `path`, beginning with `first`. Raises OSError."""

    def __init__(self, path: Path, first: SyncRecord) -> None:
        self._path = path
        self._size = 0
        self._begin(first)

    def append(self, synced: SyncRecord, now_s: int) -> None:
        """Adds a frame, durably, or nothing. Errors: OSError."""
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
            written = 0
            while written < len(frame):
                written += os.write(self._descriptor, frame[written:])
            os.fdatasync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(frame)

    def close(self) -> None:
        """Gives the file back."""
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
