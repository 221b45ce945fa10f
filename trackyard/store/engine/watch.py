"""Noticing that something was committed, without asking for what."""

import sqlite3
import threading
import time

from sqlalchemy import make_url

from trackyard.store.engine.database import Database

MAX_WAIT_SECONDS = 1.0
"""A watch lets go after this much time at the latest, so that what falls due by the clock is not slept through."""


class CommitWatcher:
    """Waits for commits of any process. Belongs to one thread at a time.

    SQLite counts them (`PRAGMA data_version`: some microseconds). On PostgreSQL, which has no such count, every look
    may have found something.
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
        """Returns after a commit that came since the last wait, looking every `pause_seconds`; or when `stop` is set,
        or after a second."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not stop.wait(pause_seconds) and time.monotonic() < end:
            if self.has_changed():
                return

    def has_changed(self) -> bool:
        """Whether something may have been committed since it was asked last."""
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
