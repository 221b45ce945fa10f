"""A process that speaks as a ClickHouse server: chDB behind HTTP, which tests can kill and restart."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from tests.support.processes.program import STARTED, free_port, poll_until, request
from tests.support.stores.clickhouse import ClickHouseFront
from trackyard.analytics.engine.connection import Analytics

_START_S = 40.0


class ClickHouseProcess:
    """A server with its rows in `directory`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://default:@127.0.0.1:{self.port}/yard"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.directory.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", __name__, str(self.directory), str(self.port)]
        with (self.directory / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(command, env={**os.environ, "TZ": "UTC"}, stdout=log, stderr=log)
        STARTED.append(self.process)
        poll_until(self._is_up, seconds=_START_S, what="the ClickHouse server")

    def kill(self) -> None:
        """kill -9; its rows stay."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def _is_up(self) -> bool:
        try:
            return request(self.port, "GET", "/?query=SELECT%201").status == 200
        except OSError:
            return False


def main(directory: Path, port: int) -> None:
    """Serve until killed, or until the process that started this one is gone."""
    parent = psutil.Process().parent()
    address = f"chdb://{directory}/engine"
    store = Analytics.open(address, database="keep")  # held open: the last close would stop the engine
    front = ClickHouseFront(address, port)
    front.timeout = 1.0
    while parent is not None and parent.is_running():
        front.handle_request()
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
