"""The server of the API in the core, with its limits of connections."""

import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, cast

from trackyard.runtime.setting_types import Network
from trackyard.runtime.settings import Config

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn import Server

    from trackyard.actions.deps import Deps
    from trackyard.console.app import Console
    from trackyard.wire.http.health import Readiness
    from trackyard.wire.http.rate_limits import SharedLimits
    from trackyard.wire.limits.running_requests import RunningRequests

RESERVED_FILES: Final = 512
"""Open files that connections leave to journals, databases and reports of the core."""
_BACKLOG: Final = 256
"""Connections that the system keeps until they are accepted, fewer than RESERVED_FILES: all may come in one turn."""

_SWITCH_INTERVAL_S: Final = 0.0005
"""Time after which a thread yields to others that wait. A request changes threads many times, and by default waits
5 ms each time while the event loop is busy."""

log = logging.getLogger("trackyard.runtime.app")


def serve_api(
    config: Config,
    listener: socket.socket,
    deps: "Deps",
    forward_key: bytes,
    readiness: "Callable[[], Readiness]",
    stop: threading.Event,
    requests: "RunningRequests",
    on_built: Callable[[], None],
) -> None:
    """Serve the API until `stop` is set.

    forward_key: signs the caller's address of requests that are forwarded to the tracking listener.
    requests: counts what runs. on_built: called when nothing but the accepting of connections is left to do.
    """
    from trackyard.api.app import build
    from trackyard.wire.http.forwarding import Forwarder
    from trackyard.wire.http.rate_limits import ApiLimits

    local = "edge" in config.roles
    tracking = config.tracking_listen.url("https" if config.tracking_tls_cert else "http")
    forwarder = Forwarder(tracking if local else config.tracking_url, forward_key, deps.clock, verified=not local)
    api_limits, shared = ApiLimits(config.api_rate, config.api_burst, config.api_reports), _shared_limits(config)
    dispatch = build(deps, readiness, api_limits, forwarder, config.hsts_seconds, _console(deps), shared)
    app = requests.counted(allow_origins(dispatch, config.cors_origins))
    server = _server(config, app)
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    log.info("API listening", extra={"host": config.api_listen.host, "port": config.api_listen.port})
    on_built()
    with _stopped_with(stop, server), _mails_and_alerts(deps, stop):
        server.run(sockets=[listener])


def _server(config: Config, app: "ASGIApp") -> "Server":
    """Return the server of an application, with the limits of connections."""
    import uvicorn

    from trackyard.base.sockets import ConnectionLimits, max_connections
    from trackyard.wire.http.connection import BoundedHttp, ConnectionGate

    limits = ConnectionLimits(max_connections(RESERVED_FILES), config.network_connections)
    trusted = config.trusted_proxies
    gate = ConnectionGate(limits, partial(_network_of, trusted))
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=True,  # sign-ins are counted by the client's address
            forwarded_allow_ips=[str(network) for network in trusted],
            lifespan="off",
            http=cast("Any", partial(BoundedHttp, gate=gate)),
            backlog=_BACKLOG,
            ws="none",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
        )
    )


def _shared_limits(config: Config) -> "SharedLimits | None":
    """Return the limits that the APIs of all machines count together; None without Redis."""
    if not config.redis_url:
        return None
    from trackyard.wire.limits.redis_limits import RedisLimits  # imports a client that one machine does not need

    return RedisLimits(config.redis_url)


def allow_origins(app: "ASGIApp", origins: Sequence[str]) -> "ASGIApp":
    """Return the application with answers that browsers give to web applications of these origins.

    Cookies are not accepted from there: an application sends an API key.
    """
    if not origins:
        return app
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "HEAD", "POST", "DELETE"),
        allow_headers=("API-Key", "Content-Type", "Idempotency-Key", "X-Request-Id"),
        expose_headers=("X-Request-Id", "X-Ignored-Parameters", "Retry-After", "Content-Disposition"),
    )


def _console(deps: "Deps") -> "Console":
    """Return the pages over the methods of the API."""
    from trackyard.actions.people.callers import find_caller
    from trackyard.api.texts import texts
    from trackyard.console.app import Console

    authenticate = partial(find_caller, deps.database, deps.clock, policy=deps.sessions)
    return Console(deps, authenticate, texts=texts())


@contextmanager
def _mails_and_alerts(deps: "Deps", stop: threading.Event) -> Iterator[None]:
    """Make the saved reports that are due by mail, draw documents and look for alerts.

    They end with the block.
    """
    from trackyard.actions.money.documents.drawing import DocumentDrawer
    from trackyard.console.mailed.alert_mails import AlertMailer
    from trackyard.console.mailed.mailer import ReportMailer
    from trackyard.jobs.schedule.alerts import AlertWatcher

    threads = (
        threading.Thread(target=ReportMailer(deps).run, args=(stop,), name="report mails"),
        threading.Thread(target=AlertMailer(deps).run, args=(stop,), name="alert mails"),
        threading.Thread(target=DocumentDrawer(deps).run, args=(stop,), name="documents"),
        threading.Thread(target=AlertWatcher(deps, socket.gethostname()).run, args=(stop,), name="alerts"),
    )
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _network_of(trusted: tuple[Network, ...], peer: str) -> str:
    """Return the network by which connections of a peer are counted; "" = it is a trusted proxy."""
    from trackyard.domain.tracking.ip_lists import find_packed, wide_network_of

    packed = find_packed(peer)
    if packed is None:
        return peer
    address = ip_address(packed)
    return "" if any(address in network for network in trusted) else wide_network_of(peer)


@contextmanager
def _stopped_with(stop: threading.Event, server: "Server") -> Iterator[None]:
    """Stop a server with `stop`. It handles signals only while it runs; an earlier one must stop it, too."""
    threading.Thread(target=_stop_server_with, args=(stop, server), name="stop", daemon=True).start()
    yield


def _stop_server_with(stop: threading.Event, server: "Server") -> None:
    stop.wait()
    server.should_exit = True
