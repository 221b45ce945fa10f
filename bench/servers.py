"""`script/bench servers`: what the server around the one handler costs, measured in one run.

`asyncio.Protocol` on uvloop and httptools (what the edge is), Granian's RSGI and FastPySGI's WSGI, each first with a
fixed answer and then with the whole handler behind it, nginx's `return 302` with its access log as well. One worker
process each, one wrk thread. The adapters of the two others are as thin as they can be: they keep no order of pipelined
answers and sync no journal, which spares them work that the edge does.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

import psutil
import uvloop

from bench.common import options_of
from bench.traffic import CONNECTIONS, find_program, need, rules, send, write_script
from tests.support.clicks.edge import publish
from tests.support.processes.program import free_port, poll_until
from trackyard.base.clock import SystemClock
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import Connection, ConnectionContext
from trackyard.edge.http.request import Request, Response
from trackyard.edge.server import EdgeOptions, _EdgeProcess, serve
from trackyard.runtime.monitoring import MonitoringServer, bind_monitoring
from trackyard.runtime.monitoring.readiness import MachineReport
from trackyard.runtime.setting_types import Address

_SPAWN: Final = get_context("spawn")
_DIRECTORY: Final = "TRACKYARD_BENCH_DIRECTORY"
"""Name the folder of the rules for a process of another program; "" = answer the same to all."""

_NGINX: Final = """
daemon off; worker_processes 1; pid %(directory)s/nginx.pid; error_log %(directory)s/error.log;
events { worker_connections 1024; }
http {
  access_log %(directory)s/access.log combined;
  client_body_temp_path %(directory)s/b; proxy_temp_path %(directory)s/p; fastcgi_temp_path %(directory)s/f;
  uwsgi_temp_path %(directory)s/u; scgi_temp_path %(directory)s/s;
  keepalive_requests 100000000;
  server { listen 127.0.0.1:%(port)d; location / { return 302 https://shop.example/landing?click=1; } }
}
"""


class FixedEdge:
    """A handler with a fixed answer.

    asked: the requests, when it is a list.
    """

    def __init__(self) -> None:
        self.asked: list[Request] | None = None
        self._answer = Response(302, b"", b"", b"https://shop.example/landing?click=1", b"Cache-Control: no-store\r\n")

    def handle(self, request: Request) -> Response:
        """Return the same answer to every request."""
        if self.asked is not None:
            self.asked.append(request)
        return self._answer

    def commit(self) -> bool:
        """Report success: there is nothing to write."""
        return True


class NoSyncing:
    """A disk that no answer waits for."""

    def wait(self, waiter: Connection) -> None:
        """Fail: neither a fixed answer nor a click waits for the disk."""
        raise AssertionError("an answer waits for the disk")

    def sync_soon(self) -> None:
        """Skip the sync."""


@dataclass(frozen=True)
class Server:
    """A running server: its port and its processes. monitoring_port: 0 = it has none."""

    port: int
    process: psutil.Process
    monitoring_port: int = 0

    def cpu_s(self) -> float:
        """Return the processor seconds of its processes."""
        family = [self.process, *self.process.children(recursive=True)]
        return float(sum(sum(one.cpu_times()[:2]) for one in family))

    def pin(self, core: int) -> None:
        """Keep its processes on one core."""
        for one in [self.process, *self.process.children(recursive=True)]:
            one.cpu_affinity([core])


def edge_options(directory: Path, port: int = 0, **changed: Any) -> EdgeOptions:
    """Return the options of an edge with its files in a directory."""
    places = {name: directory / name.split("_")[0] for name in ("journal_directory", "rules_directory")}
    return EdgeOptions(
        **{"host": "127.0.0.1", "port": port, "edge": 1, "state_directory": directory / "state", **places, **changed}
    )


@contextmanager
def nginx(directory: Path) -> Iterator[Server]:
    """Run nginx that answers a redirect and writes its access log."""
    port = free_port()
    configuration = directory / "nginx.conf"
    configuration.write_text(_NGINX % {"directory": directory, "port": port})
    with _started(port, str(find_program("nginx")), "-c", str(configuration), "-p", str(directory)) as server:
        yield server


@contextmanager
def protocol(directory: Path | None, **changed: Any) -> Iterator[Server]:
    """Run the edge, or without a directory its server with a fixed answer."""
    port = changed.pop("port", None) or free_port()
    monitoring_port = free_port()
    options = None if directory is None else edge_options(directory, port, **changed)
    process = _SPAWN.Process(target=_serve, args=(options, port, monitoring_port), daemon=True)
    process.start()
    try:
        _await_port(port)
        yield Server(port, psutil.Process(process.pid), monitoring_port)
    finally:
        process.terminate()
        process.join(15)


def _serve(options: EdgeOptions | None, port: int, monitoring_port: int) -> None:
    listener = bind_monitoring(Address("127.0.0.1", monitoring_port))
    with MonitoringServer(listener, MachineReport), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve_fixed(port) if options is None else serve(options, SystemClock()))


async def _serve_fixed(port: int) -> None:
    loop = asyncio.get_running_loop()
    shared = ConnectionContext(FixedEdge(), NoSyncing(), TrustedNetworks([]), loop.call_soon)
    server = await loop.create_server(lambda: Connection(shared), "127.0.0.1", port, backlog=4096)
    async with server:
        await server.serve_forever()


@contextmanager
def granian(directory: Path | None) -> Iterator[Server]:
    """Run Granian with RSGI, one worker and one thread."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "rsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--loop", "uvloop", "--backlog", "4096", "--http", "1", "--no-ws", "--log-level", "error"]
    with _started(port, *command, "bench.servers:rsgi", directory=directory) as server:
        yield server


async def rsgi(scope: Any, protocol: Any) -> None:
    """Answer as an RSGI application."""
    edge = _edge()
    headers = {name.encode(): value.encode("latin-1") for name, value in scope.headers.items()}
    body = b"" if scope.method in ("GET", "HEAD") else await protocol()
    peer = scope.client.rpartition(":")[0]
    query = scope.query_string.encode("latin-1")
    answer = edge.handle(Request(scope.method, scope.path, query, headers, peer, True, body))
    edge.commit()
    if answer.location:
        sent = [("Cache-Control", "no-store"), ("Location", answer.location.decode("ascii"))]
        protocol.response_empty(answer.status, sent)
    else:
        protocol.response_bytes(answer.status, [("Content-Type", answer.content_type.decode())], answer.body)


@contextmanager
def fastpysgi(directory: Path | None) -> Iterator[Server]:
    """Run FastPySGI with WSGI and one worker."""
    port = free_port()
    code = f"import fastpysgi; from bench.servers import wsgi; fastpysgi.run(wsgi, '127.0.0.1', {port})"
    with _started(port, sys.executable, "-c", code, directory=directory) as server:
        yield server


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer as a WSGI application."""
    edge = _edge()
    headers = {
        name[5:].replace("_", "-").lower().encode(): value.encode("latin-1")
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    body = b"" if environ["REQUEST_METHOD"] in ("GET", "HEAD") else environ["wsgi.input"].read()
    query = environ["QUERY_STRING"].encode("latin-1")
    path, peer = environ["PATH_INFO"], environ["REMOTE_ADDR"]
    answer = edge.handle(Request(environ["REQUEST_METHOD"], path, query, headers, peer, True, body))
    edge.commit()
    if answer.location:
        sent = [("Cache-Control", "no-store"), ("Location", answer.location.decode("ascii"))]
        start_response("302 Found", sent)
    else:
        start_response(f"{answer.status} Other", [("Content-Type", answer.content_type.decode())])
    return [answer.body]


@cache
def _edge() -> Any:
    """Return the handler of a process that another program started."""
    directory = os.environ[_DIRECTORY]
    if not directory:
        return FixedEdge()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        loop = asyncio.new_event_loop()
    return _EdgeProcess(edge_options(Path(directory)), SystemClock(), loop, ExitStack()).shared.edge


@contextmanager
def _started(port: int, *command: str, directory: Path | None = None) -> Iterator[Server]:
    process = Popen(command, env={**os.environ, _DIRECTORY: str(directory or "")})
    try:
        _await_port(port)
        yield Server(port, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait(15)


SERVERS: Final[dict[str, Callable[[Path | None], Any]]] = {
    "protocol": protocol,
    "granian": granian,
    "fastpysgi": fastpysgi,
}


def _await_port(port: int) -> None:
    def listens() -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        return False

    poll_until(listens, seconds=60, what=f"a server at port {port}")


@dataclass(frozen=True)
class Rate:
    """The rate of a server.

    cpu_us: microseconds of the processor that its processes used for a request, which separates servers even where
    other programs take time from all of them · wrk_busy: as traffic.Sent.busy.
    """

    rate: float
    cpu_us: float
    wrk_busy: float


def rate_of(server: Server, script: Path, seconds: float, connections: int = CONNECTIONS) -> Rate:
    """Send at the highest rate, or as the script paces them; wrk has its own core if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        server.pin(cores[0])
    spent = server.cpu_s()
    sent = send(script, server.port, seconds, connections, core=cores[-1] if len(cores) > 1 else None)
    if not sent.requests:
        sys.exit("no answer came in time: the machine has other things to do")
    return Rate(sent.rate, (server.cpu_s() - spent) / sent.requests * 1e6, sent.busy)


def measure(seconds: float) -> dict[str, Any]:
    """Return the rates of each server, without and with the handler."""
    figures: dict[str, Any] = {}

    def note(name: str, server: Server) -> None:
        rate_of(server, script, 1)
        rate = rate_of(server, script, seconds)
        figures[name] = {"rps": round(rate.rate), "cpu_us": round(rate.cpu_us, 2)}
        base, cpu = figures["nginx"]["rps"], figures["nginx"]["cpu_us"]
        figures[name] |= {"ratio": round(rate.rate / base, 3), "cpu_ratio": round(cpu / rate.cpu_us, 3)}
        print(f"{name:>16}: {rate.rate:>7.0f}/s = {rate.rate / base:.2f} of nginx", end="")
        print(f"; {rate.cpu_us:5.1f} us of the processor = {cpu / rate.cpu_us:.2f}", end="")
        print(f"; wrk computed {rate.wrk_busy:.0%} of the time", flush=True)

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        script = write_script(directory)
        with nginx(directory) as server:
            note("nginx", server)
        for kind, start in SERVERS.items():
            with start(None) as server:
                note(f"{kind} bare", server)
            publish(directory / kind / "rules", rules())
            with start(directory / kind) as server:
                note(f"{kind} whole", server)
    return figures


if __name__ == "__main__":
    options = options_of("servers", __doc__, seconds=5)
    need("wrk", "nginx", "taskset")
    figures = measure(options.seconds)
    if options.json:
        print(json.dumps(figures))
