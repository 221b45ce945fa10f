"""The ruleset on its way to the edges: `rules.snapshot`, and `rules.log` with what changed since.

Both are frames (journal/frames.py) of msgpack. The snapshot begins with its head and is replaced by a rename. The log
is appended to, and each snapshot empties it. The projector writes, every edge reads. The time of `rules.heard` is when
the writer last knew that nothing newer is to be published.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from trackyard.domain.tracking.ruleset import SCHEMA_VERSION
from trackyard.journal import frames
from trackyard.journal.durable import write_all, write_durably

COMPACT_AT = 64 * 1024 * 1024
"""A log larger than this is due for `RulesetLogWriter.replace`."""

_CONFIRM_EVERY_MS = 1000

_HEAD = 1
_ENTRY = 2


class RulesetEntry(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One row of the ruleset at one version.

    payload: msgpack of the row in domain/tracking/ruleset.py; None = the row is removed
    """

    version: int
    kind: str
    key: str
    payload: bytes | None


class RulesetSnapshot(msgspec.Struct, frozen=True):
    """All rows of the ruleset at `version`."""

    version: int
    entries: list[RulesetEntry]


class _SnapshotHead(msgspec.Struct, array_like=True, frozen=True):
    schema: int
    version: int
    count: int


_encode = msgspec.msgpack.Encoder().encode
_decode_entry = msgspec.msgpack.Decoder(RulesetEntry).decode
_decode_head = msgspec.msgpack.Decoder(_SnapshotHead).decode


class RulesetLogWriter:
    """The writer of the ruleset in `directory`; one at a time.

    version: the last one published; 0 = nothing usable is there, and `replace` is due

    The opening cuts off what a crash left torn or damaged, and `version` is then an earlier one.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._snapshot = directory / "rules.snapshot"
        self._log = directory / "rules.log"
        self._confirmation_file = directory / "rules.heard"
        self._confirmed_at = 0
        self.version = 0
        self.log_size = 0
        snapshot = _find_snapshot(self._snapshot)
        if snapshot is not None:
            self.version = snapshot.version
            self._recover_log()

    @property
    def needs_compaction(self) -> bool:
        """Whether the log is larger than COMPACT_AT."""
        return self.log_size > COMPACT_AT

    def append(self, entries: Iterable[RulesetEntry]) -> None:
        """Publish changes, in the order of their versions. Raises OSError, with nothing published."""
        packed = [(entry.version, _pack(entry)) for entry in entries]
        if not packed:
            return
        with self._log.open("ab", buffering=0) as file:
            try:
                write_all(file.fileno(), b"".join(frame for _, frame in packed))
            except OSError:
                file.truncate(self.log_size)
                raise
            self.log_size = os.fstat(file.fileno()).st_size
        self.version = max(self.version, *(version for version, _ in packed))

    def replace(self, entries: Iterable[RulesetEntry], version: int) -> None:
        """Publish a snapshot of all rows at `version`, and empty the log. Raises OSError."""
        packed = [_pack(entry) for entry in entries]
        head = frames.pack(_HEAD, _encode(_SnapshotHead(SCHEMA_VERSION, version, len(packed))))
        write_durably(self._snapshot, head + b"".join(packed))
        write_durably(self._log, b"")
        self.version = version
        self.log_size = 0

    def confirm_current(self, now_ms: int) -> None:
        """Note that everything is published at `now_ms`, at most once a second. Raises OSError."""
        if 0 <= now_ms - self._confirmed_at < _CONFIRM_EVERY_MS:
            return
        self._confirmation_file.touch()
        os.utime(self._confirmation_file, ns=(now_ms * 1_000_000, now_ms * 1_000_000))
        self._confirmed_at = now_ms

    def _recover_log(self) -> None:
        data = self._log.read_bytes() if self._log.exists() else b""
        good = 0
        for entry, end in _each_entry(data, 0):
            self.version = max(self.version, entry.version)
            good = end
        if good < len(data):
            # A new file, not a shorter one: a reader may be behind the place already.
            write_durably(self._log, data[:good])
        self.log_size = good


class RulesetLogReader:
    """The reader of the ruleset in `directory`.

    version: the last one returned
    loaded: a snapshot was returned
    """

    def __init__(self, directory: Path) -> None:
        self._snapshot = directory / "rules.snapshot"
        self._log = directory / "rules.log"
        self._confirmation_file = directory / "rules.heard"
        self._snapshot_identity: tuple[int, int] | None = None
        self._log_identity: tuple[int, int] | None = None
        self._base = 0
        self._position = 0
        self.version = 0
        self.loaded = False

    def has_snapshot(self) -> bool:
        """Return whether the next `poll` reads a new snapshot, which takes long when it is large."""
        identity = _identity(self._snapshot)
        return identity is not None and identity != self._snapshot_identity

    def poll(self) -> list[RulesetEntry] | RulesetSnapshot | None:
        """Return new entries: a snapshot replaces all rows, a list changes some; None = nothing is new.

        After a snapshot the next call returns the log behind it.

        Raises OSError; the next call then returns what this one did not.
        """
        if self.has_snapshot():
            identity = _identity(self._snapshot)
            snapshot = _find_snapshot(self._snapshot)
            # Not earlier: a snapshot that could not be read is read again.
            self._snapshot_identity = identity
            if snapshot is not None:
                self._base = self.version = snapshot.version
                self._log_identity = None
                self.loaded = True
                return snapshot
        return self._poll_log() if self.loaded else None

    def find_confirmed_at(self) -> int | None:
        """Return when the source last confirmed that everything is published (UTC ms); None = never."""
        try:
            return self._confirmation_file.stat().st_mtime_ns // 1_000_000
        except FileNotFoundError:
            return None

    def _poll_log(self) -> list[RulesetEntry] | None:
        try:
            file = self._log.open("rb")
        except FileNotFoundError:
            return None
        with file:
            status = os.fstat(file.fileno())
            identity = (status.st_dev, status.st_ino)
            if identity != self._log_identity or status.st_size < self._position:
                self._log_identity = identity
                self._position = 0
            if status.st_size == self._position:
                return None
            data = os.pread(file.fileno(), status.st_size - self._position, self._position)
        entries: list[RulesetEntry] = []
        end = 0
        for entry, entry_end in _each_entry(data, 0):
            end = entry_end
            if entry.version > self._base:
                entries.append(entry)
        self._position += end
        if not entries:
            return None
        self.version = max(self.version, *(entry.version for entry in entries))
        return entries


def _pack(entry: RulesetEntry) -> bytes:
    return frames.pack(_ENTRY, _encode(entry))


def _each_entry(data: bytes, position: int) -> Iterator[tuple[RulesetEntry, int]]:
    """Yield entries with the offset behind each, up to the first frame that is not whole."""
    while True:
        found = frames.read(data, position)
        if isinstance(found, frames.Unreadable):
            return
        yield _decode_entry(found.payload), found.end
        position = found.end


def _find_snapshot(path: Path) -> RulesetSnapshot | None:
    """Return the snapshot; None = there is none, it is damaged, or it has another schema."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    first = frames.read(data, 0)
    if isinstance(first, frames.Unreadable) or first.kind != _HEAD:
        return None
    head = _decode_head(first.payload)
    if head.schema != SCHEMA_VERSION:
        return None
    entries = [entry for entry, _ in _each_entry(data, first.end)]
    return RulesetSnapshot(head.version, entries) if len(entries) == head.count else None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns
