"""The one writer of the journal of an edge.

`append` is one system call: its record survives the death of the process. `put` and `flush` are the same for many
records at once: no record is acknowledged before `flush` returned. `sync` makes records survive a power cut. A batch
ends at a checkpoint, which `write_checkpoint_if_due` writes in time.

A full segment is left at once. The next `sync`, in the thread that waits for the disk, syncs and closes it. Until then
readers take it for a journal that is being written, like the journal of a writer that died.
"""

import errno
import fcntl
import logging
import os
import threading
from pathlib import Path
from typing import NamedTuple

from trackyard.base.clock import Clock
from trackyard.base.disks import JOURNAL_FREE_BYTES, disk_space
from trackyard.journal import frames, segments
from trackyard.journal.durable import sync_directory
from trackyard.journal.records import Checkpoint, RecordKind, encode

ROTATE_AT = 64 * 1024 * 1024
ROTATE_AFTER_MS = 86_400_000
"""A journal with few records ends after a day too: retention counts in days."""
CHECKPOINT_RECORDS = 10_000
CHECKPOINT_AFTER_MS = 300
"""With a look every 100 ms a record waits at most 400 ms for its checkpoint."""
IDLE_CHECKPOINT_MS = 5_000

_log = logging.getLogger("trackyard.journal")


class JournalUnwritable(Exception):
    """The journal takes no records; nothing of the refused record is left in it."""


class JournalFull(JournalUnwritable):
    """The disk has no space, or the file reached a size limit."""


class EdgeNumberTaken(Exception):
    """Another process writes with this edge number."""


class _UnclosedSegment(NamedTuple):
    """A segment that is full and not closed yet."""

    name: str
    descriptor: int
    end: int


