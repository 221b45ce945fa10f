"""The monitoring listener: `/healthz`, `/readyz` and `/metrics` of this machine.

See docs/operating.md#watching-it. It has threads of its own, so that a scrape delays no click and no request of the
API.
"""

import json
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from types import TracebackType
from typing import Any, Final, Self

from trackyard.base.cached import Cached
from trackyard.base.error_codes import ErrorCode
from trackyard.base.metrics.exposition import render_metrics
from trackyard.base.metrics.machine import MachineCollector
from trackyard.runtime.monitoring.readiness import READINESS_S, MachineReport
from trackyard.runtime.setting_types import Address
from trackyard.runtime.settings import Config, bind

EXPOSITION_S: Final = 5.0
"""Age up to which the text of `/metrics` is given again."""
MAX_CONNECTIONS: Final = 16
_TIMEOUT_S: Final = 5.0
_JSON: Final = "application/json"

_log = logging.getLogger("trackyard.monitoring")


def monitoring_process(roles: tuple[str, ...]) -> str:
    """Return the process of the monitoring listener: the core, else the worker."""
    return "core" if "api" in roles or "projector" in roles else "worker"


class MonitoringServer:
    """Answers on the monitoring listener while it is open; `with` closes it.

    report: the state of the machine; it may be replaced while the server runs.
    machine: adds what is read when `/metrics` is asked for; None = nothing is.
    """

    def __init__(
        self, listener: socket.socket, report: Callable[[], MachineReport], machine: MachineCollector | None = None
    ) -> None:
        self._report = Cached(report, READINESS_S)
        self._machine = machine
        collectors = () if machine is None else (machine,)
        self._exposition = Cached(partial(render_metrics, collectors), EXPOSITION_S)
        self._server = _Server(listener, self._answer)
        host, port = listener.getsockname()[:2]
        _log.debug("monitoring listening", extra={"host": host, "port": port})
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="monitoring", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def set_report(self, report: Callable[[], MachineReport]) -> None:
        """Take the state of the machine from another source from now on."""
        self._report = Cached(report, READINESS_S)

    def set_stores(self, stores: Callable[[], Mapping[str, bool]]) -> None:
        """Show from now on whether each store answers, by its name."""
        if self._machine is not None:
            self._machine.stores = stores

    def _answer(self, path: str) -> tuple[int, str, bytes]:
        match path.partition("?")[0].rstrip("/"):
            case "/healthz":
                return 200, _JSON, _encoded({"status": 1})
            case "/readyz":
                report = self._report.get()
                body = {"status": 2 if report.reasons else 1, "reasons": report.reasons, "warnings": report.warnings}
                return 503 if report.reasons else 200, _JSON, _encoded(body | {"lag_seconds": report.lags})
            case "/metrics":
                content, content_type = self._exposition.get()
                return 200, content_type, content
        text = "Page Not Found: this listener has /healthz, /readyz and /metrics"
        return 404, _JSON, _encoded({"status": 2, "error": text, "message": text, "code": ErrorCode.NOT_FOUND})


def open_monitoring(config: Config, report: Callable[[], MachineReport]) -> MonitoringServer | None:
    """Open the listener of the configuration; None when there is none. Raises CannotStart."""
    if config.monitoring_listen is None:
        return None
    machine = MachineCollector(version("trackyard"), config.data_dir, config.processes_file)
    return MonitoringServer(bind_monitoring(config.monitoring_listen), report, machine)


def bind_monitoring(address: Address) -> socket.socket:
    """Return a socket that is bound to the address of the monitoring listener. Raises CannotStart."""
    return bind(address, "TRACKYARD_MONITORING_LISTEN")


def _encoded(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()


class _Server(ThreadingHTTPServer):
    """One thread a connection, of which there are few at once."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, answer: Callable[[str], tuple[int, str, bytes]]) -> None:
        self.address_family = listener.family
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.answer = answer
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
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
        _log.warning("monitoring request failed", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One request of a connection."""

    timeout = _TIMEOUT_S
    server: _Server

    def do_GET(self) -> None:
        status, content_type, body = self.server.answer(self.path)
        self.send_response_only(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: monitoring sends requests all day."""
