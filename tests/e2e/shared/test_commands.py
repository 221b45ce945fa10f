"""Commands against one running program, from a folder and an environment that know nothing of it."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tests.support.processes.program import RunningProgram, poll_until


def command(program: RunningProgram, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`trackyard`, with the data directory and nothing else."""
    environment = {name: value for name, value in program.environment.items() if not name.startswith("TRACKYARD_")}
    environment["TRACKYARD_DATA_DIR"] = str(program.directory / "data")
    line = [sys.executable, "-m", "trackyard", *arguments]
    return subprocess.run(line, env=environment, cwd="/", capture_output=True, text=True, timeout=60, check=False)


def test_command_finds_running_server_from_any_folder(program: RunningProgram) -> None:
    def audited() -> bool:
        done = command(program, "audit")
        assert not done.stderr
        return done.returncode == 0 and done.stdout.splitlines()[-1] == "everything adds up"

    poll_until(audited, seconds=30, what="an audit without differences")
    assert (Path(program.environment["TRACKYARD_DATA_DIR"]) / "run" / "server.json").stat().st_mode & 0o777 == 0o600


def test_status_and_report_of_running_server_are_shown(program: RunningProgram) -> None:
    state = command(program, "status")
    assert state.returncode == 0, state.stdout + state.stderr
    assert state.stdout.startswith(f"Trackyard {version('trackyard')} at http://127.0.0.1:{program.api_port}: ready\n")
    report = command(program, "report", "offers", "--last", "7d")
    assert (report.returncode, report.stderr) == (0, "")
    assert re.match(r"Offer +Clicks", report.stdout.splitlines()[2])
