"""Roles that start on a full disk say so, and recover without a restart."""

from pathlib import Path

import pytest

from tests.chaos.control import Control
from tests.support.processes.program import HttpAnswer, RunningProgram, poll_until, request

pytestmark = pytest.mark.chaos


def monitoring(program: RunningProgram, path: str) -> HttpAnswer:
    return request(program.monitoring_port, "GET", path)


def is_serving(program: RunningProgram) -> bool:
    """Whether every role has been started again and works."""
    try:
        return program.is_ready() and monitoring(program, "/readyz").status == 200
    except OSError:
        return False


def answer_at(port: int, path: str) -> HttpAnswer | None:
    """The answer of a listener; None while nothing listens."""
    try:
        return request(port, "GET", path)
    except OSError:
        return None


def await_answer(port: int, path: str) -> HttpAnswer:
    """The answer of a listener of the new core, which opens one after another."""
    answer = poll_until(lambda: answer_at(port, path), seconds=40, what=f"an answer to {path}")
    assert answer is not None
    return answer


def test_roles_started_on_a_full_disk_say_so_and_recover_without_a_restart(tmp_path: Path) -> None:
    control = Control(tmp_path / "control")
    program = RunningProgram(tmp_path)
    program.environment |= control.environment
    program.start()
    supervisor = program.process
    control.fill_disk(full=True)
    killed = program.children()
    assert set(killed) == {"edge 0", "worker", "core"}
    for child in ("edge 0", "worker", "core"):
        program.kill_only(child)
    found = await_answer(program.monitoring_port, "/readyz")
    assert found.status == 503
    assert found.json["reasons"][0].startswith("disk full: 0 MB free, 136 needed")
    page = await_answer(program.monitoring_port, "/metrics")
    assert page.status == 200 and b"trackyard_disk_free_bytes 0.0" in page.body
    public = await_answer(program.api_port, "/readyz")
    assert public.json == {"status": 2}, "the sentence is for the listener alone"

    control.fill_disk(full=False)
    poll_until(lambda: is_serving(program), seconds=60, what=f"ready again; the log ends {program.log_tail()}")
    assert program.process is supervisor

    def has_new_processes() -> bool:
        found = program.children()  # a file that could not be written on the full disk is written again
        return set(found) == set(killed) and not set(found.values()) & set(killed.values())

    poll_until(has_new_processes, seconds=30, what="the ids of the new processes")
    started = [f'process_start_time_seconds{{role="{role}"}}'.encode() for role in killed]

    def counts_every_role() -> bool:
        page = await_answer(program.monitoring_port, "/metrics")  # a text may be 5 s old
        return b"trackyard_metrics_files_skipped 0.0" in page.body and all(each in page.body for each in started)

    poll_until(counts_every_role, seconds=15, what="metrics of every role")
    assert program.command("status").returncode == 0
    assert "Traceback" not in program.log_file.read_text()


def test_start_on_a_full_disk_ends_with_one_sentence_and_may_be_repeated(tmp_path: Path) -> None:
    control = Control(tmp_path / "control")
    program = RunningProgram(tmp_path)
    program.environment |= control.environment
    control.fill_disk(full=True)
    ended = program.command("serve")
    assert ended.returncode == 1, "not 78, after which a service is not started again"
    (sentence,) = [line for line in ended.stderr.splitlines() if line.startswith("trackyard:")]
    assert "is full: 0 MB are free. Free some of it" in sentence and "Traceback" not in ended.stderr
    control.fill_disk(full=False)
    program.start()
