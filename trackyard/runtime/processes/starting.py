"""The answers of the API's address while the core starts: a process that is alive, and not ready yet."""

import json
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from trackyard.base.error_codes import ErrorCode

RETRY_AFTER_S: Final = 2
_TEXT: Final = f"The server is starting: try again in {RETRY_AFTER_S} seconds"
_TIMEOUT_S: Final = 5.0
_MAX_CONNECTIONS: Final = 16
_MAX_BODY: Final = 65_536
"""Bytes of a request that are read before it is refused; the rest is cut off."""


class StartingAnswers:
    """Answers on a bound listener until `end`: /healthz with 200, everything else with 503.

    The listener stays open. Connections that are not accepted yet wait for its next server.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._server = _StartingServer(listener)
        self._ended = False
        threading.Thread(target=self._server.serve_forever, args=(0.02,), name="starting", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Accept no connection any more; a second call changes nothing."""
        if not self._ended:
            self._ended = True
            self._server.shutdown()
            self._server.server_close()


def _answer(path: str) -> tuple[int, dict[str, Any]]:
    match path.partition("?")[0].rstrip("/"):
        case "/healthz":
            return 200, {"status": 1}
        case "/readyz":
            return 503, {"status": 2}
    return 503, {"status": 2, "error": _TEXT, "message": _TEXT, "code": ErrorCode.STARTING}


class _StartingServer(ThreadingHTTPServer):
    """One thread a connection, of which there are few at once."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(listener.getsockname()[:2], _StartingHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener.dup()  # its end leaves the listener as it is
        self._slots = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self.server_activate()

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: a client that leaves is not a fault."""


class _StartingHandler(BaseHTTPRequestHandler):
    """One request of a connection."""

    timeout = _TIMEOUT_S

    def do_GET(self) -> None:
        with suppress(ValueError):  # of a length that is not a number
            self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _MAX_BODY))
        status, found = _answer(self.path)
        body = json.dumps(found).encode()
        self.send_response_only(status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Cache-Control": "no-store"}
        retry = {} if status == 200 else {"Retry-After": str(RETRY_AFTER_S)}
        for name, value in (headers | retry | {"Connection": "close"}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: clients ask again until the core has started."""


for _method in ("HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
    setattr(_StartingHandler, f"do_{_method}", _StartingHandler.do_GET)
