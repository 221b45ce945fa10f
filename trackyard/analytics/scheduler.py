"""The schedule of statements on the analytic store: heavy reports of one caller do not delay others.

A statement begins in one of a few light slots. After two seconds it is heavy: it continues in a heavy slot, of which
each caller has few, or is ended and waits for one. So a light slot is free again within two seconds. Files of many
rows take a heavy slot for each piece, so that a slow reader does not hold one.
"""

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from trackyard.analytics.cancellation import CancellationToken
from trackyard.base.errors import ReportsBusy, RequestCancelled

log = logging.getLogger("trackyard.analytics")

_CHECK_INTERVAL_S: Final = 0.2
"""The time between checks of the running statements."""


@dataclass(frozen=True, slots=True)
class ConcurrencyLimit:
    """The largest number of statements at once.

    most, each: in total, and of one name.
    waiting, seconds: further statements that wait, and their longest wait.
    """

    most: int
    each: int
    waiting: int
    seconds: float


LIGHT_LIMIT: Final = ConcurrencyLimit(most=6, each=2, waiting=64, seconds=10)
HEAVY_LIMIT: Final = ConcurrencyLimit(most=2, each=1, waiting=16, seconds=15)
LIGHT_SECONDS: Final = 2.0
"""The time after which a statement is heavy."""


class SlotPool:
    """Slots that several callers share; the waiting caller that was served the longest ago is first."""

    def __init__(self, limit: ConcurrencyLimit, has_heavy: Callable[[str], bool] = lambda _name: False) -> None:
        """Create a pool. has_heavy: whether a name has heavy statements; then it has one slot here."""
        self._limit, self._has_heavy = limit, has_heavy
        self._changed = threading.Condition()
        self._running: dict[str, int] = {}
        self._waiting: list[CancellationToken] = []
        self._served: dict[str, int] = {}
        self._releases = 0

    def acquire(self, token: CancellationToken, *, no_timeout: bool = False) -> None:
        """Wait for a slot. Raises ReportsBusy after the limit, unless no_timeout, and RequestCancelled."""
        until = math.inf if no_timeout else time.monotonic() + self._limit.seconds
        with self._changed:
            if len(self._waiting) >= self._limit.waiting and not no_timeout:
                raise ReportsBusy(self._limit.seconds)
            self._waiting.append(token)
            try:
                while self._next() is not token:
                    remaining = until - time.monotonic()
                    if token.is_cancelled:
                        raise RequestCancelled
                    if remaining <= 0:
                        raise ReportsBusy(self._limit.seconds)
                    self._changed.wait(min(remaining, threading.TIMEOUT_MAX))
                self._take(token.name)
            finally:
                self._waiting.remove(token)
                self._changed.notify_all()

    def try_acquire(self, name: str) -> bool:
        """Take a slot if one is free and no other statement waits for it."""
        with self._changed:
            if not self._is_free(name) or self._next() is not None:
                return False
            self._take(name)
            return True

    def release(self, name: str) -> None:
        """Release a slot."""
        with self._changed:
            self._running[name] -= 1
            if not self._running[name]:
                del self._running[name]
            waiting = {each.name for each in self._waiting}
            self._served = {each: turn for each, turn in self._served.items() if each in waiting}
            self._releases += 1
            self._served[name] = self._releases
            self._changed.notify_all()

    def is_held_by(self, name: str) -> bool:
        """Return whether a name holds a slot."""
        return name in self._running

    def wake_waiters(self) -> None:
        """Make the waiting statements check again."""
        with self._changed:
            self._changed.notify_all()

    def waiting(self) -> list[str]:
        """Return the name of each waiting statement, oldest first."""
        with self._changed:
            return [each.name for each in self._waiting]

    def _next(self) -> CancellationToken | None:
        runnable = [each for each in self._waiting if self._is_free(each.name)]
        return min(runnable, key=lambda each: self._served.get(each.name, 0), default=None)

    def _is_free(self, name: str) -> bool:
        running, each = self._running, 1 if self._has_heavy(name) else self._limit.each
        return sum(running.values()) < self._limit.most and running.get(name, 0) < each

    def _take(self, name: str) -> None:
        self._running[name] = self._running.get(name, 0) + 1


@dataclass(eq=False, slots=True)
class RunningQuery:
    """A running statement.

    id: by which it is killed.
    requeued: it was killed, as it is heavy and no heavy slot was free.
    """

    token: CancellationToken
    started_at: float
    id: str = field(default_factory=lambda: secrets.token_hex(12))
    heavy: bool = False
    requeued: bool = False


