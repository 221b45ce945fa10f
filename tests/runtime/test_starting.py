"""The address of the API while the core starts."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.support.processes.program import request
from trackyard.runtime import supervisor
from trackyard.runtime.processes.early_core import wait_for_byte
from trackyard.runtime.processes.starting import RETRY_AFTER_S, StartingAnswers
from trackyard.runtime.settings import load
from trackyard.runtime.supervisor import Supervisor


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


def test_core_begins_once_the_data_directory_is_prepared() -> None:
    stop = threading.Event()
    reading, writing = os.pipe()
    waiting = threading.Thread(target=lambda: begun.append(wait_for_byte(reading, stop)))
    begun: list[bool] = []
    waiting.start()
    os.write(writing, b"1")
    waiting.join(5)
    os.close(writing)
    assert begun == [True] and not wait_for_byte(reading, stop), "the parent gave it up"
    stop.set()
    assert not wait_for_byte(reading, stop)
    os.close(reading)


@pytest.mark.parametrize("answers", [True, False])
def test_worker_starts_after_those_that_answer_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: bool
) -> None:
    """It starts when they are ready, and also when they are not for long."""

    def start(child: supervisor._Child, _after: int | None = None) -> None:
        started.append(child.name)
        child.process = cast("subprocess.Popen[bytes]", SimpleNamespace(poll=lambda: None, pid=1))

    def probe(*_listener: object) -> str:
        probes.append(list(started))
        if answers:
            return "" if len(probes) > 3 else "starting"
        clock[0] += 1.0
        return "starting"

    started, probes, clock = list[str](), list[list[str]](), [0.0]
    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(supervisor, "_probe", probe)
    program = Supervisor(load({"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_EDGES": "1"}))
    monkeypatch.setattr(program, "_start", start)
    program._start_roles()
    program._wait_until_ready({"new_admin_api_key": "", "postback_code": "none", "sign_in_link": ""})
    assert started == ["edge 0", "core", "worker"]
    waited = [seen for seen in probes if "worker" not in seen]
    assert len(waited) == (5 if answers else supervisor.WORKER_SECONDS)
