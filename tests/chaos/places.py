"""Where chaos happens: one machine, one machine with the stores of several, or a cluster."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGCONT, SIGTERM
from typing import Final

import psutil

from tests.chaos.control import VARIABLE, Control
from tests.support.processes.clickhouse import ClickHouseProcess
from tests.support.processes.cluster import ClusterMachine, RunningCluster, running_cluster
from tests.support.processes.program import RunningProgram, WaitTimeout, poll_until
from tests.support.processes.valkey import ValkeyProcess
from tests.support.stores.databases import PostgresServer

READY_S: Final = 180.0
STOP_S: Final = 90.0
SETTINGS: Final = {
    "record_rate": "1000000",
    "record_burst": "1000000",
    "delivery_retries": ",".join(["2", "4", *["8"] * 60]),  # a fault must not outlast the attempts
    "edges": "2",
    "unique_mb": "16",
}


class Disk:
    """The disk of a data directory: a small file system in memory where this user may mount one."""

    def __init__(self, directory: Path, megabytes: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._whole = f"size={megabytes}m"
        options = ["-t", "tmpfs", "-o", f"{self._whole},mode=755", "tmpfs"]
        self.is_mounted = os.geteuid() == 0 and self._mount(*options)

    def fill(self) -> None:
        """Leave no space."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:  # what is written meanwhile does not fit
            status = os.statvfs(self._directory)
            used = (status.f_blocks - status.f_bfree) * status.f_frsize
            if self._mount("-o", f"remount,size={used + status.f_frsize}"):
                return
        raise OSError(f"{self._directory} could not be filled")

    def free(self) -> None:
        """Give the space back."""
        if self.is_mounted:
            self._mount("-o", f"remount,{self._whole}")

    def _mount(self, *options: str) -> bool:
        return subprocess.run(["mount", *options, str(self._directory)], capture_output=True).returncode == 0

    def keep(self) -> None:
        """Copy what it holds next to it: the file system goes with the run."""
        if self.is_mounted:
            kept, sockets = self._directory.with_name("data-kept"), shutil.ignore_patterns("*.sock")
            shutil.copytree(self._directory, kept, ignore=sockets, symlinks=True)

    def unmount(self) -> None:
        """Remove the file system, with what it holds."""
        if self.is_mounted:
            subprocess.run(["umount", "-l", str(self._directory)], check=False)


class Machine:
    """A machine under chaos."""

    def __init__(self, program: RunningProgram, megabytes: int) -> None:
        self.program = program
        self.name = program.directory.name
        self.control = Control(program.directory / "control")
        self.disk = Disk(program.directory / "data", megabytes)
        program.environment |= self.control.environment
        self.stops: list[tuple[str, float, int]] = []
        self.failures: list[str] = []

    @property
    def is_edge(self) -> bool:
        return not isinstance(self.program, ClusterMachine) or self.program.is_edge

    @property
    def has_api(self) -> bool:
        return not isinstance(self.program, ClusterMachine) or not self.program.is_edge

    def pids(self) -> dict[str, int]:
        """Return the processes of the program by name; "supervisor" is their parent."""
        with suppress(OSError, ValueError):
            found: dict[str, int] = json.loads((self.program.directory / "data/run/processes.json").read_text())
            return found
        return {}

    def signal(self, process: str, number: int) -> bool:
        """Send a signal to a process; return whether it ran."""
        found = self._find(self.pids().get(process))
        if found is None:
            return False
        with suppress(psutil.NoSuchProcess):
            found.send_signal(number)
            return True
        return False

    def _find(self, pid: int | None) -> psutil.Process | None:
        """Return a process of this machine; None where it is gone, or its number belongs to another one now."""
        with suppress(psutil.Error):
            if pid is not None:
                found = psutil.Process(pid)
                if found.environ().get(VARIABLE) == str(self.control.path):
                    return found
        return None

    def kill_all(self) -> None:
        """kill -9 of every process at once."""
        for process in self.processes().values():
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def stop(self) -> None:
        """Stop the program in order, and note how long that took."""
        process = self.program.process
        assert process is not None
        if process.poll() is not None:
            return
        begun = time.monotonic()
        process.send_signal(SIGTERM)
        try:
            status = process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{self.name} did not stop within {STOP_S:.0f} s")
            self.kill_all()
            status = process.wait()
        self.stops.append((self.name, time.monotonic() - begun, status))

    def processes(self) -> dict[str, psutil.Process]:
        """Return the processes that run now, by name."""
        found = {name: self._find(pid) for name, pid in self.pids().items()}
        return {name: process for name, process in found.items() if process is not None}

    def await_end(self, former: dict[str, psutil.Process], begun: float) -> None:
        """Note processes that outlive their parent by more than 45 s. former: those that ran with it."""
        for name, process in former.items():
            with suppress(psutil.NoSuchProcess):
                try:
                    process.wait(max(0.1, begun + 45 - time.monotonic()))
                except psutil.TimeoutExpired:
                    self.failures.append(f"{self.name}: {name} outlived its parent by 45 s")
                    process.kill()

    def revive(self) -> None:
        """Start the program as a service manager does, again and again, until it is ready."""
        deadline = time.monotonic() + READY_S
        process = self.program.process
        while True:
            if process is None or process.poll() is not None:
                self.program.start(ready=False)
                process = self.program.process
                assert process is not None
            while process.poll() is None:
                with suppress(AssertionError):
                    if self.program.is_ready():
                        return
                if time.monotonic() > deadline:
                    raise WaitTimeout(f"{self.name} is not ready: {self.program.log_tail()}")
                time.sleep(0.1)
            time.sleep(0.5)


