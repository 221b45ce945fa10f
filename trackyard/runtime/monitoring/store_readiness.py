"""The readiness of a process that needs the stores, also while one of them hangs."""

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from trackyard.base.logs.outages import first_line
from trackyard.runtime.monitoring.readiness import READINESS_S

if TYPE_CHECKING:
    from trackyard.wire.http.health import Readiness

LOOK_S: Final = 3.0
"""An answer of `/readyz` waits no longer for the stores."""

log = logging.getLogger("trackyard.monitoring")


class StoreReadiness:
    """What `look` found last. A store that hangs delays no answer longer than LOOK_S.

    look: checks the stores; it may hang.
    failing: returns the reasons that need no store.
    """

    def __init__(
        self,
        look: "Callable[[], Readiness]",
        failing: Callable[[], list[str]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._failing = failing
        self._clock = clock
        self._lock = threading.Lock()
        self._last: tuple[float, Readiness] | None = None
        self._began_at: float | None = None
        self._ended = threading.Event()

    def get(self) -> "Readiness":
        """Return the readiness; not ready while the stores have not answered for LOOK_S."""
        from trackyard.wire.http.health import Readiness

        with self._lock:
            now = self._clock()
            if self._last is not None and now - self._last[0] < READINESS_S:
                return self._last[1]
            if self._began_at is None:
                self._began_at, self._ended = now, threading.Event()
                threading.Thread(target=self._run, name="readiness", daemon=True).start()
            began_at, ended = self._began_at, self._ended
        if ended.wait(max(0.0, began_at + LOOK_S - now)):
            assert self._last is not None
            return self._last[1]
        silent_s = self._clock() - began_at
        return Readiness((f"the databases have not answered for {silent_s:.0f} s", *self._failing()))

    def _run(self) -> None:
        from trackyard.wire.http.health import Readiness

        try:
            found = self._look()
        except Exception as fault:
            log.exception("readiness not found")
            found = Readiness((f"the readiness cannot be found: {first_line(fault)}",))
        with self._lock:
            self._last = self._clock(), found
            self._began_at = None
        self._ended.set()
