"""The whole program, started as a user starts it, and spoken to over HTTP only."""

import contextlib
import fcntl
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from tests.support.waiting import PATIENCE

KEY = "6f1c09b7d2e84a35c07d9e1b54f3a826be60d7c1"
START_SECONDS = 40.0
T = TypeVar("T")


class WaitTimeout(AssertionError):
    """Something that was awaited did not come in time."""


def poll_until(probe: Callable[[], T], *, seconds: float, what: str) -> T:
    """The first truthy answer of `probe`, asked every 50 ms for `seconds` of a quiet machine."""
    give_up = time.monotonic() + seconds * PATIENCE
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > give_up:
            raise WaitTimeout(f"{what}: last seen {answer!r}")
        time.sleep(0.05)


PORTS = range(10_000, 32_000)
"""Below the ports that systems give to outgoing connections, which would take one between here and its listener."""
RESERVATIONS = 22_000
"""How much higher than a port its reservation is."""
_RESERVED: list[socket.socket] = []


def free_port() -> int:
    """A port of the loopback without a listener, that no other call gets, in no process of a test run.

    A UDP port with a higher number reserves it: one step binds it, and it is free again when this process ends,
    however it ends. The UDP port of the same number stays free for proxies, which serve HTTP/3 on it.
    """
    for port in random.sample(PORTS, len(PORTS)):
        reservation = socket.socket(type=socket.SOCK_DGRAM)
        try:
            reservation.bind(("127.0.0.1", port + RESERVATIONS))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            reservation.close()
            continue
        _RESERVED.append(reservation)
        return port
    raise AssertionError(f"every port of {PORTS} is taken")


