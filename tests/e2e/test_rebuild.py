"""`trackyard rebuild` beside traffic, and killed in the middle."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.e2e.test_kill import Traffic
from tests.support.program import NotYet, Program, until
from tests.support.story import begin


def _command(program: Program, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "trackyard", *arguments],
        env=program.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def _audited(program: Program) -> bool:
    return _command(program, "audit").stdout.endswith("everything adds up\n")


def test_rebuilds_beside_traffic(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    story = begin(program)
    story.await_rules()
    with Traffic(story) as traffic:
        traffic.grow(10)
        done = _command(program, "rebuild")
        assert done.returncode == 0, (done, program.log_tail())
        assert "nothing differs; the tables made again are used now" in done.stdout
        checked = _command(program, "rebuild", "--check")
        assert checked.returncode == 0, (checked, program.log_tail())
        assert "nothing differs; nothing was changed" in checked.stdout
        traffic.grow(10)
    until(lambda: _audited(program), seconds=60, what="an audit without differences")
    assert program.stop() == 0
    stopped = _command(program, "rebuild")
    assert (stopped.returncode, "start the server first" in stopped.stderr) == (2, True)


def test_killed_in_the_middle(tmp_path: Path) -> None:
    """Whenever it dies: nothing is swapped by halves, nothing is left over, and it can be run again."""
    program = Program(tmp_path)
    program.start()
    story = begin(program)
    story.await_rules()
    with Traffic(story) as traffic:
        for wait in (0.0, 0.4):
            traffic.grow(5)
            program.api("POST", "/3.1/admin/rebuild")
            time.sleep(wait)  # wherever it is then
            program.kill("core")
            until(program.is_ready, seconds=40, what="ready")
        program.api("POST", "/3.1/admin/rebuild")
        with suppress(NotYet):  # perhaps in the very swap
            until(lambda: _stage(program) == "swapping", seconds=3, what="a swap")
        program.kill("core")
        until(program.is_ready, seconds=40, what="ready")
        done = _command(program, "rebuild")
        assert done.returncode == 0, (done, program.log_tail())
        traffic.grow(5)
    until(lambda: _audited(program), seconds=60, what="an audit without differences")
    program.stop(signal.SIGTERM)


def _stage(program: Program) -> str | None:
    last = program.api("GET", "/3.1/admin/rebuild")["rebuild"]
    return None if last is None else last["stage"]
