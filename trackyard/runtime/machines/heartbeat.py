"""The heartbeat of a machine: it reports to SQL that it runs, and returns edge numbers without use."""

import json
import logging
import os
import signal
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from trackyard.base.clock import Clock
from trackyard.base.disks import disk_space
from trackyard.jobs.failures import JobFailures
from trackyard.journal import segments
from trackyard.runtime.machines.claims import this_machine
from trackyard.runtime.settings import Config
from trackyard.store.engine.database import Database
from trackyard.store.statistics.checkpoints import EdgeCheckpoint, get_checkpoints
from trackyard.store.tracking.edges import ALIVE_MS, end_leases, list_leases
from trackyard.store.tracking.machines import MachineState, see_machine

log = logging.getLogger("trackyard.runtime.machines")

_BEAT_S: Final = 5.0


class Heartbeat:
    """The heartbeat of a machine.

    on_lost: called when another machine has the place of this one, or an edge number of it.
    lag_ms: how late this machine loads journals; None = it loads none.
    """

    def __init__(
        self,
        config: Config,
        database: Database,
        directory_id: str,
        clock: Clock,
        on_lost: Callable[[], None] | None = None,
        lag_ms: Callable[[], int] | None = None,
    ) -> None:
        self._here = this_machine(config, directory_id)
        self._database = database
        self._clock = clock
        self._data_dir, self._lag_ms = config.data_dir, lag_ms
        self._journals = config.data_dir / "journal"
        self._numbers: list[int] = []
        if "edge" in config.roles:
            self._numbers = json.loads((config.data_dir / "edges.json").read_text())
        self._on_lost = on_lost or _stop_server
        self._failures = JobFailures(log, "machine", "heartbeat")

    def run(self, stop: threading.Event) -> None:
        """Beat until `stop` is set. A failure is logged and repeated."""
        while not stop.is_set():
            try:
                self.beat()
            except Exception as error:
                stop.wait(self._failures.failed(error))
            else:
                self._failures.worked()
                stop.wait(_BEAT_S)

    def beat(self) -> None:
        """Record that the machine runs."""
        self._write(running=self._numbers, stopped=False)

    def end(self) -> None:
        """Record that the machine and its edges ended in order. The next start does not need this record."""
        try:
            self._write(running=(), stopped=True)
        except Exception as error:
            log.warning("end of the machine not stored", extra={"error": str(error)})

    def _write(self, *, running: Collection[int], stopped: bool) -> None:
        now_ms, state = self._clock.now_ms(), self._state()
        with self._database.write() as connection:
            if not see_machine(connection, self._here, now_ms, stopped=stopped, state=state):
                log.error("another server has this data directory's id: this one ends")
                self._on_lost()
                return
            known = {each.edge: each for each in get_checkpoints(connection)}
            own = [each for each in list_leases(connection) if each.directory_id == self._here.directory_id]
            lost = set(running) - {each.number for each in own}
            ended = [
                each.number
                for each in own
                if each.number not in running
                and each.ended_at is None
                and is_loaded_whole(self._journals, each.number, known.get(each.number))
                # an edge that was given a number a moment ago has no journal yet
                and (each.number in known or each.claimed_at < now_ms - ALIVE_MS)
            ]
            end_leases(connection, self._here.directory_id, ended, now_ms)
        if lost:
            log.error("edge numbers were released and given to others: the server ends", extra={"edges": sorted(lost)})
            self._on_lost()

    def _state(self) -> MachineState:
        disk = disk_space(self._data_dir)
        return MachineState(disk.free, disk.total, None if self._lag_ms is None else max(0, self._lag_ms()))


def is_loaded_whole(journals: Path, edge: int, checkpoint: EdgeCheckpoint | None) -> bool:
    """Return whether all journals of an edge in a directory are closed and loaded."""
    reached = None if checkpoint is None else (checkpoint.journal, checkpoint.position)
    names = segments.list_journals(journals, edge)
    return not names or segments.is_loaded(journals, names[-1], reached)


def _stop_server() -> None:
    """Stop the server: its next start claims other numbers."""
    os.kill(os.getppid(), signal.SIGTERM)
