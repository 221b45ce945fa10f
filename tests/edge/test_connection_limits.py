"""Limits of connections (docs/spec/tracking.md#bounds)."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.edge.http.test_timeouts import ConnectionHarness
from tests.support.clicks.edge import RunningEdge, parse_answers, running_edge
from tests.support.processes.certificates import self_signed
from tests.support.waiting import wait_until
from trackyard.base.sockets import ConnectionLimits
from trackyard.edge.http.connection import CROWDED_IDLE_S, IDLE_S
from trackyard.edge.server import RESERVED_FILES

FILES = 3 * RESERVED_FILES
STRANGER, VISITOR = "127.0.0.1", "127.1.1.1"
CLICK = b"GET /click?pid=7&offer_id=3 HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n"


@contextmanager
def connection_from(edge: RunningEdge, address: str) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", edge.port), timeout=10, source_address=(address, 0)) as client:
        yield client


def click_status(client: socket.socket) -> int:
    client.sendall(CLICK)
    data = b""
    while chunk := client.recv(4096):
        data += chunk
    return parse_answers(data)[0].status


def open_files(edge: RunningEdge) -> int:
    return len(list(Path(f"/proc/{edge.process.pid}/fd").iterdir()))


def is_dropped(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_connections_of_one_network_leave_room_for_visitors(tmp_path: Path) -> None:
    with ExitStack() as stack:
        edge = stack.enter_context(running_edge(tmp_path, ROWS, files=FILES, trusted_networks=()))
        held = [stack.enter_context(connection_from(edge, STRANGER)) for _ in range(FILES)]
        with connection_from(edge, VISITOR) as visitor:
            assert click_status(visitor) == 302
        assert is_dropped(held[-1])
        assert open_files(edge) < FILES - RESERVED_FILES


def test_handshakes_that_are_not_finished_are_counted_and_end_soon(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    tls = ssl.create_default_context(cafile=str(certificate))
    with ExitStack() as stack:
        edge = stack.enter_context(
            running_edge(tmp_path, ROWS, files=FILES, trusted_networks=(), tls_certificate=certificate, tls_key=key)
        )
        before = open_files(edge)
        held = [stack.enter_context(connection_from(edge, STRANGER)) for _ in range(FILES)]
        with (
            connection_from(edge, VISITOR) as plain,
            tls.wrap_socket(plain, server_hostname="localhost") as visitor,
        ):
            assert click_status(visitor) == 302
        assert is_dropped(held[-1])
        assert before + 10 < open_files(edge) < FILES - RESERVED_FILES
        wait_until(lambda: open_files(edge) <= before + 2, seconds=20)
        with connection_from(edge, STRANGER) as plain, tls.wrap_socket(plain, server_hostname="localhost") as again:
            assert click_status(again) == 302, "connections that ended are counted no more"


def test_trusted_proxy_has_no_limit_of_its_own(tmp_path: Path) -> None:
    with ExitStack() as stack:
        edge = stack.enter_context(running_edge(tmp_path, ROWS, network_connections=2))
        for _ in range(5):
            stack.enter_context(connection_from(edge, STRANGER))
        with connection_from(edge, STRANGER) as proxy:
            assert click_status(proxy) == 302


def test_connection_limits_count_networks_and_reserve_proxies() -> None:
    limits = ConnectionLimits(most=16, most_of_network=100)
    assert [limits.admit("a") for _ in range(5)] == [True] * 4 + [False], "a quarter of all"
    assert [limits.admit(network) for network in "bcdefghijklm"] == [True] * 10 + [False] * 2
    assert [limits.admit("") for _ in range(3)] == [True, True, False]
    assert limits.refused == 4
    limits.release("a")
    limits.release("")
    limits.release("")
    assert limits.admit("a") and not limits.admit("b")


@pytest.mark.parametrize(("connections", "state"), [(2, "open"), (3, "aborted")])
def test_idle_connection_of_crowded_network_is_closed_early(connections: int, state: str) -> None:
    bench = ConnectionHarness(ConnectionLimits(most_of_network=4))
    for _ in range(connections - 1):
        bench.shared.limits.admit(bench.shared.network_of("192.0.2.77"))
    bench.wait(CROWDED_IDLE_S - 1)
    bench.receive("/a")
    bench.wait(CROWDED_IDLE_S - 1)
    assert bench.transport.state == "open"
    bench.wait(1)
    assert bench.transport.state == state
    assert CROWDED_IDLE_S < IDLE_S


def test_busy_connection_of_crowded_network_stays() -> None:
    bench = ConnectionHarness(ConnectionLimits(most_of_network=1))
    bench.receive("/a", "/wait")
    bench.wait(CROWDED_IDLE_S * 2)
    assert bench.transport.state == "open"
    bench.connection.connection_lost(None)
    assert bench.shared.limits.admit(bench.shared.network_of("192.0.2.1")), "it is counted once"
    assert not bench.shared.limits.admit(bench.shared.network_of("192.0.2.1"))
