"""The edge as a process: what it keeps through its deaths, how it follows its rules."""

import os
import resource
import signal
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import RunningEdge, parse_answers, publish, recorded, running_edge
from tests.support.clicks.rules import entry_of, make_offer
from tests.support.processes.certificates import self_signed
from tests.support.waiting import wait_until
from trackyard.base.clock import SystemClock
from trackyard.domain.tracking.ruleset import RulesetAffiliate
from trackyard.edge.server import RESERVED_FILES, START_GRACE_S, TICK_S, _EdgeProcess
from trackyard.journal import segments
from trackyard.journal.reader import next_range
from trackyard.journal.records import Click, InboundPostback
from trackyard.journal.ruleset_log import RulesetEntry, RulesetLogReader
from trackyard.runtime.monitoring.readiness import MachineReport, machine_report
from trackyard.runtime.settings import load

CLICK = "/click?pid=7&offer_id=3"


def test_edge_stop_closes_journal_with_every_acknowledged_record(tmp_path: Path) -> None:
    with running_edge(tmp_path, ROWS) as edge:
        answers = [edge.ask(CLICK) for _ in range(5)] + [edge.ask(f"/postback?clickid={n}") for n in range(5)]
        assert edge.stop() == 0
    assert [answer.status for answer in answers] == [302] * 5 + [200] * 5
    journal = tmp_path / "journal"
    assert [type(record) for record in recorded(journal)] == [Click] * 5 + [InboundPostback] * 5
    (name,) = segments.list_journals(journal, 1)
    seal = segments.find_segment_end(journal, name)
    assert seal is not None
    assert seal.end == segments.log_path(journal, name).stat().st_size


def test_edge_reads_cookies_of_several_header_lines(tmp_path: Path) -> None:
    click_id = "6553f1000100000000000001"
    with running_edge(tmp_path, ROWS) as edge:
        lines = ("Cookie: a=1", f"Cookie: afclick_3={click_id}", "Cookie: b=2")
        assert edge.ask("/success.jpg?offer_id=3", *lines).status == 200
        (call,) = recorded(tmp_path / "journal")
    assert isinstance(call, InboundPostback)
    assert call.params["clickid"] == click_id


def test_edge_writes_checkpoint_within_half_a_second(tmp_path: Path) -> None:
    with running_edge(tmp_path, ROWS) as edge:
        edge.ask(CLICK)
        wait_until(lambda: next_range(tmp_path / "journal", 1, None, 0) is not None, seconds=5)
        found = next_range(tmp_path / "journal", 1, None, 0)
        (click,) = recorded(tmp_path / "journal")
        assert found is not None
        assert found.checkpoint_at - click.time <= 1500  # half a second, and what a busy machine adds


def _report() -> MachineReport:
    return machine_report(load({"TRACKYARD_DATA_DIR": "/nowhere"}))


def _share_metrics(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory.mkdir()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(directory))


def test_edge_with_stale_rules_keeps_deciding_and_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _share_metrics(tmp_path / "metrics", monkeypatch)
    source = publish(tmp_path / "rules", ROWS)
    now = SystemClock().now_ms()
    source.confirm_current(now - 60_000)
    with running_edge(tmp_path, None) as edge:
        wait_until(lambda: "is silent for 6" in "".join(_report().warnings), seconds=10)
        assert edge.ask("/readyz").status == 200
        assert _report().reasons == ()
        assert _report().lags["rules"] >= 60
        assert edge.ask(CLICK).status == 302
        source.confirm_current(SystemClock().now_ms())
        wait_until(lambda: _report().warnings == (), seconds=10)


@pytest.mark.parametrize(("up_s", "warned"), [(START_GRACE_S - 1, []), (START_GRACE_S, ["ruleset stale"])])
def test_edge_calls_its_rules_stale_only_after_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, up_s: float, warned: list[str]
) -> None:
    """The projector of a start may need longer than the edge, and the rules of a copy are old."""
    source = publish(tmp_path / "rules", ROWS)
    source.confirm_current(SystemClock().now_ms() - 60_000)
    process = object.__new__(_EdgeProcess)
    process._rules_log = RulesetLogReader(tmp_path / "rules")
    process._clock, process._edge_label = SystemClock(), "1"
    process._loop = SimpleNamespace(time=lambda: up_s)  # type: ignore[assignment]
    process._started_at, process._is_ruleset_stale = 0.0, False
    for _ in range(3):
        process._report_ruleset_age()
    assert [line.message for line in caplog.records] == warned


