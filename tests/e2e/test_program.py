"""How the program starts, and what it says when it cannot."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.program import KEY, START_SECONDS, STARTED, RunningProgram, free_port, poll_until, request
from tests.support.processes.receiver import Receiver


def test_monitoring_listener_is_served_without_a_core(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, roles="worker")
    program.start(ready=False)
    poll_until(lambda: _is_served(program.monitoring_port), seconds=40, what="the monitoring listener")
    assert _reasons(program) == []
    first = _machines(program)
    poll_until(lambda: _machines(program)[0]["seen_at"] > first[0]["seen_at"], seconds=30, what="its heartbeat")
    assert [(each["state"], each["roles"], each["edges"]) for each in first] == [("runs", "worker", [])]
    assert program.stop() == 0
    assert [each["state"] for each in _machines(program)] == ["stopped"]
    (directory, *_) = (line for line in program.command("machines").stdout.splitlines() if "stopped" in line)
    assert str(tmp_path / "data") in directory


def _machines(program: RunningProgram) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(program.command("machines", "--json").stdout)
    return found


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


def _start_error(program: RunningProgram) -> str:
    """Return what a start that ends at once prints, besides its log."""
    program.start(ready=False)
    assert program.process is not None and program.process.wait(60) == 78
    return "".join(f"{line}\n" for line in program.log_tail().splitlines() if not line.startswith("{"))


def test_start_with_wrong_setting_exits_with_one_sentence(tmp_path: Path) -> None:
    assert _start_error(RunningProgram(tmp_path, timezone="Mars/Olympus")) == (
        "trackyard: TRACKYARD_TIMEZONE must be an IANA zone name, such as Europe/Tallinn, not 'Mars/Olympus'.\n"
    )


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["country_database"], "TRACKYARD_COUNTRY_DATABASE {file} cannot be used: it is not an MMDB file."),
        pytest.param(
            ["isp_database"],
            "TRACKYARD_ISP_DATABASE {file} cannot be used: it is not an MMDB file.",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ["city_database"],
            "TRACKYARD_CITY_DATABASE {file} cannot be used: it is not an MMDB file.",
            marks=pytest.mark.long,
        ),
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
    assert refused.returncode == 1
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
        rest, deadline = b"", time.monotonic() + 40
        while process.poll() is None:  # a full terminal would keep it from ending
            assert time.monotonic() < deadline, rest.decode()
            if select.select([screen], [], [], 0.1)[0]:
                with suppress(OSError):  # every process closed its end
                    rest += screen.read(4096)
        assert process.returncode == 0, rest.decode()
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
        ({"database_url": "postgresql://127.0.0.1:1/yard"}, 1, "TRACKYARD_DATABASE_URL cannot be used: "),
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
    poll_until(lambda: "Ctrl-C stops it." in program.out_file.read_text(), seconds=60, what="it runs")
    out = program.out_file.read_text()
    assert (KEY in out) is shown and ("Postbacks" in out) is shown and "  Clicks " not in out, out
    assert program.stop() == 0
