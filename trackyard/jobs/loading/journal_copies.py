"""Copy journals to a bucket every second, and restore the journals of a lost machine.

docs/spec/engine.md#copies-of-journals. Clicks never wait for it: it reads what edges have written.
"""

import logging
import threading
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Final

from trackyard.base.metrics import JOURNAL_COPIED_BYTES, JOURNAL_COPY_LAG
from trackyard.jobs.failures import JobFailures
from trackyard.journal import segments
from trackyard.journal.durable import write_durably
from trackyard.journal.frames import Frame
from trackyard.journal.records import RecordKind
from trackyard.store.engine.database import Database
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking.journal_bucket import CopiedPart, JournalBucket, contiguous_parts

_PART_BYTES: Final = 8 * 1024 * 1024
_REMOVE_EVERY_S: Final = 60.0
_MAX_PAUSE_S: Final = 5.0

log = logging.getLogger("trackyard.projector")


class RestoreRefused(Exception):
    """The data directory holds something already, or the bucket has no such machine."""


class JournalCopier:
    """Copy the journals of `directory`. `run` belongs to one thread; any may call `lag`.

    directory_id: the id of the data directory, a part of the copies' names.
    """

    def __init__(
        self,
        database: Database,
        bucket: JournalBucket,
        directory: Path,
        directory_id: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._bucket = bucket
        self._directory = directory
        self._machine = directory_id
        self._monotonic = monotonic
        self._copied: dict[str, int] | None = None
        self._complete_at = monotonic()
        self._removed_at = -_REMOVE_EVERY_S
        self._failures = JobFailures(log, "projector", "journal copies", most_s=_MAX_PAUSE_S)

    def run(self, stop: threading.Event, pause_seconds: float = 0.5) -> None:
        """Copy until `stop` is set, and once more after it while the bucket answers."""
        lag = threading.Thread(target=self._show_lag, args=(stop,), name="journal copies: lag")
        lag.start()
        while not stop.is_set():
            stop.wait(self._try_copy(pause_seconds))
        if not self._failures.count:
            self._try_copy(0)
        lag.join()

    def lag(self) -> float:
        """Return for how many seconds records may be without a copy."""
        return max(0.0, self._monotonic() - self._complete_at)

    def copy(self) -> int:
        """Copy what is new, and remove copies that are loaded; return the number of parts.

        Raises FilesUnavailable.
        """
        begun = self._monotonic()
        if self._copied is None:
            self._copied = self._find_copied()
        parts = 0
        for edge in segments.list_edges(self._directory):
            for name in segments.list_plain(self._directory, edge):
                while self._copy_part(name, self._copied):
                    parts += 1
        self._complete_at = begun
        if begun - self._removed_at >= _REMOVE_EVERY_S:
            self._removed_at = begun  # also where SQL does not answer: copying continues without a pause
            self.remove_loaded()
        return parts

    def remove_loaded(self) -> None:
        """Remove the copies of journals that are closed and loaded: the stores have all of them."""
        with self._database.read() as conn:
            reached = {each.edge: (each.journal, each.position) for each in checkpoints.get_checkpoints(conn)}
        for name, parts in groupby(self._bucket.list_parts(self._machine), lambda part: part.journal):
            if segments.is_loaded(self._directory, name, reached.get(int(name[:3]))):
                self._bucket.remove(list(parts))
                if self._copied is not None:
                    self._copied[name] = segments.end_of(self._directory, name)

    def _find_copied(self) -> dict[str, int]:
        """Return the end of each copy in the bucket."""
        found = {}
        for name, parts in groupby(self._bucket.list_parts(self._machine), lambda part: part.journal):
            whole = contiguous_parts(parts)
            found[name] = whole[-1][0].end if whole else 0
        return found

    def _copy_part(self, name: str, copied: dict[str, int]) -> bool:
        """Copy the next whole frames of a journal; return whether there were any."""
        start = copied.get(name, 0)
        try:
            with segments.open_content(self._directory, name) as content:
                data = content.read(start, _PART_BYTES)
        except FileNotFoundError:
            return False  # it was loaded, and is not kept any more
        end, has_records = 0, False
        for item in segments.each_frame(data, 0):
            end = item.end
            has_records |= isinstance(item, Frame) and item.kind != RecordKind.CHECKPOINT
        if not end or not has_records:
            return False
        self._bucket.put(CopiedPart(self._machine, name, start, start + end), data[:end])
        copied[name] = start + end
        JOURNAL_COPIED_BYTES.inc(end)
        return True

    def _try_copy(self, pause_seconds: float) -> float:
        """Copy once; return the seconds to wait."""
        try:
            self.copy()
        except Exception as error:  # the bucket or SQL is away: the next attempt begins where this one ended
            return self._failures.failed(error)
        self._failures.worked()
        return pause_seconds

    def _show_lag(self, stop: threading.Event) -> None:
        while not stop.wait(1.0):
            JOURNAL_COPY_LAG.set(self.lag())


def restore_journals(bucket: JournalBucket, machine: str, data_directory: Path) -> dict[str, int]:
    """Make a data directory of the copies of a lost machine; return the bytes of each journal.

    A start on it closes the journals and loads what is not loaded. Raises RestoreRefused, FilesUnavailable, OSError.
    """
    journals = data_directory / "journal"
    if (data_directory / "directory.id").exists() or journals.exists():
        raise RestoreRefused(f"{data_directory} has journals already: name an empty directory")
    parts = bucket.list_parts(machine)
    if not parts:
        raise RestoreRefused(f"the bucket has no journals of {machine}")
    journals.mkdir(parents=True, mode=0o700)
    restored = {}
    for name, group in groupby(parts, lambda part: part.journal):
        content = b"".join(bucket.read(part)[new - part.start :] for part, new in contiguous_parts(group))
        if content:  # else it is loaded, and its copy was about to be removed
            write_durably(segments.log_path(journals, name), content, mode=0o600)
            restored[name] = len(content)
    write_durably(data_directory / "directory.id", machine.encode(), mode=0o600)
    return restored