def test_edge_faults_are_reported_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _share_metrics(tmp_path / "metrics", monkeypatch)
    with running_edge(tmp_path, None) as edge:
        wait_until(lambda: _report().reasons == ("no rules were read yet",), seconds=10)
        assert edge.ask("/readyz").body == b'{"status":2}'
        publish(edge.options.rules_directory, ROWS)
        wait_until(lambda: _report().reasons == (), seconds=10)
        assert edge.ask("/readyz").body == b'{"status":1}'


def test_edge_kill_9_loses_nothing_acknowledged(tmp_path: Path) -> None:
    acknowledged: list[int] = []
    for round_number in range(2):
        with running_edge(tmp_path, ROWS) as edge:
            enough = threading.Event()

            def call(start: int) -> None:
                for number in range(start, start + 10_000):
                    try:
                        if edge.ask(f"/postback?clickid={number}").status == 200:
                            acknowledged.append(number)
                    except (OSError, AssertionError):
                        return
                    if len(acknowledged) >= 60:
                        enough.set()  # noqa: B023

            with ThreadPoolExecutor(4) as pool:
                for worker in range(4):
                    pool.submit(call, round_number * 1_000_000 + worker * 100_000)
                assert enough.wait(20)
                edge.stop(signal.SIGKILL)
        enough_before = len(acknowledged)
        assert enough_before
    with running_edge(tmp_path, ROWS) as edge:
        edge.stop()
    kept = [
        int(record.params["clickid"])
        for record in recorded(tmp_path / "journal")
        if isinstance(record, InboundPostback)
    ]
    assert set(acknowledged) <= set(kept)
    assert len(kept) == len(set(kept))
    names = segments.list_journals(tmp_path / "journal", 1)
    assert all(segments.find_segment_end(tmp_path / "journal", name) for name in names)


def test_edge_unique_visitors_survive_kill_9(tmp_path: Path) -> None:
    for _ in range(2):
        with running_edge(tmp_path, ROWS) as edge:
            edge.ask(CLICK)
            edge.stop(signal.SIGKILL)
    assert [record.uniq for record in recorded(tmp_path / "journal") if isinstance(record, Click)] == [1, 0]


def test_edge_applies_ruleset_change_within_seconds(tmp_path: Path) -> None:
    with running_edge(tmp_path, None) as edge:
        assert edge.ask("/readyz").status == 503
        assert edge.ask(CLICK).status == 503
        writer = publish(edge.options.rules_directory, ROWS)
        wait_until(lambda: edge.ask("/readyz").status == 200, seconds=5)
        assert edge.ask(CLICK).headers["location"].startswith("http://shop.example/")
        writer.append([RulesetEntry(2, *entry_of(make_offer(url="http://new.example/")))])
        wait_until(lambda: edge.ask(CLICK).headers["location"] == "http://new.example/", seconds=5)
        writer.append([RulesetEntry(3, "affiliate", "7", None)])
        wait_until(lambda: edge.ask(CLICK).status == 404, seconds=5)
        writer.replace([RulesetEntry(4, *entry_of(row)) for row in [*ROWS[:1], RulesetAffiliate(id=7), *ROWS[2:]]], 4)
        wait_until(lambda: edge.ask(CLICK).status == 302, seconds=5)


def test_edge_stop_answers_running_requests_and_rejects_new(tmp_path: Path) -> None:
    with running_edge(tmp_path, ROWS) as edge:
        idle = edge.connect()
        half = edge.connect()
        half.sendall(b"GET /postback?clickid=1 HTTP/1.1\r\nHost: t.example\r\n")
        wait_until(lambda: edge.ask("/healthz").status == 200)
        assert edge.process.pid is not None
        os.kill(edge.process.pid, signal.SIGTERM)
        assert idle.recv(10) == b"", "an idle connection is closed at once"
        half.sendall(b"\r\n")
        data = b""
        while chunk := half.recv(4096):
            data += chunk
        (answer,) = parse_answers(data)
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert edge.stop() == 0
        with pytest.raises(OSError):
            edge.connect()
        idle.close()
        half.close()
    assert len(recorded(tmp_path / "journal")) == 1


