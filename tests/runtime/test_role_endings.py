"""What the log has of an error that ends a role, or a part of one."""

import json
import logging
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from trackyard.base.logs.ending import ADVICE, START_ADVICE
from trackyard.jobs.worker import _run_loop
from trackyard.runtime import app
from trackyard.runtime.supervisor import _log_death

BREAK = """
import os
import sys
from pathlib import Path
from trackyard.commands.main import main
from trackyard.runtime import app, preparation, settings

def broken(*_):
    raise KeyError("no one expected this\\nand more")

role, level, directory = sys.argv[1:]
preparation.CHECKS = (broken,)
for name in ("_run_edge", "_run_core", "_run_worker"):
    setattr(app, name, broken)
variables = {"DATA_DIR": directory, "LOG_LEVEL": level, "LOG_FORMAT": "json", "MONITORING_LISTEN": ""}
os.environ.update({f"TRACKYARD_{name}": text for name, text in variables.items()})
if role == "prepare":
    main(["prepare"])
app.run_role(settings.load(os.environ), role, slot=0, lifeline=None)
"""
"""A role that fails at its start."""


def lines_of(role: str, level: str, directory: Path) -> list[dict[str, Any]]:
    """Return the log of a role that an error ends."""
    done = subprocess.run(
        [sys.executable, "-c", BREAK, role, level, str(directory)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    return [json.loads(line) for line in done.stderr.splitlines()]


@pytest.mark.parametrize(
    ("role", "advice"), [("edge", ADVICE), ("core", ADVICE), ("worker", ADVICE), ("prepare", START_ADVICE)]
)
def test_role_ended_by_an_error_logs_one_line_that_says_what_to_do(tmp_path: Path, role: str, advice: str) -> None:
    [line] = lines_of(role, "INFO", tmp_path)
    assert (line["level"], line["role"].split()[0], line["message"]) == ("ERROR", role, "ended by an error")
    assert (line["error"], line["advice"]) == (r"KeyError: 'no one expected this\nand more'", advice)
    assert re.match(r"<string>:\d+ < runtime/(app|preparation)\.py:", line["at"]) and "exc_info" not in line
    if role != "prepare":
        assert (tmp_path / "log" / "trackyard.log").read_text().count("\n") == 1, "`trackyard logs` shows it too"


def test_role_ended_by_an_error_logs_its_traceback_at_debug(tmp_path: Path) -> None:
    shown = lines_of("worker", "DEBUG", tmp_path)
    assert [line["level"] for line in shown if "Traceback" in line.get("exc_info", "")] == ["DEBUG"]


@pytest.mark.parametrize("part", ["projector", "conversions"])
def test_part_of_role_ended_by_an_error_logs_one_line_and_ends_the_role(
    part: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Any] = []

    class Broken:
        def run(self, _stop: threading.Event) -> None:
            raise ValueError("the rest of a record is missing")

    monkeypatch.setattr("os.kill", lambda *signal: ended.append(signal))
    stop = threading.Event()
    with caplog.at_level(logging.INFO):
        if part == "projector":
            app._run_projector(Broken(), stop)  # type: ignore[arg-type]
        else:
            _run_loop(part, Broken().run, stop, ended)
    [line] = caplog.records
    assert (line.levelname, line.exc_info, vars(line)["part"], vars(line)["advice"]) == ("ERROR", None, part, ADVICE)
    assert len(ended) == 1 and stop.is_set() is (part != "projector")


@pytest.mark.parametrize(("status", "level"), [(1, "WARNING"), (0, "WARNING"), (-9, "ERROR"), (-11, "ERROR")])
def test_death_of_role_is_an_error_only_where_the_role_logged_none(
    status: int, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    _log_death("worker", status)
    [line] = caplog.records
    assert (line.levelname, line.message, "memory" in vars(line).get("advice", "")) == (level, "died", status == -9)
