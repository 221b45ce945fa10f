"""A real click becomes a conversion, a statistic and a delivery to the affiliate."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.deploy.scrape import unanswered, undeclared
from tests.support.offer_scenario import click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, START_SECONDS, STARTED, RunningProgram, free_port, poll_until, request
from tests.support.processes.receiver import Receiver

QUEUES = {"journal", "inbox", "waiting", "outbox", "deliveries"}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


def test_click_to_affiliate_postback_flow_end_to_end(program: RunningProgram, receiver: Receiver) -> None:
    macros = "/pb?click={clickid}&sum={sum}&status={status}&s={sub1}&geo={geo}"
    story = create_offer_scenario(program, receiver.url(macros))
    story.await_rules()

    clicked = story.click(sub1="a b&c", ip="1.1.1.1")
    click_id = click_id_of(clicked)
    assert clicked.headers["location"] == f"https://shop.example/?click={click_id}&s=a%20b%26c&c=AU"
    assert clicked.headers["cache-control"] == "no-store"

    refused = program.track(f"/click?pid={story.affiliate}&offer_id=999999")
    assert refused.status == 404
    stranger = program.track(f"/click?pid=424242&offer_id={story.offer}")
    assert stranger.headers["location"] == f"https://elsewhere.example/?reason=closed&o={story.offer}"

    guessed = story.call(click_id, action_id="order-0", secure="")
    assert (guessed.status, guessed.json) == (200, {"status": 1}), "the answer says nothing of the code"
    called = story.call(click_id, action_id="order-1")
    assert (called.status, called.json) == (200, {"status": 1})
    received = poll_until(lambda: receiver.requests(), seconds=10, what="the affiliate's postback")
    assert received[0].path == f"/pb?click={click_id}&sum=7&status=1&s=a%20b%26c&geo=AU"
    assert "x-trackyard-signature" in received[0].headers

    staff = poll_until(
        lambda: (row := story.day(KEY)).get("actions", {}).get("total", {}).get("count") and row,
        seconds=10,
        what="a statistic",
    )
    assert staff["traffic"]["raw"] == "2"
    confirmed = staff["actions"]["confirmed"]
    assert (confirmed["count"], confirmed["revenue"], confirmed["charge"], confirmed["earning"]) == (1, 10, 10, 3)
    own = story.day(story.affiliate_key)["actions"]["confirmed"]
    assert (own["revenue"], own["charge"], own["earning"]) == (7, 0, 0)

    period = period_around_today()
    conversions = program.api("GET", "/3.0/stats/conversions", period)["conversions"]
    assert [(c["clickid"], c["action_id"], c["status"], c["payouts"]) for c in conversions] == [
        (click_id, "order-1", "confirmed", 7)
    ]
    clicks = program.api("GET", "/3.0/stats/clicks", period)["clicks"]
    assert click_id in {c["id"] for c in clicks}
    assert story.balance() == {"balance": {"USD": 7}, "hold": {"USD": 0}, "available": {"USD": 7}}

    explained = program.command("explain", click_id)
    assert explained.returncode == 0, explained.stderr
    assert f"Click {click_id} of " in explained.stdout
    assert "Decided then: passed" in explained.stdout
    assert f"goes to https://shop.example/?click={click_id}&s=a%20b%26c&c=AU" in explained.stdout
    unknown = program.command("explain", "e" * 24)
    assert (unknown.returncode, "e" * 24 + " was not found" in unknown.stderr) == (1, True)

    trial = {"url": receiver.url("/try?p={pid}")}
    tried = program.api("POST", "/3.1/partner/postback/test", trial, key=story.affiliate_key)
    assert (tried["test"]["http_code"], tried["test"]["body"]) == (200, "ok")
    assert f"/try?p={story.affiliate}" in [call.path for call in receiver.requests()]

    assert story.call(click_id, action_id="order-1").json == {"status": 1}
    assert story.call(click_id, action_id="order-2").json == {"status": 1}
    poll_until(lambda: story.balance()["balance"]["USD"] == 14, seconds=10, what="the second order")
    assert len(program.api("GET", "/3.0/stats/conversions", period)["conversions"]) == 2

    def responses() -> list[str]:
        log = program.api("GET", "/3.0/stats/serverpostbacks", period)["postbacks"]
        return [row["response"] for row in reversed(log)]

    expected = ["Access denied", "", "Conversion exists", ""]
    poll_until(lambda: len(responses()) == len(expected), seconds=10, what="every postback in the log")
    assert responses() == expected

    audited = program.command("audit")
    assert (audited.returncode, audited.stdout.splitlines()[-1]) == (0, "everything adds up")
    assert "WARNING" not in audited.stdout


def _reports_lags(port: int) -> bool:
    return set(request(port, "GET", "/readyz").json["lag_seconds"]) >= QUEUES


def test_both_listeners_serve_health_and_documents(program: RunningProgram) -> None:
    for port in (program.api_port, program.tracking_port):
        assert request(port, "GET", "/healthz").json == {"status": 1}
        assert request(port, "GET", "/readyz").json == {"status": 1}
        moved = request(port, "GET", "/metrics")
        assert moved.status == 404 and "TRACKYARD_MONITORING_LISTEN" in moved.json["error"]
        assert request(port, "GET", "/no/such/path").json["status"] == 2
    assert request(program.api_port, "GET", "/openapi.json").json["openapi"].startswith("3.1")
    docs = request(program.api_port, "GET", "/docs").body.decode()
    assert "/stats/getbydate" in docs
    assert not re.search(r"""(src|href|@import|url\()\s*=?\s*["']?(https?:)?//""", docs), "it loads from elsewhere"
    greeting = program.out_file.read_text()
    assert KEY in greeting and "trackyard demo" in greeting


def test_monitoring_listener_serves_lags_and_metrics_of_all_processes(program: RunningProgram) -> None:
    port = program.monitoring_port
    assert request(port, "GET", "/healthz").json == {"status": 1}
    poll_until(lambda: _reports_lags(port), seconds=15, what="the lag of each queue")
    ready = request(port, "GET", "/readyz")
    assert (ready.status, ready.json["reasons"], ready.json["warnings"]) == (200, [], [])
    metrics = request(port, "GET", "/metrics")
    assert metrics.status == 200 and metrics.headers["content-type"].startswith("text/plain")
    assert request(port, "GET", "/3.0/offers").status == 404
    assert program.track("/click?pid=1&offer_id=nothing").status == 404
    assert program.track("/postback?clickid=nothing").status == 200
    # What dashboard and alert rules ask of every process is there, and nothing that docs/metrics.md does not have.
    poll_until(lambda: unanswered(_scrape(program)) == [], seconds=30, what="every metric of dashboard and rules")
    scrape = _scrape(program)
    assert undeclared(scrape) == []
    timed, up = "trackyard_click_duration_seconds_count 1.0", 'trackyard_store_up{store="analytics"} 1.0'
    assert {timed, up, "trackyard_calls_total 1.0"} <= set(scrape.splitlines())
    assert {f'process_resident_memory_bytes{{role="{role}"}}' for role in ("supervisor", *program.children())} <= {
        line.rpartition(" ")[0] for line in scrape.splitlines()
    }


def _scrape(program: RunningProgram) -> str:
    return request(program.monitoring_port, "GET", "/metrics").body.decode()


def test_monitoring_listener_is_served_without_a_core(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, roles="worker")
    program.start(ready=False)
    poll_until(lambda: _is_served(program.monitoring_port), seconds=40, what="the monitoring listener")
    assert _reasons(program) == []
    assert program.stop() == 0


def _is_served(port: int) -> bool:
    try:
        return request(port, "GET", "/metrics").status == 200
    except OSError:
        return False


def _reasons(program: RunningProgram) -> object:
    return request(program.monitoring_port, "GET", "/readyz").json["reasons"]


def test_program_without_monitoring_listener_has_none(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, monitoring_listen="", roles="worker")
    program.start(ready=False)
    poll_until(lambda: "Trackyard is ready" in program.out_file.read_text(), seconds=40, what="the greeting")
    assert "Monitoring" not in program.out_file.read_text()
    assert not _is_served(program.monitoring_port)
    assert program.stop() == 0


def test_idle_processes_share_at_most_600_mb(program: RunningProgram) -> None:
    pids = [program.process.pid, *program.children().values()] if program.process else []
    assert len(pids) == 4
    kilobytes = Decimal(0)
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                kilobytes += Decimal(line.split()[1])
    assert kilobytes / 1024 <= 600


def test_second_start_on_same_data_directory_is_rejected(program: RunningProgram) -> None:
    second = RunningProgram(program.directory)
    second.log_file = program.directory / "second.jsonl"
    second.start(ready=False)
    assert second.process is not None and second.process.wait(20) == 78
    assert "TRACKYARD_DATA_DIR" in second.log_tail()


def _start_error(program: RunningProgram) -> str:
    """Return what a start that ends at once prints, besides its log."""
    program.start(ready=False)
    assert program.process is not None and program.process.wait(20) == 78
    return "".join(f"{line}\n" for line in program.log_tail().splitlines() if not line.startswith("{"))


def test_start_with_wrong_setting_exits_with_one_sentence(tmp_path: Path) -> None:
    assert _start_error(RunningProgram(tmp_path, timezone="Mars/Olympus")) == (
        "trackyard: TRACKYARD_TIMEZONE must be an IANA zone name, such as Europe/Tallinn, not 'Mars/Olympus'.\n"
    )


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["country_database"], "TRACKYARD_COUNTRY_DATABASE {file} cannot be used: it is no MMDB file."),
        (["isp_database"], "TRACKYARD_ISP_DATABASE {file} cannot be used: it is no MMDB file."),
        (["city_database"], "TRACKYARD_CITY_DATABASE {file} cannot be used: it is no MMDB file."),
        (
            ["tracking_tls_cert", "tracking_tls_key"],
            "TRACKYARD_TRACKING_TLS_CERT {file} is not a PEM certificate.",
        ),
        (["data_dir"], "TRACKYARD_DATA_DIR {file} cannot be used: File exists."),
    ],
)
def test_start_with_wrong_file_kind_exits_with_one_sentence(tmp_path: Path, names: list[str], sentence: str) -> None:
    file = tmp_path / "a.txt"
    file.write_text("no certificate, no database")
    text = _start_error(RunningProgram(tmp_path, **dict.fromkeys(names, str(file))))
    assert text.startswith("trackyard: " + sentence.format(file=file)) and text.count("\n") == 1, text


