"""What the faults of a schedule do to a place."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Final

import psutil

from tests.chaos.places import Machine, Place
from tests.chaos.receiver import FaultyReceiver
from tests.chaos.schedule import Fault

HOUR_S: Final = 3600


@dataclass
class FaultInjector:
    """Injects faults, and counts them. print: shows each one."""

    place: Place
    receiver: FaultyReceiver
    show: Callable[[str], None]
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def run(self, rows: tuple[list[Fault], list[Fault]], seconds: float) -> None:
        """Inject both rows, each in a thread, for so many seconds."""
        begun = time.monotonic()
        threads = [threading.Thread(target=self._run_row, args=(row, begun, seconds)) for row in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(max(0.0, begun + seconds - time.monotonic()))

    def _run_row(self, row: list[Fault], begun: float, seconds: float) -> None:
        for fault in row:
            time.sleep(max(0.0, begun + fault.at - time.monotonic()))
            if time.monotonic() - begun > seconds:
                return  # earlier ones took longer than planned
            self.show(f"{time.monotonic() - begun:7.1f} s  {fault.kind}, {fault.seconds:g} s")
            try:
                self._inject(fault)
            except Exception as error:
                self.failures.append(f"{fault.kind}: {error!r}"[:2000])
            self.counts[fault.kind] += 1

    def _inject(self, fault: Fault) -> None:
        verb, _, rest = fault.kind.partition(" ")
        hard: dict[str, Callable[[Fault, str], None]] = {
            "kill": self._kill,
            "stop": self._stop,
            "full": self._fill,
            "restart": self._restart,
            "refuse": self._refuse,
            "receiver": self._misbehave,
            "clock": self._shift,
        }
        hard[verb](fault, rest)

    def _target(self, fault: Fault, process: str) -> tuple[Machine, str]:
        """Return a machine and the name of one of its processes."""
        found = [
            (machine, name)
            for machine in self.place.machines
            for name in sorted(machine.pids())
            if name.startswith(process)
        ]
        if not found:
            raise LookupError(f"no process {process} runs")
        return found[fault.draw % len(found)]

    def _kill(self, fault: Fault, process: str) -> None:
        if process == "all":
            former = [(each, each.processes()) for each in self.place.machines]
            for machine, _ in former:
                machine.kill_all()
            self._revive(former)
            return
        machine, name = self._target(fault, process)
        former = [(machine, machine.processes())]
        machine.signal(name, SIGKILL)
        if name == "supervisor":
            self._revive(former)

    def _revive(self, former: list[tuple[Machine, dict[str, psutil.Process]]]) -> None:
        begun = time.monotonic()
        for machine, _ in former:
            if machine.program.process is not None:
                machine.program.process.wait(10)
            machine.program.start(ready=False)
        for machine, processes in former:
            machine.await_end(processes, begun)
        for machine, _ in former:
            machine.revive()

    def _stop(self, fault: Fault, process: str) -> None:
        machine, name = self._target(fault, process)
        pids = machine.pids()
        if machine.signal(name, SIGSTOP):
            try:
                time.sleep(fault.seconds)
            finally:
                if machine.pids().get(name) == pids.get(name):
                    machine.signal(name, SIGCONT)

    def _fill(self, fault: Fault, _: str) -> None:
        machine = self.place.edges[fault.draw % len(self.place.edges)]
        if machine.disk.is_mounted:
            machine.disk.fill()
        else:
            machine.control.fill_disk(True)
        try:
            time.sleep(fault.seconds)
        finally:
            machine.disk.free()
            machine.control.fill_disk(False)

    def _restart(self, fault: Fault, what: str) -> None:
        stores = self.place.stores
        if what and stores is not None:
            if what == "postgresql":
                stores.postgres.halt()
                time.sleep(1)
                stores.postgres.resume()
            else:
                stores.valkey.kill()
                time.sleep(1)
                stores.valkey.start()
            return
        machine = self.place.machines[fault.draw % len(self.place.machines)]
        machine.stop()
        machine.revive()

    def _refuse(self, fault: Fault, _: str) -> None:
        stores = self.place.stores
        assert stores is not None
        stores.clickhouse.kill()
        try:
            time.sleep(fault.seconds)
        finally:
            stores.clickhouse.start()

    def _misbehave(self, fault: Fault, way: str) -> None:
        self.receiver.behave({"hangs": "hang", "resets": "reset", "answers 500": "500"}[way])
        try:
            time.sleep(fault.seconds)
        finally:
            self.receiver.behave("ok")

    def _shift(self, fault: Fault, way: str) -> None:
        seconds = HOUR_S if way.endswith("ahead") else -HOUR_S
        if way.startswith("of one process"):
            machine, name = self._target(fault, "")
            chosen: list[tuple[Machine, list[str] | None]] = [(machine, [name])]
        else:
            chosen = [(each, None) for each in self.place.machines]
        for machine, names in chosen:
            machine.control.shift(seconds, names)
        try:
            time.sleep(fault.seconds)
        finally:
            for machine, names in chosen:
                machine.control.shift(0, names)
