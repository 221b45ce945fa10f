"""`script/bench servers`: what the server around the one handler costs, measured in one run.

`asyncio.Protocol` on uvloop and httptools (what the edge is), Granian's RSGI and FastPySGI's WSGI, each first with a
fixed answer and then with the whole handler behind it, nginx's `return 302` with its access log as well. One worker
process each, one wrk thread. The adapters of the two others are as thin as they can be: they keep no order of pipelined
answers and sync no journal, which spares them work that the edge does.
"""

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

import psutil
import uvloop

from bench.traffic import find_program, need, rules, send, write_script
from tests.support.clicks.edge import publish
from trackyard.base.clock import SystemClock
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import Connection, ConnectionContext
from trackyard.edge.http.request import Request, Response
from trackyard.edge.server import EdgeOptions, _EdgeProcess, serve

_FIXED: Final = Response(302, b"", b"", b"https://shop.example/landing?click=1", b"Cache-Control: no-store\r\n")
_SPAWN: Final = get_context("spawn")
_DIRECTORY: Final = "TRACKYARD_BENCH_DIRECTORY"
"""Tells a process that another program starts where its rules are; "" = answer the same to all."""

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
    """A handler that does nothing: what is left is the server."""

    def handle(self, request: Request) -> Response:
        """The same answer to every request."""
        return _FIXED

    def commit(self) -> bool:
        """There is nothing to write."""
        return True


class _NoSyncing:
    def wait(self, waiter: Connection) -> None:
        raise AssertionError("a fixed answer waits for no disk")


def sync_soon(self) -> None:
    """Skip the sync."""


@dataclass(frozen=True)
class Server:
    """A running server: its port and its processes."""

    port: int
    process: psutil.Process

    def cpu_s(self) -> float:
        """Seconds its processes have computed."""
        family = [self.process, *self.process.children(recursive=True)]
        return float(sum(sum(one.cpu_times()[:2]) for one in family))

    def pin(self, core: int) -> None:
        """Keeps its processes on one core."""
        for one in [self.process, *self.process.children(recursive=True)]:
            one.cpu_affinity([core])


def edge_options(directory: Path, port: int = 0, **changed: Any) -> EdgeOptions:
    """An edge with its files in `directory`."""
    places = {name: directory / name.split("_")[0] for name in ("journal_directory", "rules_directory")}
    return EdgeOptions(
        **{"host": "127.0.0.1", "port": port, "edge": 1, "state_directory": directory / "state", **places, **changed}
    )


@contextmanager
def nginx(directory: Path) -> Iterator[Server]:
    """nginx, answering a redirect and writing its access log."""
    port = _free_port()
    configuration = directory / "nginx.conf"
    configuration.write_text(_NGINX % {"directory": directory, "port": port})
    with _started(port, str(find_program("nginx")), "-c", str(configuration), "-p", str(directory)) as server:
        yield server


@contextmanager
def protocol(directory: Path | None, **changed: Any) -> Iterator[Server]:
    """The edge as it is; without a directory its server alone, with a fixed answer."""
    port = changed.pop("port", None) or _free_port()
    options = None if directory is None else edge_options(directory, port, **changed)
    process = _SPAWN.Process(target=_serve, args=(options, port), daemon=True)
    process.start()
    try:
        _await_port(port)
        yield Server(port, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.join(15)


def _serve(options: EdgeOptions | None, port: int) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve_fixed(port) if options is None else serve(options, SystemClock()))


async def _serve_fixed(port: int) -> None:
    loop = asyncio.get_running_loop()
    shared = ConnectionContext(FixedEdge(), _NoSyncing(), TrustedNetworks([]), loop.call_soon)
    server = await loop.create_server(lambda: Connection(shared), "127.0.0.1", port, backlog=4096)
    async with server:
        await server.serve_forever()


@contextmanager
def granian(directory: Path | None) -> Iterator[Server]:
    """Granian, one worker with one thread, speaking RSGI."""
    port = _free_port()
    command = [sys.executable, "-m", "granian", "--interface", "rsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--loop", "uvloop", "--backlog", "4096", "--http", "1", "--no-ws", "--log-level", "error"]
    with _started(port, *command, "bench.servers:rsgi", directory=directory) as server:
        yield server


async def rsgi(scope: Any, protocol: Any) -> None:
    """The handler as an RSGI application."""
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
    """FastPySGI, one worker, speaking WSGI."""
    port = _free_port()
    code = f"import fastpysgi; from bench.servers import wsgi; fastpysgi.run(wsgi, '127.0.0.1', {port})"
    with _started(port, sys.executable, "-c", code, directory=directory) as server:
        yield server


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """The handler as a WSGI application."""
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
    """The handler of a process that another program started."""
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


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _await_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


SERVERS: Final[dict[str, Callable[[Path | None], Any]]] = {
    "protocol": protocol,
    "granian": granian,
    "fastpysgi": fastpysgi,
}


@dataclass(frozen=True)
class Rate:
    """What one server did.

    cpu_us: microseconds of the processor that its processes used for a request, which separates servers even where
    other programs take time from all of them · wrk_busy: as traffic.Sent.busy.
    """

    rate: float
    cpu_us: float
    wrk_busy: float


def rate_of(server: Server, script: Path, seconds: float) -> Rate:
    """Sends as much as the server takes, wrk on a core of its own where there is one."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        server.pin(cores[0])
    spent = server.cpu_s()
    sent = send(script, server.port, seconds, core=cores[-1] if len(cores) > 1 else None)
    if not sent.requests:
        sys.exit("no answer came in time: the machine has other things to do")
    return Rate(sent.rate, (server.cpu_s() - spent) / sent.requests * 1e6, sent.busy)


def measure(seconds: float) -> dict[str, Any]:
    """Rates of each server, bare and with the handler, and their share of nginx's."""
    figures: dict[str, Any] = {}

    def note(name: str, server: Server) -> None:
        rate_of(server, script, 1)
        rate = rate_of(server, script, seconds)
        figures[name] = {"rps": round(rate.rate), "cpu_us": round(rate.cpu_us, 2)}
        beside, cpu = figures["nginx"]["rps"], figures["nginx"]["cpu_us"]
        figures[name] |= {"ratio": round(rate.rate / beside, 3), "cpu_ratio": round(cpu / rate.cpu_us, 3)}
        print(f"{name:>16}: {rate.rate:>7.0f}/s = {rate.rate / beside:.2f} of nginx", end="")
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


def main() -> None:
    """Measures and prints; with --json the last line is one JSON object."""
    parser = argparse.ArgumentParser(prog="script/bench servers", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--json", action="store_true", help="the figures as JSON on the last line")
    options = parser.parse_args()
    need("wrk", "nginx", "taskset")
    figures = measure(options.seconds)
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
