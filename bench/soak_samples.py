"""What `script/soak` looks at: memory and descriptors of processes, disk, lags and readiness."""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from typing import Any

from bench.soak_traffic import Load
from tests.support.processes.program import KEY, RunningProgram, request

Series = list[tuple[float, float]]


@dataclass
class Lives:
    """The series of one life of a process: megabytes of memory of its own, and open descriptors."""

    role: str
    pid: int
    memory: Series = field(default_factory=list)
    descriptors: Series = field(default_factory=list)


@dataclass
class Samples:
    """Everything that was seen. dishonest: sentences about readiness that was not true."""

    program: RunningProgram
    load: Load
    lives: dict[int, Lives] = field(default_factory=dict)
    disk: Series = field(default_factory=list)
    lags: dict[str, float] = field(default_factory=dict)
    dishonest: list[str] = field(default_factory=list)
    looks: int = 0
    away: int = 0
    _acknowledged: Series = field(default_factory=list)

    def look(self, *, restarting: bool) -> None:
        """Take one sample."""
        self.looks += 1
        now = time.monotonic()
        for role, pid in self._processes().items():
            with suppress(OSError):
                life = self.lives.setdefault(pid, Lives(role, pid))
                life.memory.append((now, _own_mb(pid)))
                life.descriptors.append((now, sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())))
        self._check_readiness(now, restarting=restarting)

    def look_at_disk(self) -> None:
        """Note the megabytes of the data directory by the clicks so far."""
        self.disk.append((float(self.load.clicks), _disk_mb(self.program.directory / "data")))

    def _processes(self) -> dict[str, int]:
        with suppress(OSError, ValueError):
            found: dict[str, int] = json.loads((self.program.directory / "data" / "run" / "processes.json").read_text())
            return found
        return {}

    def _check_readiness(self, now: float, *, restarting: bool) -> None:
        """Compare what readiness says with what requests meet, and the lag with what statistics count."""
        self._acknowledged.append((now, float(self.load.clicks)))
        said = self._ask(self.program.monitoring_port, "/readyz")
        if said is None or said[0] != 200:
            self.away += 1
            if not restarting:
                self.dishonest.append(f"not ready without a restart: {said}")
            return
        lags: dict[str, float] = said[1]["lag_seconds"]
        for name, lag in lags.items():
            self.lags[name] = max(self.lags.get(name, 0.0), lag)
        self._check_statistics(now, lags.get("journal", 0.0), restarting=restarting)

    def _check_statistics(self, now: float, lag_s: float, *, restarting: bool) -> None:
        counted = self._ask(self.program.api_port, "/3.0/stats/getbydate?" + today())
        if counted is None or counted[0] != 200:
            if not restarting:
                self.dishonest.append(f"ready, and a report answered {counted and counted[0]}")
            return
        wanted = max((clicks for at, clicks in self._acknowledged if at <= now - lag_s - _SLACK_S), default=0.0)
        rows = counted[1]["stats"]
        raw = sum(int(row["traffic"]["raw"]) for row in rows)
        if raw < wanted:
            self.dishonest.append(f"lag of {lag_s:.1f} s, and statistics have {raw} of {wanted:.0f} clicks")

    @staticmethod
    def _ask(port: int, path: str) -> tuple[int, Any] | None:
        try:
            answer = request(port, "GET", path, headers={"API-Key": KEY}, seconds=30)
            return answer.status, answer.json
        except (OSError, HTTPException, ValueError):
            return None


_SLACK_S = 5.0
"""A record is loaded at most so long after it says that nothing waits: its checkpoint, and one range."""


def today() -> str:
    """Return the filters of a report of yesterday and today."""
    now = datetime.now(UTC).date()
    return f"filter[date_from]={now - timedelta(days=1)}&filter[date_to]={now}"


def _disk_mb(directory: Path) -> float:
    """Return the megabytes of the files of a directory. Files that go meanwhile count or not."""
    size = 0
    seen: set[int] = set()
    for folder, _, names in os.walk(directory):
        for name in names:
            with suppress(OSError):
                found = (Path(folder) / name).lstat()
                if found.st_ino not in seen:
                    seen.add(found.st_ino)
                    size += found.st_size
    return size / 2**20


def _own_mb(pid: int) -> float:
    """Return the megabytes of memory that belong to a process alone, and that no file backs."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024


def lag_of(program: RunningProgram) -> Callable[[], float]:
    """Return a function that asks for the longest delay of the queues that work waits in."""

    def lag() -> float:
        with suppress(OSError, HTTPException, ValueError):
            lags = request(program.monitoring_port, "GET", "/readyz").json["lag_seconds"]
            return max((float(value) for name, value in lags.items() if name in _QUEUES), default=0.0)
        return 1e9

    return lag


_QUEUES = frozenset({"journal", "inbox", "waiting", "outbox", "deliveries", "edits", "mail"})
