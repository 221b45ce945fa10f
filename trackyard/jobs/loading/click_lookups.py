"""Serve recorded clicks by id to local edges over a Unix socket (docs/decisions/0040)."""

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.ids import is_hex24
from trackyard.base.local_socket import socket_address

_BACKLOG: Final = 64
_READ_TIMEOUT_S: Final = 1.0
_POLL_S: Final = 0.2
_ID_LENGTH: Final = 24

_log = logging.getLogger("trackyard.jobs")


class ClickLookupServer:
    """Answer one look-up after another: the edge sends an id and a line end, the server the record.

    path: of the socket; only its owner may use it.
    find: returns the record of a click id, None when none is loaded.
    """

    def __init__(self, path: Path, find: Callable[[str], bytes | None]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._path = path
        self._find = find
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with socket_address(path) as address:
                self._listener.bind(address)
            path.chmod(0o600)
            self._listener.listen(_BACKLOG)
            self._listener.settimeout(_POLL_S)
        except BaseException:
            self._listener.close()
            raise

    @classmethod
    def of_store(cls, path: Path, analytics: Analytics) -> "ClickLookupServer":
        """Return a server that reads the analytic store."""
        return cls(path, lambda click_id: find_records(analytics, [click_id]).get(click_id))

    def run(self, stop: threading.Event) -> None:
        """Answer until `stop` is set, then remove the socket: copies of the data directory need none."""
        with self._listener:
            while not stop.is_set():
                try:
                    client, _ = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError as fault:
                    _log.error("click look-up socket failed", extra={"error": str(fault)})
                    stop.wait(_POLL_S)
                    continue
                with client, suppress(OSError):
                    self._answer(client)
        self._path.unlink(missing_ok=True)

    def _answer(self, client: socket.socket) -> None:
        client.settimeout(_READ_TIMEOUT_S)
        request = b""
        while len(request) <= _ID_LENGTH and (data := client.recv(_ID_LENGTH + 1 - len(request))):
            request += data
        click_id = request[:_ID_LENGTH].decode("ascii", "replace")
        if not is_hex24(click_id) or _is_disconnected(client):
            return
        try:
            record = self._find(click_id)
        except StoreError as fault:
            _log.warning("click look-up failed", extra={"click_id": click_id, "error": str(fault)})
            return
        if record is not None:
            client.sendall(record)


def _is_disconnected(client: socket.socket) -> bool:
    """Return whether the edge has stopped waiting."""
    client.setblocking(False)
    try:
        return client.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    finally:
        client.settimeout(_READ_TIMEOUT_S)