@dataclass(frozen=True)
class HttpAnswer:
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def request(
    port: int,
    method: str,
    path: str,
    *,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    seconds: float = 20.0,
) -> HttpAnswer:
    """One request to the loopback on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return HttpAnswer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    finally:
        connection.close()


STARTED: list["subprocess.Popen[bytes]"] = []
"""What `RunningProgram.start` started in this process, whatever became of it."""


def stop_all(started: Iterable["subprocess.Popen[bytes]"], *, seconds: float = 20) -> int:
    """Ends those that still run: they are asked to stop, and killed when they do not in time.

    The children of one that was killed end by themselves (docs/decisions/0006). How many ran.
    """
    running = [process for process in started if process.poll() is None]
    for process in running:
        process.terminate()
    give_up = time.monotonic() + seconds
    for process in running:
        try:
            process.wait(max(0.0, give_up - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return len(running)


class RunningProgram:
    """`trackyard serve` on a data directory of its own, with its standard streams in files."""

    def __init__(self, directory: Path, *, python: str = sys.executable, **settings: str) -> None:
        self.directory = directory
        self.python = python
        self.api_port, self.tracking_port, self.monitoring_port = free_port(), free_port(), free_port()
        self.log_file, self.out_file = directory / "log.jsonl", directory / "out.txt"
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("TRACKYARD_", "PROMETHEUS_"))},
            "TRACKYARD_DATA_DIR": str(directory / "data"),
            "TRACKYARD_API_LISTEN": f"127.0.0.1:{self.api_port}",
            "TRACKYARD_TRACKING_LISTEN": f"127.0.0.1:{self.tracking_port}",
            "TRACKYARD_MONITORING_LISTEN": f"127.0.0.1:{self.monitoring_port}",
            "TRACKYARD_ADMIN_API_KEY": KEY,
            "TRACKYARD_OUTBOUND_ALLOW": "127.0.0.0/8",
            "TRACKYARD_CLICK_SENDERS": "127.0.0.0/8",  # the addresses of visitors come as ip=
            "TRACKYARD_QUOTES_URL": "",
            "TRACKYARD_UNIQUE_MB": "4",
            "TRACKYARD_POSTBACK_CODE": "none",  # as installations that were there before codes; "" is the default
            "TRACKYARD_API_RATE": "100000",  # a program that plays many clients has one key
            "TRACKYARD_API_BURST": "100000",
            **{f"TRACKYARD_{name.upper()}": value for name, value in settings.items()},
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, ready: bool = True) -> float:
        """Starts it and waits until both listeners are ready; the seconds that took."""
        begun = time.monotonic()
        with self.log_file.open("ab") as log, self.out_file.open("ab") as out:
            self.process = subprocess.Popen(
                [self.python, "-m", "trackyard", "serve"], env=self.environment, stdout=out, stderr=log
            )
        STARTED.append(self.process)
        if ready:
            poll_until(self.is_ready, seconds=START_SECONDS, what=f"ready; the log ends {self.log_tail()}")
        return time.monotonic() - begun

    def is_ready(self) -> bool:
        """Whether both listeners say so, and the worker runs, which starts last."""
        return self._says_ready(self.api_port, self.tracking_port)

    def _says_ready(self, *ports: int) -> bool:
        assert self.process is not None and self.process.poll() is None, f"it ended: {self.log_tail()}"
        if "worker" in self.environment.get("TRACKYARD_ROLES", "worker") and "worker" not in self.children():
            return False
        try:
            return all(request(port, "GET", "/readyz").status == 200 for port in ports)
        except (OSError, http.client.HTTPException):
            return False

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal to the parent alone and waits for its end; the exit status.

        After SIGKILL the children end by themselves, and until then they would answer for the next start.
        """
        assert self.process is not None
        self.process.send_signal(number)
        status = self.process.wait(40)
        if number == signal.SIGKILL:
            poll_until(self._is_unlocked, seconds=20, what="the end of the children")
        return status

    def _is_unlocked(self) -> bool:
        """Whether no process of the program is left: each one holds the lock of the data directory."""
        with (self.directory / "data" / "trackyard.lock").open("rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def children(self) -> dict[str, int]:
        """The process ids of the roles that run now, by name."""
        file = Path(self.environment["TRACKYARD_DATA_DIR"]) / "run" / "processes.json"
        with contextlib.suppress(OSError, ValueError):
            found: dict[str, int] = json.loads(file.read_text())
            return {name: pid for name, pid in found.items() if name != "supervisor"}
        return {}

    def kill_only(self, child: str) -> int:
        """kill -9 of one role; the process id that it had."""
        pid = self.children()[child]
        os.kill(pid, signal.SIGKILL)
        return pid

    def kill(self, child: str) -> None:
        """kill -9 of one role; returns when the parent has restarted it."""
        pid = self.kill_only(child)
        poll_until(lambda: self.children().get(child, pid) != pid, seconds=20, what=f"a new {child}")

    def log_lines(self) -> Iterator[dict[str, Any]]:
        """The JSON objects of the log."""
        if self.log_file.exists():
            for line in self.log_file.read_text().splitlines():
                with contextlib.suppress(json.JSONDecodeError):
                    found = json.loads(line)
                    if isinstance(found, dict):
                        yield found

    def log_tail(self) -> str:
        """The last lines of the log."""
        return self.log_file.read_text()[-3000:] if self.log_file.exists() else ""

    def command(self, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """`trackyard` with these arguments and the settings of this installation, run to its end."""
        line = [self.python, "-m", "trackyard", *arguments]
        return subprocess.run(line, env=self.environment, capture_output=True, text=True, timeout=seconds, check=False)

    def api(
        self,
        method: str,
        path: str,
        params: dict[str, Any] | None = None,
        *,
        key: str = KEY,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A call of the API that succeeds: its JSON."""
        query = urlencode(params or {})
        if method == "GET":
            answer = request(self.api_port, "GET", f"{path}?{query}", headers={"API-Key": key, **(headers or {})})
        else:
            form = {"API-Key": key, "Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
            answer = request(self.api_port, method, path, body=query.encode(), headers=form)
        assert answer.status == 200, (method, path, answer)
        return answer.json

    def track(self, path: str, **headers: str) -> HttpAnswer:
        """A request of the tracking listener."""
        return request(self.tracking_port, "GET", path, headers=headers)