@pytest.mark.parametrize("listener", ["api_listen", "tracking_listen", "monitoring_listen"])
def test_start_with_used_address_exits_with_one_sentence(tmp_path: Path, receiver: Receiver, listener: str) -> None:
    """Even when the other process answers like an edge: the receiver says 200 to everything."""
    program = RunningProgram(tmp_path, **{listener: f"127.0.0.1:{receiver.port}"})
    assert _start_error(program) == (
        f"trackyard: TRACKYARD_{listener.upper()} 127.0.0.1:{receiver.port} cannot be used: Address already in use.\n"
    )


def test_start_without_analytic_store_exits_with_one_sentence(tmp_path: Path) -> None:
    text = _start_error(RunningProgram(tmp_path, analytics_url="chdb:////proc/no/such"))
    assert text.startswith("trackyard: TRACKYARD_ANALYTICS_URL cannot be used: "), text
    assert text.endswith("No such file or directory.\n") and text.count("\n") == 1, text


def test_start_with_database_that_stays_away_exits_with_status_1(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, database_url=f"postgresql://127.0.0.1:{free_port()}/yard", database_wait="1")
    program.start(ready=False)
    assert program.process is not None and program.process.wait(20) == 1
    waits = [line for line in program.log_lines() if line["message"] == "waiting for a database"]
    assert [(line["seconds"], line["role"]) for line in waits] == [(1, "prepare")]
    assert program.log_tail().splitlines()[-1].startswith("trackyard: TRACKYARD_DATABASE_URL 127.0.0.1:")


