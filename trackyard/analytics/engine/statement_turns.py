"""How many statements chDB runs at once (docs/spec/engine.md#analytic-store)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MOST_AT_ONCE: Final = 16
"""More than requests may run (analytics/scheduler.py), so that loads and look-ups do not wait for reports."""
_LONGEST_WAIT_S: Final = 5.0


class StatementTurns:
    """Lets a number of statements run at once.

    chDB keeps as many threads as its busiest moment needed, about four a statement, each with three open files. A
    statement within another one of its thread does not wait. None waits for long: one that runs may depend on it.
    """

    def __init__(self, most: int = MOST_AT_ONCE, longest_wait_s: float = _LONGEST_WAIT_S) -> None:
        self._places = threading.BoundedSemaphore(most)
        self._longest_wait_s = longest_wait_s
        self._of_thread = threading.local()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Run one statement in the block, when it is its turn."""
        if getattr(self._of_thread, "has_turn", False) or not self._places.acquire(timeout=self._longest_wait_s):
            yield
            return
        self._of_thread.has_turn = True
        try:
            yield
        finally:
            self._of_thread.has_turn = False
            self._places.release()
