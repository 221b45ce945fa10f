"""A watch for commits of any process."""

import sqlite3
import threading
import time

from sqlalchemy import make_url

from trackyard.store.engine.database import Database

MAX_WAIT_SECONDS = 1.0
"""The longest wait, so that work that becomes due by the clock is not delayed."""


class CommitWatcher:
    """A watch for commits of any process. For one thread at a time.

    SQLite counts them (`PRAGMA data_version` takes some microseconds). PostgreSQL has no such count, so every check
    assumes a commit.
    """

    def __init__(self, database: Database) -> None:
        self._connection: sqlite3.Connection | None = None
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

        pause_seconds: between checks.
        """
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not stop.wait(pause_seconds) and time.monotonic() < end:
            if self.has_changed():
                return

    def has_changed(self) -> bool:
        """Return whether a commit is possible since the last call."""
        version = self._version()
        changed = self._connection is None or version != self._last_version
        self._last_version = version
        return changed

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _version(self) -> int:
        if self._connection is None:
            return 0
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