class JournalWriter:
    """The writer of the journals of an edge; it closes the segments of an earlier writer.

    `append`, `write_checkpoint_if_due` and `close` belong to one thread; `sync` may run in another.

    Raises EdgeNumberTaken at the start, JournalUnwritable when the file system refuses.
    """

    def __init__(self, directory: Path, edge: int, clock: Clock, *, rotate_at: int = ROTATE_AT) -> None:
        self._directory = directory
        self._edge = edge
        self._clock = clock
        self._rotate_at = rotate_at
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = _lock_edge_number(directory, edge)
        # Its holder alone closes descriptors, so that none is closed during a sync.
        self._sync_lock = threading.Lock()
        self._descriptor = -1
        self._unclosed: list[_UnclosedSegment] = []
        # The directory on disk may not have the journal that is being written.
        self._directory_unsynced = False
        self._position = 0
        self._since_checkpoint = 0
        self._pending: list[bytes] = []
        self._checkpoint_at = clock.now_ms()
        self._torn = False
        self.dirty = False
        self.name = ""
        try:
            segments.close_predecessors(directory, edge, clock)
            self._open()
        except BaseException:
            os.close(self._lock)
            raise

    def append(self, kind: RecordKind, payload: bytes) -> int:
        """Write one record and return its position in the journal `self.name`.

        Raises JournalFull, JournalUnwritable; then the file ends with its last whole frame.
        """
        self.flush()
        return self._write_records(frames.pack(kind, payload), 1)

    def put(self, kind: RecordKind, payload: bytes) -> None:
        """Keep a record for the next `flush`."""
        self._pending.append(frames.pack(kind, payload))

    def flush(self) -> None:
        """Write what was put, all or nothing. Raises as `append`; what was put is then dropped."""
        if self._pending:
            put, self._pending = self._pending, []
            self._write_records(put[0] if len(put) == 1 else b"".join(put), len(put))

    def sync(self) -> None:
        """Make everything appended before the call survive a power cut, and close full segments.

        Raises JournalUnwritable; the next call then repeats what failed.
        """
        self.dirty = False
        with self._sync_lock:
            # A segment that the other thread leaves from here on is among the unclosed ones below.
            descriptor, name = self._descriptor, self.name
            try:
                if descriptor >= 0:
                    if self._directory_unsynced:
                        self._directory_unsynced = False
                        self._sync_directory()
                    os.fdatasync(descriptor)
                while self._unclosed:
                    name = self._unclosed[0].name
                    self._close_segment(self._unclosed[0])
                    del self._unclosed[0]
            except OSError as error:
                raise _write_error(name, error) from error

    def write_checkpoint_if_due(self, now_ms: int) -> None:
        """Write the checkpoint that is due at `now_ms`; called every 100 ms. Raises as `append`."""
        if self._descriptor >= 0 and now_ms - segments.start_of(self.name) >= ROTATE_AFTER_MS:
            self._rotate()
        waited = now_ms - self._checkpoint_at
        if waited >= IDLE_CHECKPOINT_MS or waited < 0 or (self._since_checkpoint and waited >= CHECKPOINT_AFTER_MS):
            self.write_checkpoint(now_ms)

    def write_checkpoint(self, now_ms: int) -> None:
        """Write a checkpoint now. Raises as `append`."""
        if self._descriptor < 0:
            self._rotate()
        self._write_checkpoint(now_ms)

    def end_position(self) -> tuple[int, int]:
        """Return the start of the journal that is being written (UTC ms), and its end."""
        return segments.start_of(self.name), self._position

    def has_free_space(self) -> bool:
        """Return whether the disk has room for more than a few records."""
        return disk_space(self._directory).free >= JOURNAL_FREE_BYTES

    def free_share(self) -> float:
        """Return the share of the disk that is free."""
        return disk_space(self._directory).free_share

    def close(self) -> None:
        """Write a checkpoint, close the segment and release the edge number.

        On a full disk the next writer of this number closes the segment.
        """
        try:
            self.flush()
            if self._descriptor >= 0:
                self._end_segment()
            self.sync()
        except JournalUnwritable as error:
            _log.error("segment not closed", extra={"journal": self.name, "error": str(error)})
            with self._sync_lock:
                for descriptor in [self._descriptor, *(ended.descriptor for ended in self._unclosed)]:
                    if descriptor >= 0:
                        os.close(descriptor)
                self._descriptor, self._unclosed = -1, []
        finally:
            os.close(self._lock)

    def _write_records(self, packed: bytes, count: int) -> int:
        if self._position >= self._rotate_at or self._descriptor < 0:
            self._rotate()
        position = self._write(packed)
        self._since_checkpoint += count
        if self._since_checkpoint >= CHECKPOINT_RECORDS:
            self._write_checkpoint(self._clock.now_ms())
        return position

    def _write(self, frame: bytes) -> int:
        position = self._position
        if self._torn:
            self._truncate()
        written = 0
        try:
            while written < len(frame):
                written += os.write(self._descriptor, frame[written:])
        except OSError as error:
            if written:
                self._torn = True
                self._truncate()
            raise _write_error(self.name, error) from error
        self._position = position + len(frame)
        self.dirty = True
        return position

    def _truncate(self) -> None:
        try:
            os.ftruncate(self._descriptor, self._position)
        except OSError as error:
            raise _write_error(self.name, error) from error
        self._torn = False

    def _write_checkpoint(self, now_ms: int) -> None:
        self._write(frames.pack(RecordKind.CHECKPOINT, encode(Checkpoint(now_ms, self._since_checkpoint))))
        self._since_checkpoint = 0
        self._checkpoint_at = now_ms

    def _rotate(self) -> None:
        if self._descriptor >= 0:
            self._end_segment()
        try:
            self._open()
        except OSError as error:
            raise _write_error(self.name, error) from error

    def _end_segment(self) -> None:
        self._write_checkpoint(self._clock.now_ms())
        ended = _UnclosedSegment(self.name, self._descriptor, self._position)
        # Before the descriptor goes: a sync that finds no descriptor finds it here.
        self._unclosed.append(ended)
        self._descriptor = -1

    def _close_segment(self, ended: _UnclosedSegment) -> None:
        os.fdatasync(ended.descriptor)
        segment_end = segments.SegmentEnd(end=ended.end, sealed_at=self._clock.now_ms(), gaps=[])
        segments.write_segment_end(self._directory, ended.name, segment_end)
        os.close(ended.descriptor)

    def _sync_directory(self) -> None:
        try:
            sync_directory(self._directory)
        except OSError:
            self._directory_unsynced = True
            raise

    def _open(self) -> None:
        # The order of names is the order of reading, even when the clock went back.
        start = self._clock.now_ms()
        last = segments.find_last_journal(self._directory, self._edge)
        if last is not None:
            start = max(start, segments.start_of(last) + 1)
        self.name = segments.journal_name(self._edge, start)
        path = segments.log_path(self._directory, self.name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        descriptor = os.open(path, flags, 0o644)
        self._position = 0
        self._since_checkpoint = 0
        # Before the descriptor: a sync that finds the descriptor finds this.
        self._directory_unsynced = True
        self._descriptor = descriptor


def _lock_edge_number(directory: Path, edge: int) -> int:
    descriptor = os.open(directory / f"{edge:03d}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise EdgeNumberTaken(f"another process writes the journal of edge {edge} in {directory}") from None
    return descriptor


def _write_error(name: str, error: OSError) -> JournalUnwritable:
    kind = JournalFull if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else JournalUnwritable
    return kind(f"journal {name}: {error}")