def test_edge_with_full_disk_is_503_until_space_is_free(tmp_path: Path) -> None:
    # A limit of the file size replaces a full disk.
    with running_edge(tmp_path, ROWS) as edge:
        assert edge.process.pid is not None
        (name,) = segments.list_journals(tmp_path / "journal", 1)
        path = segments.log_path(tmp_path / "journal", name)
        limits = resource.prlimit(edge.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(edge.process.pid, resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
        assert edge.ask(CLICK).status == 503
        assert edge.ask("/postback?clickid=1").status == 503
        assert edge.ask("/readyz").status == 503
        resource.prlimit(edge.process.pid, resource.RLIMIT_FSIZE, limits)
        wait_until(lambda: edge.ask("/readyz").status == 200, seconds=5)
        assert edge.ask(CLICK).status == 302
        assert edge.stop() == 0
    assert len(recorded(tmp_path / "journal")) == 1


def test_edge_survives_more_connections_than_file_handles(tmp_path: Path) -> None:
    with ExitStack() as stack:
        edge = stack.enter_context(running_edge(tmp_path, ROWS, files=2 * RESERVED_FILES))
        idle = [stack.enter_context(edge.connect()) for _ in range(3 * RESERVED_FILES)]
        idle[0].sendall(f"GET {CLICK} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
        assert idle[0].recv(12) == b"HTTP/1.1 302"
        assert idle[-1].recv(1) == b""
        files = Path(f"/proc/{edge.process.pid}/fd")
        assert len(list(files.iterdir())) < 2 * RESERVED_FILES
        for each in idle:
            each.close()
        wait_until(lambda: _is_answered(edge))
        assert edge.stop() == 0


def test_edge_without_free_file_handle_applies_rules_later(tmp_path: Path) -> None:
    click = f"GET {CLICK} HTTP/1.1\r\nHost: t\r\n\r\n".encode()
    with running_edge(tmp_path, ROWS) as edge, edge.connect() as client:
        pid = edge.process.pid
        assert pid is not None
        client.sendall(click)
        assert client.recv(65536).startswith(b"HTTP/1.1 302")
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (1, limits[1]))
        publish(edge.options.rules_directory, [*ROWS, RulesetAffiliate(id=8)], version=2)
        edge.process.join(5 * TICK_S)  # it looks several times, and must not end
        assert edge.process.is_alive()
        client.sendall(click)
        assert client.recv(65536).startswith(b"HTTP/1.1 302")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        wait_until(lambda: edge.ask(CLICK.replace("pid=7", "pid=8")).status == 302)
        assert edge.stop() == 0


def _is_answered(edge: RunningEdge) -> bool:
    with suppress(OSError, IndexError, ValueError):
        return edge.ask(CLICK).status == 302
    return False


def test_edges_share_port_and_visitors(tmp_path: Path) -> None:
    with running_edge(tmp_path, ROWS, slots=2) as first:
        with running_edge(tmp_path, None, slots=2, edge=2, port=first.port) as second:
            for _ in range(40):
                assert first.ask(CLICK).status == 302
            assert second.stop() == 0
        assert first.stop() == 0
    clicks = [record for edge in (1, 2) for record in recorded(tmp_path / "journal", edge) if isinstance(record, Click)]
    assert len(clicks) == 40
    assert sum(click.uniq for click in clicks) == 1
    assert {click.id[8:10] for click in clicks} == {"01", "02"}


def test_edge_serves_https_with_secure_cookies(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    with running_edge(tmp_path, ROWS, tls_certificate=certificate, tls_key=key) as edge:
        context = ssl.create_default_context(cafile=str(certificate))
        with (
            socket.create_connection(("127.0.0.1", edge.port), timeout=10) as plain,
            context.wrap_socket(plain, server_hostname="localhost") as client,
        ):
            client.sendall(f"GET {CLICK} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            client.sendall(b"GET /postback?clickid=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            data = b""
            while chunk := client.recv(4096):
                data += chunk
        clicked, called = parse_answers(data)
        assert (clicked.status, called.status) == (302, 200)
        assert clicked.headers["set-cookie"].endswith("; SameSite=None; Secure")