def test_start_that_waits_for_a_database_can_be_stopped(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, database_url=f"postgresql://127.0.0.1:{free_port()}/yard", database_wait="600")
    program.start(ready=False)
    poll_until(lambda: "waiting for a database" in program.log_tail(), seconds=20, what="the wait")
    assert program.stop() == 0


def test_second_data_directory_on_one_database_is_refused_without_a_server(tmp_path: Path) -> None:
    """Each would show statistics of its own clicks alone."""
    (tmp_path / "b").mkdir()
    database = f"sqlite:///{tmp_path / 'shared.db'}"
    secret = "of both machines, and not a short one"
    first = RunningProgram(tmp_path, database_url=database, secret_key=secret)
    second = RunningProgram(tmp_path / "b", database_url=database, secret_key=secret)
    assert first.command("prepare").returncode == 0
    refused = second.command("prepare")
    assert refused.returncode == 78
    assert "another data directory is in use on this SQL database (edge 1)" in refused.stderr
    assert first.command("prepare").returncode == 0


def test_first_screen_at_a_terminal_is_short_text_in_utc(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, admin_api_key="", quotes_url="http://127.0.0.1:1/", postback_code="")
    terminal, end = pty.openpty()
    environment = program.environment | {"TZ": "America/New_York", "TERM": "xterm"}
    with open(terminal, "rb", buffering=0) as screen:
        process = subprocess.Popen(
            [sys.executable, "-m", "trackyard", "serve"], env=environment, stdout=end, stderr=end
        )
        STARTED.append(process)
        os.close(end)
        shown, deadline = b"", time.monotonic() + START_SECONDS
        while b"Ctrl-C stops it." not in shown:
            assert select.select([screen], [], [], deadline - time.monotonic())[0], shown.decode()
            shown += screen.read(4096)
        hour = time.gmtime().tm_hour
        process.terminate()
        assert process.wait(40) == 0
    lines = [
        line for line in re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).splitlines() if "running as root" not in line
    ]
    assert len(lines) <= 15, lines
    assert b"\x1b[1mTrackyard is ready." in shown and b"{" not in shown
    clocks = [int(line[:2]) for line in lines if re.match(r"\d\d:\d\d:\d\d ", line)]
    assert len(clocks) >= 3 and all((hour - clock) % 24 <= 1 for clock in clocks), "the supervisor's clock and others'"
    listening = f"edge 0     listening on 127.0.0.1:{program.tracking_port}"
    assert any(listening in line for line in lines)
    (key,) = re.findall(r"API key +([0-9a-f]{40}) +\(shown once\)", "\n".join(lines))
    assert shown.decode().count(key) == 1


