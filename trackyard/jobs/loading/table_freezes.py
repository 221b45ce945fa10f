"""Freeze the tables of chDB for `trackyard backup`, as one process alone can (docs/decisions/0052)."""

import logging
import re
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.maintenance.backup import FrozenTable, freeze, remove_frozen
from trackyard.base.logs.outages import first_line
from trackyard.base.sockets import socket_address

_POLL_S: Final = 0.5
_READ_S: Final = 1.0
_MAX_NAME: Final = 64
_NAME: Final = re.compile(rb"[0-9A-Za-z]{1,60}\n")
_log = logging.getLogger("trackyard.jobs")


class FreezeServer:
    """Answers requests on a Unix socket: a name and a line end; the answer is the frozen tables as JSON.

    path: the path of the socket; only its owner may use it. directory: the directory of chDB.
    """

    def __init__(self, path: Path, analytics: Analytics, directory: Path) -> None:
        remove_frozen(directory)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._path = path
        self._analytics = analytics
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with socket_address(path) as address:
            self._listener.bind(address)
        path.chmod(0o600)
        self._listener.listen(1)
        self._listener.settimeout(_POLL_S)

    def run(self, stop: threading.Event) -> None:
        """Answer until `stop` is set, then remove the socket."""
        with self._listener:
            while not stop.is_set():
                try:
                    client, _ = self._listener.accept()
                except TimeoutError:
                    continue
                with client, suppress(OSError):
                    self._answer(client)
        self._path.unlink(missing_ok=True)

    def _answer(self, client: socket.socket) -> None:
        client.settimeout(_READ_S)
        request = client.recv(_MAX_NAME)
        if not _NAME.fullmatch(request):
            return
        try:
            client.sendall(msgspec.json.encode(freeze(self._analytics, request.strip().decode())))
        except StoreError as fault:
            _log.warning("tables not frozen", extra={"error": first_line(fault)})


def ask_freeze(path: Path, name: str, seconds: float) -> dict[str, FrozenTable] | None:
    """Ask the process that has the tables to freeze them; None = it failed. Raises OSError without it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, socket_address(path) as address:
        client.settimeout(seconds)
        client.connect(address)
        client.sendall(f"{name}\n".encode())
        answer = b""
        while piece := client.recv(65_536):
            answer += piece
    return msgspec.json.decode(answer, type=dict[str, FrozenTable]) if answer else None
