"""A copy of the data directory is an installation (docs/operating.md)."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.offer_scenario import click_id_of, create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram, poll_until
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply


@pytest.mark.long
def test_backup_copy_of_data_directory_continues(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    first = RunningProgram(tmp_path / "first")
    first.start()
    story = create_offer_scenario(first)
    story.await_rules()
    click = click_id_of(story.click())
    assert story.call(click).status == 200
    assert first.stop() == 0

    (tmp_path / "elsewhere").mkdir()
    shutil.copytree(tmp_path / "first" / "data", tmp_path / "elsewhere" / "data", symlinks=True)
    copy = RunningProgram(tmp_path / "elsewhere")
    copy.start()
    replace(story, program=copy).await_rules()
    assert copy.command("key").stdout.strip() == KEY
    found = poll_until(
        lambda: copy.command("explain", click).stdout, seconds=10, what="the click of the first, in the copy"
    )
    assert f"Click {click} of" in found
    audit = copy.command("audit")
    assert audit.returncode == 0 and "1 conversions" in audit.stdout, audit.stdout + audit.stderr
    assert copy.stop() == 0


PARTS = 20
"""Parts after which a backup is killed, fewer than it has."""


def kill_halfway(program: RunningProgram, *command: str) -> None:
    """kill -9 of a backup that has written some parts and no list."""
    target = Path(command[1])
    arguments = [program.python, "-m", "trackyard", *command]
    with subprocess.Popen(arguments, env=program.environment) as process:
        while len(list(target.glob("chunks/*/*"))) < PARTS:
            assert process.poll() is None
            time.sleep(0.001)  # what polls takes less time than a part
        process.kill()
    assert not list(target.glob("backups/*")) and list((program.directory / "data").glob(".backup*"))


def test_backup_of_running_program_restored_elsewhere_counts_everything_once(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "key").write_text("a long key of backups")
    first = RunningProgram(tmp_path / "first")
    first.start()
    story = create_offer_scenario(first)
    story.await_rules()
    earlier = click_id_of(story.click())
    assert story.call(earlier).status == 200
    target = ("backup", str(tmp_path / "kept"), "--key-file", str(tmp_path / "key"))
    kill_halfway(first, *target)
    made = first.command(*target, "--verify", "--json")
    assert made.returncode == 0, made.stdout + made.stderr
    whole = json.loads(made.stdout)
    assert whole["differences"] == 0 and whole["checked"] > whole["written"], "parts of the killed one are used"
    assert not list((tmp_path / "first" / "data").glob(".backup*")), "nothing of the killed one stays"
    assert not list((tmp_path / "first" / "data" / "analytics" / "shadow").glob("backup*"))

    later = click_id_of(story.click())
    assert story.call(later).status == 200
    second = json.loads(first.command(*target, "--json").stdout)
    assert second["written"] < whole["checked"] / 2, "parts that are there are not copied again"
    assert first.stop() == 0

    (tmp_path / "elsewhere").mkdir()
    copy = RunningProgram(tmp_path / "elsewhere")
    restored = copy.command("restore", *target[1:])
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert copy.command("restore", *target[1:]).returncode == 1, "the directory is not empty any more"
    copy.start()
    replace(story, program=copy).await_rules()
    poll_until(lambda: "2 conversions" in copy.command("audit").stdout, seconds=20, what="both conversions")
    audit = copy.command("audit")
    assert audit.returncode == 0 and "everything adds up" in audit.stdout, audit.stdout + audit.stderr
    assert copy.stop() == 0


def pause_worker(program: RunningProgram) -> None:
    """Stop the worker where it holds no lock of the database."""

    def is_paused() -> bool:
        os.kill(program.children()["worker"], signal.SIGSTOP)
        with (program.directory / "data" / "trackyard.db.lock").open("rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.kill(program.children()["worker"], signal.SIGCONT)
                return False
        return True

    poll_until(is_paused, seconds=10, what="a worker without a lock")


def kill_with_worker(program: RunningProgram) -> None:
    """kill -9 of the parent, then of the paused worker, which cannot end by itself."""
    assert program.process is not None
    program.process.kill()
    os.kill(program.children()["worker"], signal.SIGKILL)
    program.stop(signal.SIGKILL)


@pytest.mark.long
def test_backup_restored_elsewhere_delivers_what_waited_once(tmp_path: Path) -> None:
    original_runs = True

    def reply(_request: ReceivedRequest) -> Reply:
        return Reply(500 if original_runs else 200)

    (tmp_path / "first").mkdir()
    first = RunningProgram(tmp_path / "first")
    first.start()
    with Receiver(reply) as receiver:
        story = create_offer_scenario(first, receiver.url("/p?c={clickid}"))
        story.await_rules()
        clicks = [click_id_of(story.click()) for _ in range(2)]
        assert story.call(clicks[0]).status == 200
        receiver.wait_for(1)  # it failed, and waits to be sent again
        pause_worker(first)
        assert story.call(clicks[1]).status == 200  # waits to be decided
        made = first.command("backup", str(tmp_path / "kept"))
        assert made.returncode == 0, made.stdout + made.stderr
        kill_with_worker(first)
        before, original_runs = len(receiver.requests()), False

        (tmp_path / "elsewhere").mkdir()
        copy = RunningProgram(tmp_path / "elsewhere")
        restored = copy.command("restore", str(tmp_path / "kept"))
        assert restored.returncode == 0, restored.stdout + restored.stderr
        copy.start(ready=False)  # it first looks whether the original, which was killed, still runs
        poll_until(copy.is_ready, seconds=120, what="the copy")
        receiver.wait_for(before + 2, seconds=30)
        poll_until(lambda: "2 conversions" in copy.command("audit").stdout, seconds=20, what="both conversions")
        audit = copy.command("audit")
        assert audit.returncode == 0 and "everything adds up" in audit.stdout, audit.stdout + audit.stderr
        assert copy.stop() == 0
        delivered = Counter(request.query["c"] for request in receiver.requests()[before:])
        assert delivered == dict.fromkeys(clicks, 1)
