"""The own server of a demonstration: `trackyard serve` on free loopback ports, with its log in a file."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

from trackyard.commands.demo.places import DATABASES
from trackyard.commands.failures import CommandFailed
from trackyard.runtime import settings
from trackyard.runtime.settings import Config

_START_S: Final = 60.0
_STOP_S: Final = 40.0
_LISTENERS: Final = ("api", "tracking", "monitoring")
LOG_NAME: Final = "demo.log"
SERVE: Final = (sys.executable, "-m", "trackyard", "serve")


class DemoServer:
    """A running server. config: its settings; log: the file of its log."""

    def __init__(self, process: "subprocess.Popen[bytes]", config: Config, log: Path) -> None:
        self.config = config
        self.log = log
        self._process = process

    def wait_until_ready(self) -> None:
        """Wait until every listener is ready. Raises CommandFailed."""
        deadline = time.monotonic() + _START_S
        while not all(_is_ready(listen.port) for listen in (self.config.api_listen, self.config.tracking_listen)):
            if self._process.poll() is not None:
                raise CommandFailed(f"the server of the demonstration ended at its start: {self._last_line()}")
            if time.monotonic() > deadline:
                raise CommandFailed(f"the server of the demonstration is not ready yet: {self._last_line()}")
            time.sleep(0.1)

    def _last_line(self) -> str:
        lines = self.log.read_text().splitlines()
        return lines[-1] if lines else "it logged nothing."

    def wait(self) -> None:
        """Wait until the server ends."""
        self._process.wait()


@contextmanager
def own_server(directory: Path | None) -> Iterator[DemoServer]:
    """Run a server while the block lasts.

    directory: its data directory, which is kept; None = a temporary directory, which is removed at the end.
    Raises CommandFailed.
    """
    with ExitStack() as stack:
        if directory is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trackyard-demo-")))
        try:
            directory.mkdir(parents=True, exist_ok=True)
            log = (directory / LOG_NAME).open("ab")
        except OSError as fault:
            raise CommandFailed(f"--keep {directory} cannot be used: {fault.strerror}.") from None
        stack.enter_context(log)
        environment = _environment(directory)
        lifeline, own_end = os.pipe()
        stack.callback(os.close, own_end)
        process = subprocess.Popen(  # noqa: S603 (its own command)
            [*SERVE, "--lifeline", str(lifeline)],  # it ends also with a demonstration that was killed
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            pass_fds=(lifeline,),
            start_new_session=True,  # Ctrl-C in the terminal stops the demonstration, which stops its server
        )
        os.close(lifeline)
        stack.callback(_stop, process)
        yield DemoServer(process, settings.load(environment), directory / LOG_NAME)


def _environment(directory: Path) -> dict[str, str]:
    """Return the environment of the server: none of the settings of this installation."""
    own = {
        "DATA_DIR": str(directory),
        "OUTBOUND_ALLOW": "127.0.0.1",
        "QUOTES_URL": "",
        **{f"{name.upper()}_LISTEN": f"127.0.0.1:{port}" for name, port in zip(_LISTENERS, _free_ports(), strict=True)},
        **{f"{name.upper()}_DATABASE": str(path) for name, path in DATABASES.items()},
    }
    others = {name: value for name, value in os.environ.items() if not name.startswith(("TRACKYARD_", "PROMETHEUS_"))}
    pure = {name: os.environ[name] for name in ("TRACKYARD_PURE",) if name in os.environ}
    return others | pure | {f"TRACKYARD_{name}": value for name, value in own.items()}


def _free_ports() -> list[int]:
    """Return a free port of the loopback for each listener."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in _LISTENERS]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
