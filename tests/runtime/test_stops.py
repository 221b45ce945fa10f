"""A process that should stop or lost its parent ends whatever hangs (docs/spec/engine.md#a-stop)."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes.program import poll_until

HANG = """
import logging, os, sys, threading, time
from pathlib import Path
from trackyard.jobs import worker
from trackyard.runtime import app, settings
from trackyard.runtime.processes import stop_watchdog

directory, jump, lifeline, held = sys.argv[1:]
class Quick(stop_watchdog.StopWatchdog):
    def __init__(self):
        super().__init__(0.5)
app.StopWatchdog = Quick
stop_watchdog._LAST_S = 0.5
shift = 0
of_machine, of_machine_ns = time.time, time.time_ns
time.time = lambda: of_machine() + shift
time.time_ns = lambda: of_machine_ns() + shift * 1_000_000_000

def hang(stop):
    global shift
    Path(directory, "pid").write_text(str(os.getpid()))
    stop.wait()
    shift = int(jump)  # the clock jumps while the stop is under way
    if held == "log":
        for handler in logging.getLogger().handlers:
            handler.acquire()
    threading.Event().wait()

worker._loops = lambda *_: {"deliveries": hang}
names = {"DATA_DIR": directory, "LOG_FORMAT": "json", "MONITORING_LISTEN": "", "ROLES": "worker"}
os.environ.update({f"TRACKYARD_{name}": text for name, text in names.items()})
app.run_role(settings.load(os.environ), "worker", slot=0, lifeline=int(lifeline) if lifeline else None)
"""
"""A worker with a part that hangs at the stop, as one that waits for a silent database."""

PARENT = """
import os, subprocess, sys, time
lifeline, _end = os.pipe()
subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2], "0", str(lifeline), ""], pass_fds=(lifeline,))
time.sleep(600)
"""


def begin(*command: str, stderr: Path) -> "subprocess.Popen[bytes]":
    with stderr.open("wb") as out:
        return subprocess.Popen([sys.executable, "-c", *command], stderr=out)


@pytest.mark.parametrize(("jump", "held"), [("3600", ""), ("-3600", ""), ("0", "log")])
def test_worker_with_a_hanging_part_ends_after_its_stop(tmp_path: Path, jump: str, held: str) -> None:
    log = tmp_path / "stderr"
    process = begin(HANG, str(tmp_path), jump, "", held, stderr=log)
    try:
        poll_until((tmp_path / "pid").exists, seconds=30, what="the worker")
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 1
    finally:
        process.kill()
    if not held:
        [line] = [each for each in map(json.loads, log.read_text().splitlines()) if each["level"] == "ERROR"]
        assert line["message"] == "ended by force: the stop took too long"
        assert set(line["threads"]) == {"MainThread", "deliveries", "heartbeat"}  # that ends after the others


def test_worker_with_a_hanging_part_ends_after_its_parent_was_killed(tmp_path: Path) -> None:
    parent = begin(PARENT, HANG, str(tmp_path), stderr=tmp_path / "stderr")
    pid = 0
    try:
        poll_until(
            lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text(), seconds=30, what="the worker"
        )
        pid = int((tmp_path / "pid").read_text())
        parent.kill()
        parent.wait()
        poll_until(lambda: not is_running(pid), seconds=15, what="the end of the orphan")
    finally:
        parent.kill()
        if pid and is_running(pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("command", "status"), [("serve", 0), ("audit", -signal.SIGTERM)])
def test_stop_while_program_is_imported_is_in_order_for_serve(command: str, status: int) -> None:
    """A service manager may stop the program before it does anything; another command is cut off."""
    code = "import trackyard.commands.frame.early_stop, os, signal, time; "
    code += "os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)"
    done = subprocess.run([sys.executable, "-c", code, command], check=False)
    assert done.returncode == status


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that ended and that nothing reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False