def test_data_directory_is_private_to_owner(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path)
    assert program.command("prepare").returncode == 0
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_start_in_foreign_directory_exits_and_changes_nothing(tmp_path: Path) -> None:
    theirs = tmp_path / "data" / "run" / "theirs.pid"
    theirs.parent.mkdir(parents=True)
    theirs.touch()
    text = _start_error(RunningProgram(tmp_path))
    assert text.startswith(f"trackyard: TRACKYARD_DATA_DIR {tmp_path / 'data'} cannot be used: "), text
    assert list((tmp_path / "data").rglob("*")) == [theirs.parent, theirs]


@pytest.mark.parametrize("name", ["run", "temporary"])
def test_start_with_blocked_file_name_exits_with_one_sentence(tmp_path: Path, name: str) -> None:
    program = RunningProgram(tmp_path)
    assert program.command("prepare").returncode == 0
    (tmp_path / "data" / name).touch()
    text = _start_error(program)
    assert text.startswith(f"trackyard: TRACKYARD_DATA_DIR {tmp_path / 'data'} cannot be used: "), text
    assert f"/{name}" in text and text.count("\n") == 1, text


@pytest.mark.parametrize(
    ("settings", "code", "sentence"),
    [
        ({}, 3, "there is no installation in {data} yet: start it first."),
        ({"database_url": "postgresql://127.0.0.1:1/yard"}, 78, "TRACKYARD_DATABASE_URL cannot be used: "),
    ],
)
def test_key_command_distinguishes_unreadable_from_missing_key(
    tmp_path: Path, settings: dict[str, str], code: int, sentence: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    done = RunningProgram(tmp_path, **settings).command("key")
    assert done.returncode == code and done.stderr.startswith("trackyard: " + sentence.format(data=data)), done.stderr


@pytest.mark.parametrize(("roles", "shown"), [("projector,worker", False), ("api", True)])
def test_start_shows_api_key_only_with_api_role(tmp_path: Path, roles: str, shown: bool) -> None:
    program = RunningProgram(tmp_path, roles=roles)
    program.start(ready=False)
    poll_until(lambda: "Ctrl-C stops it." in program.out_file.read_text(), seconds=20, what="it runs")
    out = program.out_file.read_text()
    assert (KEY in out) is shown and ("Postbacks" in out) is shown and "  Clicks " not in out, out
    assert program.stop() == 0
