"""A watch for commits of any process, so that an idle task costs next to nothing."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

from sqlalchemy import make_url

from trackyard.store.engine.database import Database

MAX_WAIT_SECONDS: Final = 1.0
"""The longest wait, so that work that becomes due by the clock is not delayed."""
MAX_CLOSED_SECONDS: Final = 3.0
"""The longest time without a look for work that commits alone bring, in case that a commit was not seen."""
LOOK_S: Final = 0.05
"""Time between two looks for a commit. One thread looks for all that wait in a process."""
IDLE_LOOK_S: Final = 0.1
"""The same after a time without a commit: a look costs little more than to wake the thread."""
_IDLE_LOOKS: Final = 40


class _CommitLookout:
    """A thread that looks for commits of a SQLite file, and wakes the threads that wait for one.

    SQLite counts commits of other connections (`PRAGMA data_version` takes some microseconds).
    """

    def __init__(self, file: str) -> None:
        self.users = 0
        self._file = file
        self._commits = 0
        self._changed = threading.Condition()
        self._stops: list[threading.Event] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="commits", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()

    def wait(self, seen: int, stop: threading.Event, seconds: float) -> int:
        """Wait until the number of commits is not `seen`, or `stop` is set; return the number."""
        with self._changed:
            self._stops.append(stop)
            try:
                self._changed.wait_for(lambda: self._commits != seen or stop.is_set(), seconds)
            finally:
                self._stops.remove(stop)
            return self._commits

    def _run(self) -> None:
        with closing(sqlite3.connect(self._file, isolation_level=None)) as connection:
            last: object = None
            looks = 0
            while not self._ended.wait(LOOK_S if looks < _IDLE_LOOKS else IDLE_LOOK_S):
                version = _version(connection)
                looks = 0 if version != last else looks + 1
                if version != last or any(stop.is_set() for stop in tuple(self._stops)):
                    with self._changed:
                        self._commits += version != last
                        self._changed.notify_all()
                last = version


def _version(connection: sqlite3.Connection) -> object:
    """Return the number of commits.

    One that cannot be read is a change: tasks look, and report the fault.
    """
    try:
        return int(connection.execute("PRAGMA data_version").fetchone()[0])
    except sqlite3.Error:
        return object()


_lookouts: Final[dict[str, _CommitLookout]] = {}
_lookouts_lock: Final = threading.Lock()


def _join_lookout(file: str) -> _CommitLookout:
    """Return the lookout of a file, which runs as long as anyone uses it."""
    with _lookouts_lock:
        found = _lookouts.get(file)
        if found is None:
            found = _lookouts[file] = _CommitLookout(file)
            found.start()
        found.users += 1
        return found


def _leave_lookout(file: str) -> None:
    with _lookouts_lock:
        found = _lookouts[file]
        found.users -= 1
        if not found.users:
            del _lookouts[file]
            found.end()


class CommitWatcher:
    """A watch for commits of any process. For one thread at a time.

    PostgreSQL does not count commits, so every check assumes one.
    """

    def __init__(self, database: Database) -> None:
        self._file = str(make_url(database.url).database) if database.is_sqlite else ""
        self._connection: sqlite3.Connection | None = None
        self._lookout: _CommitLookout | None = None
        self._seen = -1
        self._returned_at = 0.0
        self._last_version: object = None

    def wait(self, stop: threading.Event, pause_seconds: float, most_seconds: float | None = None) -> None:
        """Return after a commit since the last wait, when `stop` is set, or after a while.

        The first wait returns at once.
        pause_seconds: between two returns, at least. most_seconds: the longest wait; None = MAX_WAIT_SECONDS.
        """
        pause = self._returned_at + pause_seconds - time.monotonic() if self._file else pause_seconds
        if pause <= 0 or not stop.wait(pause):
            self._wait_for_commit(stop, MAX_WAIT_SECONDS if most_seconds is None else most_seconds)
        self._returned_at = time.monotonic()

    def _wait_for_commit(self, stop: threading.Event, seconds: float) -> None:
        if self._file:
            self._lookout = self._lookout or _join_lookout(self._file)
            self._seen = self._lookout.wait(self._seen, stop, seconds)

    def has_changed(self) -> bool:
        """Return whether a commit is possible since the last call."""
        version = self.state()
        changed = version != self._last_version
        self._last_version = version
        return changed

    def state(self) -> object:
        """Return a value that is equal while nothing was committed."""
        if not self._file:
            return object()
        if self._connection is None:
            self._connection = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False)
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close what it opened."""
        if self._connection is not None:
            self._connection.close()
        if self._lookout is not None:
            self._lookout = None
            _leave_lookout(self._file)


class ChangeGate:
    """Is open when something changed since its task had nothing to do, or after MAX_CLOSED_SECONDS.

    state: returns a value that is equal while nothing changed; it costs much less than to look for work.
    """

    def __init__(self, state: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._state = state
        self._clock = clock
        self._looked_at: object = None
        self._idle_state: object = None
        self._idle_until = 0.0

    def is_open(self) -> bool:
        """Return whether the task may have something to do. Call it before the task looks.

        A state that cannot be read is a change: the task looks, meets the fault and reports it.
        """
        try:
            self._looked_at = self._state()
        except Exception:
            self._looked_at = object()
            return True
        return self._looked_at != self._idle_state or self._clock() >= self._idle_until

    def set_idle(self) -> None:
        """Remember that the task had nothing to do in the state of the last `is_open`."""
        self._idle_state = self._looked_at
        self._idle_until = self._clock() + MAX_CLOSED_SECONDS
