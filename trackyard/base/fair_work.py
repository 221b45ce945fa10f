"""Fair shares of owners and hosts in work (docs/spec/engine.md#work-in-turns).

A few pieces are worked on at the same time. A piece that takes long delays others of its owner and its host alone.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable
from typing import Final, Generic, Protocol, TypeVar

AT_ONCE: Final = 4
"""Pieces of one kind that a process works on at the same time."""
LOOKED_AT: Final = 1000
"""Due pieces among which one of another owner and host is searched."""

T = TypeVar("T")


class Failures(Protocol):
    """The failures of one thread."""

    def failed(self, error: Exception) -> float:
        """Log a failure; return the seconds to wait."""

    def worked(self) -> None:
        """Note that the thread did its work."""


class FairWork(Generic[T]):
    """Finds the next piece of work, and does it. It is used from several threads.

    list_due: returns what is due, the longest first, at most LOOKED_AT.
    keys_of: returns the owner and the host of a piece: one piece of each is worked on at a time.
    do: claims a piece and does it, or leaves it to another process that has claimed it.
    """

    def __init__(
        self,
        list_due: Callable[[], Iterable[T]],
        keys_of: Callable[[T], Collection[str]],
        do: Callable[[T], object],
    ) -> None:
        self._list_due, self._keys_of, self._do = list_due, keys_of, do
        self._busy = set[str]()
        self._lock = threading.Lock()
        self._idle_until = 0.0

    def do_one(self) -> bool:
        """Do the piece that is due longest; return False without one.

        Its owner and its host must be free.
        """
        with self._lock:
            found = next(
                ((each, keys) for each in self._list_due() if not self._busy & (keys := self._keys(each))), None
            )
            if found is None:
                return False
            piece, keys = found
            self._busy |= keys
        try:
            self._do(piece)
        finally:
            with self._lock:
                self._busy -= keys
        return True

    def run(self, stop: threading.Event, name: str, pause_s: float, failures: Callable[[], Failures]) -> None:
        """Work in AT_ONCE threads until `stop` is set. failures: makes the failure record of each thread."""
        threads = [
            threading.Thread(target=self._run_one, args=(stop, pause_s, failures()), name=name)
            for _ in range(AT_ONCE - 1)
        ]
        for each in threads:
            each.start()
        self._run_one(stop, pause_s, failures())
        for each in threads:
            each.join()

    def _run_one(self, stop: threading.Event, pause_s: float, failures: Failures) -> None:
        while not stop.is_set():
            pause = pause_s
            try:
                has_worked = False  # a thread that worked looks again at once: its owner and host are free
                while not stop.is_set() and (has_worked or time.monotonic() >= self._idle_until):
                    has_worked = self.do_one()
                    if not has_worked:
                        self._idle_until = time.monotonic() + pause_s / 2  # the others need not look so soon
                failures.worked()
            except Exception as error:
                pause = failures.failed(error)
            stop.wait(pause)

    def _keys(self, piece: T) -> set[str]:
        return set(self._keys_of(piece))
