"""Group commit: one sync of the journal serves every waiting postback."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.connection import Connection
from trackyard.journal.writer import JournalUnwritable, JournalWriter

CLICK_SYNC_DELAY_S = 0.01
"""Clicks are on disk at most about this much later."""

_log = logging.getLogger("trackyard.edge")


class GroupCommit:
    """Syncs the journal in a thread: at once when a postback waits, else 10 ms after a click."""

    def __init__(self, writer: JournalWriter, edge: EdgeHandler, loop: asyncio.AbstractEventLoop) -> None:
        self._writer = writer
        self._edge = edge
        self._loop = loop
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal-sync")
        self._waiters: list[Connection] = []
        self._running = False
        self._scheduled = False
        self._closed = False

    def wait(self, waiter: Connection) -> None:
        """Call `waiter.synced(ok)` once everything written so far is durable."""
        self._waiters.append(waiter)
        self._start()

    def sync_soon(self) -> None:
        """Sync soon when something was written."""
        if self._writer.dirty and not self._scheduled:
            self._scheduled = True
            self._loop.call_later(CLICK_SYNC_DELAY_S, self._on_sync_due)

    def close(self) -> None:
        """End the thread after its running sync; closing the writer syncs the rest."""
        self._closed = True
        self._thread.shutdown(wait=True)

    def _on_sync_due(self) -> None:
        self._scheduled = False
        self._start()

    def _start(self) -> None:
        if self._running or self._closed:
            return
        self._running = True
        # A record of a waiter that comes later may be missing in this sync: the waiter gets the next.
        waiters, self._waiters = self._waiters, []
        done = self._loop.run_in_executor(self._thread, self._writer.sync)
        done.add_done_callback(lambda future: self._done(future, waiters))

    def _done(self, future: "asyncio.Future[None]", waiters: list[Connection]) -> None:
        self._running = False
        fault = future.exception()
        if fault is not None:
            _log.error("journal sync failed", extra={"error": str(fault)})
            if isinstance(fault, JournalUnwritable):
                self._edge.journal_fault = str(fault)
        for waiter in waiters:
            waiter.synced(fault is None)
        if self._waiters:
            self._start()
