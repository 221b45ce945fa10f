"""Run rebuilds of the analytic store, one at a time, in a thread of its process (docs/decisions/0030)."""

import logging
import threading
from pathlib import Path
from typing import Final

from trackyard.actions.platform.rebuild_run import RebuildFailed, RebuildProcess
from trackyard.actions.platform.rebuild_status import RebuildMode, RebuildStatus, RebuildStopped
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance import shadow_tables
from trackyard.base.clock import Clock
from trackyard.base.errors import Conflict
from trackyard.base.metrics import REBUILDS
from trackyard.store.engine.database import Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.platform.rebuilds import RebuildRunning, RebuildStage, RebuildState

log = logging.getLogger("trackyard.rebuild")

_STOP_SECONDS: Final = 30.0


class Rebuilder:
    """Start rebuilds and report on the last one. Safe to use from several threads.

    journals: the directory of this machine's journals.
    owner: identifies its data directory.
    """

    def __init__(
        self, database: Database, analytics: Analytics, journals: Path, clock: Clock, owner: str, *, pause: float = 1.0
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._journals = journals
        self._clock = clock
        self._owner = owner
        self._pause = pause
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._status: RebuildStatus | None = None

    def recover(self) -> None:
        """Clean up the rebuild of a process that died, before anything is loaded."""
        with self._database.write() as conn:
            gate = rebuilds.get_rebuild_state(conn)
            if gate.owner != self._owner:
                return
            if not gate.stage.ended:
                log.warning("rebuild interrupted", extra={"rebuild": gate.number, "stage": gate.stage})
                if gate.stage is RebuildStage.SWAPPING:
                    erasures.restart_after(conn, 0)
                rebuilds.move_to_stage(conn, gate, RebuildStage.FAILED, self._clock.now_ms())
        shadow_tables.drop_shadow_tables(self._analytics)

    def start(self, wish: RebuildMode) -> RebuildStatus:
        """Start a rebuild. Raises Conflict when one runs, here or elsewhere."""
        with self._lock:
            now = self._clock.now_ms()
            try:
                with self._database.write(independent=True) as conn:
                    gate = rebuilds.begin_rebuild(conn, self._owner, now)
            except RebuildRunning as running:
                raise Conflict({"rebuild": [f"Another one is not at its end: {running}."]}) from None
            self._status = RebuildStatus(gate.number, wish, now)
            self._thread = threading.Thread(target=self._run, args=(gate, self._status), name="rebuild")
            self._thread.start()
            return self._status

    def find_last(self) -> RebuildStatus | None:
        """Return the last rebuild of this process; None without one."""
        return self._status

    def elapsed_ms(self, status: RebuildStatus) -> int:
        """Return how long a rebuild has lasted so far, or lasted."""
        return (status.ended_at or self._clock.now_ms()) - status.started_at

    def close(self) -> None:
        """Stop a running rebuild; the live tables stay as they are."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _run(self, gate: RebuildState, status: RebuildStatus) -> None:
        process = RebuildProcess(self._database, self._analytics, self._journals, self._clock, gate, status, self._wait)
        try:
            process.carry_out(status.wish)
        except RebuildStopped:
            self._abort(process, status, "the server was stopped")
        except RebuildFailed as failed:
            log.error("rebuild failed", extra={"rebuild": gate.number, "reason": str(failed)})
            self._abort(process, status, str(failed))
        except Exception as error:
            log.exception("rebuild failed", extra={"rebuild": gate.number})
            self._abort(process, status, f"{type(error).__name__}: {error}")
        status.ended_at = self._clock.now_ms()
        REBUILDS.labels(status.stage.value).inc()
        extra = {"rebuild": status.number, "stage": status.stage, "differences": status.findings.count}
        log.info("rebuild ended", extra=extra)

    def _abort(self, process: RebuildProcess, status: RebuildStatus, why: str) -> None:
        status.why = why
        try:
            process.abort()
        except Exception:  # the next start removes the rest
            log.exception("rebuild not cleaned up", extra={"rebuild": status.number})
        status.stage = RebuildStage.FAILED

    def _wait(self, times: float) -> None:
        if self._stop.wait(times * self._pause):
            raise RebuildStopped
