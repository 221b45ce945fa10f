"""Whose question the analytic store is asked, so that turns are fair and what nobody waits for any more is ended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock


class CancellationToken:
    """A request that may ask the analytic store. `name`: who asks; turns are shared out by it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = Lock()
        self._is_cancelled = False
        self._on_cancel: Callable[[], None] | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._is_cancelled

    def cancel(self) -> None:
        """Ends what is being asked, and lets nothing more be asked. Safe from any thread; does not wait."""
        with self._lock:
            self._is_cancelled, end = True, self._on_cancel
        if end is not None:
            end()

    @contextmanager
    def on_cancel(self, end: Callable[[], None]) -> Iterator[None]:
        """While the block runs, giving up calls `end`."""
        with self._lock:
            self._on_cancel = end
        try:
            yield
        finally:
            with self._lock:
                self._on_cancel = None


current_cancellation: ContextVar[CancellationToken | None] = ContextVar("asking", default=None)
"""The request being served in this context; None outside of one: what the program itself asks waits for no turn."""
