"""Limits of connections of the API (docs/spec/api-conventions.md#connections)."""

import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from ipaddress import ip_network
from typing import Any, cast

import pytest
import uvicorn

from tests.support.waiting import wait_until
from tests.wire.test_connection import echo
from trackyard.base.sockets import ConnectionLimits, max_connections
from trackyard.runtime.api_server import RESERVED_FILES, _network_of
from trackyard.wire.http import connection
from trackyard.wire.http.connection import BoundedHttp, ConnectionGate

STRANGER, CALLER, PROXY = "127.0.0.1", "127.1.1.1", "127.2.2.2"
REQUEST = b"GET / HTTP/1.1\r\nHost: t\r\n\r\n"


@contextmanager
def running_api(limits: ConnectionLimits) -> Iterator[int]:
    """Run a server with limits of connections; yield its port."""
    gate = ConnectionGate(limits, partial(_network_of, (ip_network("127.2.0.0/16"),)))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            echo, http=cast(Any, partial(BoundedHttp, gate=gate)), ws="none", lifespan="off", log_config=None
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(10)


def is_answered(port: int, address: str, stack: ExitStack) -> bool:
    client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(address, 0)))
    try:
        client.sendall(REQUEST)
        return client.recv(12) == b"HTTP/1.1 200"
    except ConnectionError:
        return False


def test_api_connections_of_one_network_leave_room_for_others() -> None:
    with ExitStack() as stack:
        port = stack.enter_context(running_api(ConnectionLimits(most=32, most_of_network=5)))
        held = stack.enter_context(ExitStack())
        assert [is_answered(port, STRANGER, held) for _ in range(7)] == [True] * 5 + [False] * 2
        assert is_answered(port, CALLER, stack)
        assert [is_answered(port, PROXY, stack) for _ in range(7)] == [True] * 7
        held.close()
        wait_until(lambda: is_answered(port, STRANGER, stack))


def test_api_connection_of_crowded_network_must_send_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CROWDED_IDLE_S", 0.1)
    with ExitStack() as stack:
        port = stack.enter_context(running_api(ConnectionLimits(most=32, most_of_network=5)))
        quiet = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=1)) for _ in range(3)]
        assert quiet[2].recv(1) == b"", "the third is over half of the network's connections"
        with pytest.raises(TimeoutError):
            quiet[0].recv(1)


@pytest.mark.parametrize(
    ("files", "most"), [(1024, 512), (20_000, 20_000 - RESERVED_FILES), (600, 300), (resource.RLIM_INFINITY, 1_000_000)]
)
def test_api_connections_leave_files_to_journals(monkeypatch: pytest.MonkeyPatch, files: int, most: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert max_connections(RESERVED_FILES) == most
