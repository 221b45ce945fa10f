"""Processes of a failing test end with it."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.long

FAILING = """
from pathlib import Path
import pytest
from tests.e2e.conftest import stop_processes_of_session, stop_processes_of_test
from tests.support.processes.program import RunningProgram, poll_until

PIDS = Path(__file__).with_name("pids")

def begin(directory):
    program = RunningProgram(directory, roles="worker")
    program.start(ready=False)
    poll_until(program.children, seconds=40, what="the worker")
    with PIDS.open("a") as pids:
        print(program.process.pid, *program.children().values(), file=pids)

@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    begin(tmp_path_factory.mktemp("shared"))
    yield
    raise RuntimeError("this fixture does not end it")

def test_that_fails(shared, tmp_path):
    begin(tmp_path)
    raise AssertionError("and its program runs")

def test_that_looks(shared):
    import psutil
    first, second = [[int(pid) for pid in line.split()] for line in PIDS.read_text().splitlines()]
    assert all(psutil.pid_exists(pid) for pid in first), "processes shared by a module continue"
    assert not any(psutil.pid_exists(pid) for pid in second)
"""


def test_failing_test_leaves_no_running_processes(tmp_path: Path) -> None:
    (tmp_path / "test_inner.py").write_text(FAILING)
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-n0",
        "-c",
        "/dev/null",
    ]
    root = Path(__file__).parents[2]
    inner = subprocess.run(
        [*line, "--rootdir", str(tmp_path), "--import-mode=importlib", str(tmp_path / "test_inner.py")],
        cwd=root, env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert "1 failed, 1 passed, 1 error" in inner.stdout, inner.stdout + inner.stderr
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 4 and not any(psutil.pid_exists(pid) for pid in pids)
