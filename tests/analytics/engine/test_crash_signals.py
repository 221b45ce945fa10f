"""A process with chDB that crashes ends, and says where it was."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

_CRASH = """
import faulthandler, os, sys
faulthandler.enable()
from trackyard.analytics.engine.connection import Analytics
store = Analytics.open(f"chdb://{sys.argv[1]}")
assert store.rows("SELECT 1", {}, tuple[int]) == [(1,)]
os.kill(os.getpid(), int(sys.argv[2]))
store.rows("SELECT 1", {}, tuple[int])
"""


@pytest.mark.parametrize("number", [signal.SIGBUS, signal.SIGSEGV, signal.SIGABRT])
def test_crash_of_a_process_with_chdb_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    line = [sys.executable, "-c", _CRASH, str(tmp_path / "analytics"), str(int(number))]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -number
    assert "most recent call first" in done.stderr
