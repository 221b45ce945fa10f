"""The monitoring listener by itself: its pages, its limits, and how often they are computed."""

import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.program import request
from tests.support.waiting import wait_until
from trackyard.runtime import monitoring
from trackyard.runtime.monitoring import MAX_CONNECTIONS, MonitoringServer, bind_monitoring, monitoring_process
from trackyard.runtime.monitoring.readiness import MachineReport
from trackyard.runtime.setting_types import Address
from trackyard.runtime.settings import CannotStart, WrongSetting, load

REPORT = MachineReport(("the journal is not writable",), ("look",), {"inbox": 2.5})


class Listener:
    """A monitoring listener, and how often its pages were computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reports = self.scrapes = 0
        monkeypatch.setattr(monitoring, "render_metrics", self._scrape)
        listener = bind_monitoring(Address("127.0.0.1", 0))
        self.port: int = listener.getsockname()[1]
        self.server = MonitoringServer(listener, self._report)

    def _report(self) -> MachineReport:
        self.reports += 1
        return REPORT

    def _scrape(self, _collectors: object) -> tuple[bytes, str]:
        self.scrapes += 1
        return b"trackyard_clicks 1\n", "text/plain; version=0.0.4"


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    made = Listener(monkeypatch)
    with made.server:
        yield made


def test_monitoring_pages_answer_with_detail(listener: Listener) -> None:
    assert request(listener.port, "GET", "/healthz").json == {"status": 1}
    ready = request(listener.port, "GET", "/readyz/?x")
    assert ready.status == 503
    assert ready.json == {
        "status": 2,
        "reasons": ["the journal is not writable"],
        "warnings": ["look"],
        "lag_seconds": {"inbox": 2.5},
    }
    scrape = request(listener.port, "GET", "/metrics")
    assert (scrape.body, scrape.headers["content-type"]) == (b"trackyard_clicks 1\n", "text/plain; version=0.0.4")
    assert "server" not in scrape.headers
    assert request(listener.port, "HEAD", "/metrics").body == b""
    assert request(listener.port, "GET", "/click").json["code"] == "not_found"
    assert request(listener.port, "POST", "/metrics").status == 501


def test_monitoring_pages_are_computed_once_for_many(listener: Listener) -> None:
    for _ in range(40):
        assert request(listener.port, "GET", "/metrics").status == 200
        assert request(listener.port, "GET", "/healthz").status == 200
    assert listener.scrapes == 1
    assert listener.reports == 0


def test_monitoring_listener_drops_connections_beyond_its_limit(listener: Listener) -> None:
    held = [socket.create_connection(("127.0.0.1", listener.port), timeout=10) for _ in range(MAX_CONNECTIONS + 1)]
    try:
        assert held[-1].recv(100) == b""
    finally:
        for each in held:
            each.close()
    wait_until(lambda: _is_answered(listener.port))


def _is_answered(port: int) -> bool:
    try:
        return request(port, "GET", "/healthz").status == 200
    except (OSError, http.client.HTTPException):
        return False


def test_monitoring_address_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotStart, match=f"TRACKYARD_MONITORING_LISTEN 127.0.0.1:{port} cannot be used"):
            bind_monitoring(Address("127.0.0.1", port))


@pytest.mark.parametrize(
    ("roles", "process"),
    [
        (("edge", "projector", "worker", "api"), "core"),
        (("projector",), "core"),
        (("edge", "worker"), "worker"),
        (("worker",), "worker"),
    ],
)
def test_monitoring_is_served_by_the_process_farthest_from_clicks(roles: tuple[str, ...], process: str) -> None:
    assert monitoring_process(roles) == process


def test_monitoring_setting_is_an_address_of_its_own_or_empty(tmp_path: Path) -> None:
    given = {"TRACKYARD_DATA_DIR": str(tmp_path)}
    assert load(given).monitoring_listen == Address("127.0.0.1", 8002)
    assert load(given | {"TRACKYARD_MONITORING_LISTEN": ""}).monitoring_listen is None
    for taken in ("127.0.0.1:8000", "127.0.0.1:8001"):
        with pytest.raises(WrongSetting, match="TRACKYARD_MONITORING_LISTEN must differ"):
            load(given | {"TRACKYARD_MONITORING_LISTEN": taken})
