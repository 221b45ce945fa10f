"""`trackyard rebuild` during traffic, and killed in the middle."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.test_kill import AcknowledgedTraffic
from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.program import RunningProgram, WaitTimeout, poll_until


def _command(program: RunningProgram, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "trackyard", *arguments],
        env=program.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def _audited(program: RunningProgram) -> bool:
    return _command(program, "audit").stdout.endswith("everything adds up\n")


@pytest.mark.long
def test_rebuild_command_under_traffic_succeeds(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path)
    program.start()
    story = create_offer_scenario(program)
    story.await_rules()
    with AcknowledgedTraffic(story) as traffic:
        traffic.grow(10)
        done = _command(program, "rebuild")
        assert done.returncode == 0, (done, program.log_tail())
        assert "nothing differs; the rebuilt tables are used now" in done.stdout
        checked = _command(program, "rebuild", "--check")
        assert checked.returncode == 0, (checked, program.log_tail())
        assert "nothing differs; nothing was changed" in checked.stdout
        traffic.grow(10)
    poll_until(lambda: _audited(program), seconds=60, what="an audit without differences")
    assert program.stop() == 0
    stopped = _command(program, "rebuild")
    assert (stopped.returncode, "start the server first" in stopped.stderr) == (3, True)


@pytest.mark.long
@pytest.mark.chaos
def test_rebuild_command_killed_at_any_step_can_run_again(tmp_path: Path) -> None:
    """A death at any time swaps nothing by halves, leaves nothing behind, and allows another rebuild."""
    program = RunningProgram(tmp_path)
    program.start()
    story = create_offer_scenario(program)
    story.await_rules()
    with AcknowledgedTraffic(story) as traffic:
        for wait in (0.0, 0.4):
            traffic.grow(5)
            program.api("POST", "/3.1/admin/rebuild")
            time.sleep(wait)  # at any step
            program.kill("core")
            poll_until(program.is_ready, seconds=40, what="ready")
        program.api("POST", "/3.1/admin/rebuild")
        with suppress(WaitTimeout):  # perhaps in the very swap
            poll_until(lambda: _stage(program) == "swapping", seconds=3, what="a swap")
        program.kill("core")
        poll_until(program.is_ready, seconds=40, what="ready")
        done = _command(program, "rebuild")
        assert done.returncode == 0, (done, program.log_tail())
        traffic.grow(5)
    poll_until(lambda: _audited(program), seconds=60, what="an audit without differences")
    program.stop(signal.SIGTERM)


def _stage(program: RunningProgram) -> str | None:
    last = program.api("GET", "/3.1/admin/rebuild")["rebuild"]
    return None if last is None else last["stage"]
