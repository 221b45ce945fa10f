"""`script/dev` on a copy of the project: edits show, pages end with their statements, Ctrl-C stops it."""

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.program import STARTED, RunningProgram, poll_until, request

ROOT = Path(__file__).parents[2]
PAGE = "/sign-in"
ENDS_WITH_STATEMENTS = re.compile(r"<!-- (\d+) SQL statements\n(?: *\d+\.\d ms  \S.*\n)+-->\n\Z")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project, with its environment."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "compiled.json")
    for name in ("trackyard", "tests/support", "tests/supply", "script"):
        shutil.copytree(ROOT / name, tmp_path / "copy" / name, ignore=ignored)
    (tmp_path / "copy/tests/__init__.py").touch()
    (tmp_path / "copy/.venv").symlink_to(ROOT / ".venv")
    (tmp_path / "copy/script/setup").write_text("#!/bin/sh\n")
    return tmp_path / "copy"


@pytest.fixture
def server(copy: Path, tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path)
    with running.log_file.open("ab") as log, running.out_file.open("ab") as out:
        running.process = subprocess.Popen(["script/dev"], cwd=copy, env=running.environment, stdout=out, stderr=log)
    STARTED.append(running.process)
    poll_until(running.is_ready, seconds=90, what="ready")
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait()


def shown(server: RunningProgram) -> str:
    return request(server.api_port, "GET", PAGE).body.decode()


def test_development_server_shows_edits_and_statements_and_ends_with_ctrl_c(copy: Path, server: RunningProgram) -> None:
    found = ENDS_WITH_STATEMENTS.search(shown(server))
    assert found is not None and int(found[1]) == found[0].count(" ms  ") > 0
    assert "SELECT " in found[0]
    assert "SQL statements" not in request(server.api_port, "GET", "/3.1/offers").body.decode()
    began = server.children()

    template = copy / "trackyard/console/templates/account/sign_in.html"
    template.write_text(template.read_text().replace("<form", "<p>An edited template</p><form", 1))
    poll_until(lambda: "An edited template" in shown(server), seconds=20, what="the edited template")
    assert server.children() == began, "a template needs no start"

    with (copy / "trackyard/__init__.py").open("a") as code:
        code.write("\n# an edit\n")
    poll_until(lambda: "edited: __init__.py" in server.log_file.read_text(), seconds=20, what="the edit of the code")
    poll_until(
        lambda: server.children().get("core") not in (None, began["core"]) and server.is_ready(),
        seconds=90,
        what="another start",
    )
    assert ENDS_WITH_STATEMENTS.search(shown(server))
    pids = server.children().values()
    assert server.stop(signal.SIGINT) == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
