"""A value that is computed only when the last one is old, by one thread at a time."""

import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_USABLE_S: Final = 60.0
"""Age up to which a value is still returned while another thread makes a new one."""


class Cached(Generic[T]):
    """The result of `make`, renewed when it is older than `seconds`.

    While a thread makes it, others get the last one, so that a slow `make` holds one thread.
    """

    def __init__(self, make: Callable[[], T], seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._make = make
        self._seconds = seconds
        self._clock = clock
        self._making = threading.Lock()
        self._last: tuple[float, T] | None = None

    def get(self) -> T:
        """Return the value. Raises what `make` raises."""
        last = self._last
        if last is not None and self._clock() - last[0] < self._seconds:
            return last[1]
        usable = last is not None and self._clock() - last[0] < _USABLE_S
        if not self._making.acquire(blocking=not usable):
            assert last is not None
            return last[1]
        try:
            # Another thread may have made it meanwhile.
            if self._last is None or self._last is last:
                self._last = self._clock(), self._make()
            return self._last[1]
        finally:
            self._making.release()