@dataclass
class Stores:
    """Servers that machines share."""

    postgres: PostgresServer
    clickhouse: ClickHouseProcess
    valkey: ValkeyProcess


@dataclass
class Place:
    """The machines and their stores; no stores = SQLite and chDB."""

    machines: list[Machine]
    stores: Stores | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def edges(self) -> list[Machine]:
        return [each for each in self.machines if each.is_edge]

    @property
    def api(self) -> RunningProgram:
        return next(each.program for each in self.machines if each.has_api)


@contextmanager
def one_machine(directory: Path, seconds: float) -> Iterator[Place]:
    """One machine with SQLite and chDB."""
    yield from _run(directory, seconds, None, lambda home, _: RunningProgram(home, **SETTINGS))


@contextmanager
def one_machine_with_stores(directory: Path, seconds: float) -> Iterator[Place]:
    """One machine with PostgreSQL, Redis and ClickHouse over HTTP."""
    postgres = PostgresServer(durable=True)
    clickhouse, valkey = ClickHouseProcess(directory / "clickhouse"), ValkeyProcess()
    try:
        postgres.create("yard")
        clickhouse.start()
        valkey.start()
        stores = Stores(postgres, clickhouse, valkey)
        yield from _run(directory, seconds, stores, _with_stores)
    finally:
        clickhouse.kill()
        valkey.kill()
        postgres.stop()


def _with_stores(home: Path, stores: Stores | None) -> RunningProgram:
    assert stores is not None
    urls = {
        "database_url": stores.postgres.url("yard").replace("+psycopg", ""),
        "analytics_url": stores.clickhouse.url,
        "redis_url": stores.valkey.url,
    }
    return RunningProgram(home, **urls, **SETTINGS)


def _run(
    directory: Path, seconds: float, stores: Stores | None, make: Callable[[Path, Stores | None], RunningProgram]
) -> Iterator[Place]:
    home = directory / "machine"
    home.mkdir(parents=True)
    machine = Machine(make(home, stores), megabytes_of(seconds))
    try:
        machine.revive()
        yield Place([machine], stores)
    finally:
        _leave(machine)


@contextmanager
def cluster(directory: Path, seconds: float) -> Iterator[Place]:
    """Two machines that take clicks and two with API and worker, and their stores."""
    machines: list[Machine] = []

    def prepare(program: ClusterMachine) -> None:
        machines.append(Machine(program, megabytes_of(seconds)))

    with ExitStack() as stack:
        settings = SETTINGS | {"edges": "1"}
        running: RunningCluster = stack.enter_context(running_cluster(directory, prepare=prepare, **settings))
        for machine in machines:
            stack.callback(_leave, machine)
        yield Place(machines, Stores(running.postgres, running.clickhouse, running.valkey))


def megabytes_of(seconds: float) -> int:
    """Return the size of a disk that a run does not fill by itself."""
    return 700 + round(seconds * 4)


def _leave(machine: Machine) -> None:
    """End what still runs, and remove the disk."""
    former = machine.pids()
    for name in former:
        machine.signal(name, SIGCONT)
    process = machine.program.process
    if process is not None and process.poll() is None:
        process.terminate()
        try:
            process.wait(45)
        except subprocess.TimeoutExpired:
            machine.kill_all()
            process.wait()
    with suppress(WaitTimeout, OSError):
        poll_until(machine.program._is_unlocked, seconds=45, what="the end of all processes")
    machine.disk.unmount()
