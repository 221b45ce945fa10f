"""The request behind a statement, for fair slots and for cancellation."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock


class CancellationToken:
    """A request that may query the analytic store. name: its caller, for fair slots."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = Lock()
        self._is_cancelled = False
        self._on_cancel: list[Callable[[], None]] = []

    @property
    def is_cancelled(self) -> bool:
        """Return whether no client waits for the answer any more."""
        return self._is_cancelled

    def cancel(self) -> None:
        """End the running statements and prevent further ones. Safe from any thread; does not wait."""
        with self._lock:
            self._is_cancelled, ends = True, list(self._on_cancel)
        for end in ends:
            end()

    @contextmanager
    def on_cancel(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` on a cancellation during the block."""
        with self._lock:
            self._on_cancel.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._on_cancel.remove(end)


current_cancellation: ContextVar[CancellationToken | None] = ContextVar("asking", default=None)
"""The request in this context; None outside of requests, where statements wait for no slot."""
