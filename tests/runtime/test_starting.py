"""The address of the API while the core starts."""

import socket
from collections.abc import Iterator

import pytest

from tests.support.processes.program import request
from trackyard.runtime.processes.starting import RETRY_AFTER_S, StartingAnswers


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound


def test_starting_core_says_that_it_lives_and_is_not_ready(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    with StartingAnswers(listener):
        alive = request(port, "GET", "/healthz")
        assert (alive.status, alive.json) == (200, {"status": 1})
        probe = request(port, "GET", "/readyz")
        assert (probe.status, probe.json) == (503, {"status": 2})
        for method, path in (("GET", "/3.1/offers"), ("POST", "/3.0/admin/offer"), ("DELETE", "/3.0/x")):
            refused = request(port, method, path, body=b"title=x" if method == "POST" else None)
            assert (refused.status, refused.headers["retry-after"]) == (503, str(RETRY_AFTER_S))
            assert refused.json["code"] == "starting" and "try again" in refused.json["error"]
        assert request(port, "HEAD", "/console/").body == b""


def test_ended_starting_answers_leave_the_listener_to_its_server(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    starting = StartingAnswers(listener)
    assert request(port, "GET", "/healthz").status == 200
    starting.end()
    starting.end()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as waiting:
        listener.settimeout(5)
        accepted, _ = listener.accept()
        with accepted:
            accepted.sendall(b"from the API")
        assert waiting.recv(100) == b"from the API"
