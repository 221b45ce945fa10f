"""Commands against one running program, from a folder and an environment that know nothing of it."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.processes.program import RunningProgram


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path_factory.mktemp("program"))
    running.start()
    yield running
    file = running.directory / "data" / "run" / "server.json"
    assert file.exists()
    assert running.stop() == 0
    assert not file.exists(), "a server that stopped is not found"


def command(program: RunningProgram, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`trackyard`, with the data directory and nothing else."""
    environment = {name: value for name, value in program.environment.items() if not name.startswith("TRACKYARD_")}
    environment["TRACKYARD_DATA_DIR"] = str(program.directory / "data")
    line = [sys.executable, "-m", "trackyard", *arguments]
    return subprocess.run(line, env=environment, cwd="/", capture_output=True, text=True, timeout=60, check=False)


def test_command_finds_running_server_from_any_folder(program: RunningProgram) -> None:
    audited = command(program, "audit")
    assert (audited.returncode, audited.stdout.splitlines()[-1]) == (0, "everything adds up"), audited.stderr
    assert (Path(program.environment["TRACKYARD_DATA_DIR"]) / "run" / "server.json").stat().st_mode & 0o777 == 0o600


def test_status_and_report_of_running_server_are_shown(program: RunningProgram) -> None:
    state = command(program, "status")
    assert state.returncode == 0, state.stdout + state.stderr
    assert state.stdout.startswith(f"Trackyard {version('trackyard')} at http://127.0.0.1:{program.api_port}: ready\n")
    report = command(program, "report", "offers", "--last", "7d")
    assert (report.returncode, report.stderr) == (0, "")
    assert report.stdout.splitlines()[2].startswith("Offer  Clicks")
