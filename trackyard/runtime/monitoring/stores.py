"""Whether the stores answer, asked all the time, for the metric trackyard_store_up."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

PROBE_S: Final = 5.0
"""Time between two questions to a store."""
SILENT_S: Final = 15.0
"""A store that has not answered for so long is down."""

log = logging.getLogger("trackyard.stores")


class StoreWatch:
    """Asks each store in a thread of its own: one that hangs delays neither a scrape nor the others.

    probes: by name, a question that raises when the store does not answer
    """

    def __init__(self, probes: Mapping[str, Callable[[], object]], clock: Callable[[], float] = time.monotonic) -> None:
        self._probes = probes
        self._clock = clock
        self._answered_at = dict.fromkeys(probes, clock())
        self._failed: dict[str, bool] = dict.fromkeys(probes, False)

    def threads(self, stop: threading.Event) -> list[threading.Thread]:
        """Return the threads, which end with `stop`, to be started."""
        return [
            threading.Thread(target=self._run, args=(name, stop), name=f"watch {name}", daemon=True)
            for name in self._probes
        ]

    def probe(self, name: str) -> None:
        """Ask a store once."""
        try:
            self._probes[name]()
        except Exception as fault:
            if not self._failed[name]:
                log.debug("store does not answer", exc_info=fault, extra={"store": name})
            self._failed[name] = True
            return
        self._failed[name] = False
        self._answered_at[name] = self._clock()

    def up(self) -> dict[str, bool]:
        """Return whether each store answered its last question, and lately."""
        now = self._clock()
        return {name: not self._failed[name] and now - self._answered_at[name] < SILENT_S for name in self._probes}

    def _run(self, name: str, stop: threading.Event) -> None:
        while not stop.is_set():
            self.probe(name)
            stop.wait(PROBE_S)
