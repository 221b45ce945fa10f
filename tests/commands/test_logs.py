"""`trackyard logs`: the last lines of the log, filtered, followed, as text and as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.processes.program import poll_until
from trackyard.commands.logs import LogFilter, LogReader
from trackyard.runtime.exit_codes import ExitCode


def line(number: int, level: str = "INFO", time: str = "2026-11-23T09:00:00.000Z", **fields: str) -> str:
    entry = {"time": time, "level": level, "logger": "trackyard.x", "message": f"event {number}", "role": "core"}
    return json.dumps(entry | fields) + "\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "log").mkdir()
    return tmp_path


def shown(directory: Path, *options: str) -> list[str]:
    found = run_command("logs", *options, env={"TRACKYARD_DATA_DIR": str(directory), "TRACKYARD_CONFIG": None})
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout.splitlines()


def test_logs_shows_the_last_lines_of_both_files_as_text(directory: Path) -> None:
    (directory / "log" / "trackyard.log.1").write_text("".join(map(line, (1, 2))))
    (directory / "log" / "trackyard.log").write_text(line(3) + line(4, "WARNING", error="disk full", advice="mend it"))
    assert [each.split("event ")[1][0] for each in shown(directory)] == ["1", "2", "3", "4"]
    assert shown(directory, "--lines", "2") == [
        "2026-11-23T09:00:00.000Z core       event 3",
        "2026-11-23T09:00:00.000Z core       WARNING event 4 error='disk full': mend it",
    ]


def test_logs_filters_by_level_time_and_request(directory: Path) -> None:
    file = directory / "log" / "trackyard.log"
    early = line(1, time="2026-11-23T08:00:00.000Z")
    broken = '{"time": "2026-11\n[]\n'
    file.write_text(early + broken + line(2, "ERROR") + line(3, request_id="r1") + line(4, client_request_id="c1"))
    assert len(shown(directory)) == 4, "torn lines are left out"
    assert [each[-1] for each in shown(directory, "--level", "warning")] == ["2"]
    assert [each[34:].split()[-1] for each in shown(directory, "--request", "r1")] == ["3"]
    assert [json.loads(each)["message"] for each in shown(directory, "--request", "c1", "--json")] == ["event 4"]
    assert len(shown(directory, "--since", "2026-11-23T08:30")) == 3
    assert len(shown(directory, "--since", "2026-11-23 09:30+01:00")) == 3
    assert shown(directory, "--since", "2099-01-01") == []


def test_logs_shows_a_traceback_below_its_line(directory: Path) -> None:
    (directory / "log" / "trackyard.log").write_text(line(1, "ERROR", exc_info="Traceback:\n  boom"))
    assert shown(directory)[1:] == ["Traceback:", "  boom"]


@pytest.mark.parametrize(
    ("env", "options", "code", "says"),
    [
        ({}, (), ExitCode.AWAY, "no server has run with these settings yet"),
        ({"TRACKYARD_LOG_FILE": "none"}, (), ExitCode.FAILED, "journalctl -u trackyard"),
        ({}, ("--since", "yesterday"), ExitCode.USAGE, "--since must be an age such as 90s"),
        ({}, ("--level", "loud"), ExitCode.USAGE, "'loud' is not one of"),
        ({"TRACKYARD_EDGES": "x"}, (), ExitCode.CONFIGURATION, "TRACKYARD_EDGES"),
    ],
)
def test_logs_that_cannot_be_shown_have_their_exit_code(
    tmp_path: Path, env: dict[str, str], options: tuple[str, ...], code: ExitCode, says: str
) -> None:
    given = {"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_CONFIG": None} | env
    found = run_command("logs", *options, env=given)
    assert (found.exit_code, found.stdout) == (code, "")
    assert says in found.stderr


def test_log_reader_follows_into_the_next_file_and_shows_each_line_once(directory: Path) -> None:
    path, older = directory / "log" / "trackyard.log", directory / "log" / "trackyard.log.1"
    path.write_text(line(1))
    reader = LogReader(path, LogFilter())

    def new() -> list[str]:
        return [json.loads(each)["message"][-1] for each in reader.new_lines()]

    assert len(reader.last_lines(0)) == 1
    with path.open("a") as file:
        file.write(line(2) + line(3)[:20])
        file.flush()
        assert new() == ["2"], "a line that is not whole waits"
        file.write(line(3)[20:])
        file.flush()
        path.replace(older)
        assert new() == ["3"]
        file.write(line(4))
    assert new() == ["4"], "nothing is in the next file yet"
    path.write_text(line(5))
    assert new() == ["5"]
    reader.close()


def test_logs_follows_until_it_is_stopped(directory: Path, tmp_path: Path) -> None:
    path = directory / "log" / "trackyard.log"
    path.write_text(line(1))
    out = tmp_path / "out.txt"
    command = [sys.executable, "-m", "trackyard", "logs", "--follow"]
    with out.open("wb") as stream:
        process = subprocess.Popen(
            command, stdout=stream, env={"TRACKYARD_DATA_DIR": str(directory), "PYTHONUNBUFFERED": "1"}, cwd="/"
        )
    try:
        poll_until(lambda: "event 1" in out.read_text(), seconds=30, what="the first line")
        with path.open("a") as file:
            file.write(line(2))
        poll_until(lambda: "event 2" in out.read_text(), seconds=30, what="the new line")
    finally:
        process.terminate()
        process.wait(10)
