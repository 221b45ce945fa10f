"""How loading yields to requests of the same process (docs/spec/engine.md#a-backlog)."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_LOOK_S: Final = 0.01


class LoadPace:
    """Lets requests go first while a backlog is loaded.

    While requests run, one piece is loaded at a time, after a pause that lasts until no request runs, at most half as
    long as the piece before took. So loading has at least two thirds of the time.

    is_busy: returns whether requests run now.
    """

    def __init__(
        self,
        is_busy: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._is_busy, self._clock, self._sleep = is_busy, clock, sleep
        self._one_piece = threading.Lock()
        self._last_s = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Load one piece in the block, when it is its turn."""
        if not self._is_busy():
            with self._measured():
                yield
            return
        with self._one_piece:
            until = self._clock() + self._last_s / 2
            while self._is_busy() and self._clock() < until:
                self._sleep(_LOOK_S)
            with self._measured():
                yield

    @contextmanager
    def _measured(self) -> Iterator[None]:
        begun = self._clock()
        yield
        self._last_s = self._clock() - begun