class QueryScheduler:
    """The schedule of one analytic store.

    kill: ends the statement of an id if it runs; a thread of the scheduler calls it.
    """

    def __init__(
        self,
        kill: Callable[[str], None],
        *,
        light: ConcurrencyLimit = LIGHT_LIMIT,
        heavy: ConcurrencyLimit = HEAVY_LIMIT,
        light_seconds: float = LIGHT_SECONDS,
    ) -> None:
        self._kill = kill
        self._heavy = SlotPool(heavy)
        self._light = SlotPool(light, self._heavy.is_held_by)
        self._files = SlotPool(replace(heavy, most=max(1, heavy.most - 1)))
        self._light_seconds = light_seconds
        self._lock = threading.Lock()
        self._running: set[RunningQuery] = set()
        self._wake = threading.Event()
        self._watcher: threading.Thread | None = None
        self._closed = False

    def close(self) -> None:
        """End the thread that checks statements."""
        self._closed = True
        self._wake.set()
        if self._watcher is not None:
            self._watcher.join()

    def waiting(self) -> list[str]:
        """Return the name of each statement that waits for a slot."""
        return self._light.waiting() + self._heavy.waiting() + self._files.waiting()

    def running_of(self, token: CancellationToken) -> list[str]:
        """Return the ids of the statements that a request runs now."""
        return [each.id for each in self._list_running() if each.token is token]

    def light(self, token: CancellationToken) -> AbstractContextManager[RunningQuery]:
        """Hold a light slot during the block. Raises ReportsBusy, RequestCancelled."""
        return self._run(token, self._light)

    def heavy(self, token: CancellationToken) -> AbstractContextManager[RunningQuery]:
        """Hold a heavy slot for a requeued statement. Raises ReportsBusy, RequestCancelled."""
        return self._run(token, self._heavy)

    @contextmanager
    def file_slot(self, token: CancellationToken, *, no_timeout: bool) -> Iterator[None]:
        """Hold a heavy slot for the next rows of a file; files leave one to reports.

        no_timeout: wait without limit. Raises the errors of `SlotPool.acquire`.
        """
        with (
            self._slot(token, self._files, no_timeout=no_timeout),
            self._slot(token, self._heavy, no_timeout=no_timeout),
        ):
            yield
        self._light.wake_waiters()

    @staticmethod
    @contextmanager
    def _slot(token: CancellationToken, lane: SlotPool, *, no_timeout: bool) -> Iterator[None]:
        with token.on_cancel(lane.wake_waiters):
            lane.acquire(token, no_timeout=no_timeout)
        try:
            yield
        finally:
            lane.release(token.name)

    @contextmanager
    def _run(self, token: CancellationToken, lane: SlotPool) -> Iterator[RunningQuery]:
        with token.on_cancel(lane.wake_waiters):
            lane.acquire(token)
        turn = RunningQuery(token, time.monotonic(), heavy=lane is self._heavy)
        self._register(turn)
        try:
            with token.on_cancel(self._wake.set):
                if token.is_cancelled:
                    raise RequestCancelled
                yield turn
        finally:
            with self._lock:
                self._running.remove(turn)
            (self._heavy if turn.heavy else self._light).release(token.name)
            self._light.wake_waiters()

    def _register(self, turn: RunningQuery) -> None:
        with self._lock:
            self._running.add(turn)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="turns", daemon=True)
                self._watcher.start()
        self._wake.set()

    def _watch(self) -> None:
        while not self._closed:
            self._wake.wait(_CHECK_INTERVAL_S if self._list_running() else None)
            self._wake.clear()
            for turn in self._list_running():
                self._check(turn)

    def _list_running(self) -> list[RunningQuery]:
        with self._lock:
            return list(self._running)

    def _check(self, turn: RunningQuery) -> None:
        with self._lock:
            is_late = turn in self._running and time.monotonic() - turn.started_at > self._light_seconds
            if is_late and not turn.heavy and not turn.requeued:
                turn.heavy = self._heavy.try_acquire(turn.token.name)
                turn.requeued = not turn.heavy
                if turn.heavy:
                    self._light.release(turn.token.name)
        if turn.requeued or turn.token.is_cancelled:
            # Again until it has ended: a kill before the begin of the statement has no effect.
            try:
                self._kill(turn.id)
            except Exception:
                log.warning("statement not killed", exc_info=True)
