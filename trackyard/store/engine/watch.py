"""A watch for commits of any process, so that an idle task costs next to nothing."""

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Final

from sqlalchemy import make_url

from trackyard.store.engine.database import Database

MAX_WAIT_SECONDS: Final = 1.0
"""The longest wait, so that work that becomes due by the clock is not delayed."""
MAX_CLOSED_SECONDS: Final = 3.0
"""The longest time that a gate stays closed, in case that a change was not seen."""
QUIET_S: Final = 10.0
"""Without a commit for so long, checks are less frequent."""


class CommitWatcher:
    """A watch for commits of any process. For one thread at a time.

    SQLite counts them (`PRAGMA data_version` takes some microseconds). PostgreSQL has no such count, so every check
    assumes a commit.
    """

    def __init__(self, database: Database) -> None:
        self._connection: sqlite3.Connection | None = None
        self._changed_at = time.monotonic()
        if database.is_sqlite:
            file = make_url(database.url).database
            self._connection = sqlite3.connect(str(file), isolation_level=None, check_same_thread=False)
        try:
            self._last_version = self._version()
        except BaseException:
            self.close()
            raise

    def wait(self, stop: threading.Event, pause_seconds: float) -> None:
        """Return after a commit since the last wait, when `stop` is set, or after a second.

        pause_seconds: between checks; five times as long in quiet times, when the last commit is QUIET_S ago.
        """
        now = time.monotonic()
        end = now + MAX_WAIT_SECONDS
        pause = 5 * pause_seconds if now - self._changed_at >= QUIET_S else pause_seconds
        while not stop.wait(pause) and time.monotonic() < end:
            if self.has_changed():
                self._changed_at = time.monotonic()
                return

    def has_changed(self) -> bool:
        """Return whether a commit is possible since the last call."""
        version = self._version()
        changed = self._connection is None or version != self._last_version
        self._last_version = version
        return changed

    def state(self) -> object:
        """Return a value that is equal while nothing was committed."""
        return object() if self._connection is None else self._version()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _version(self) -> int:
        if self._connection is None:
            return 0
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])


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
