"""The faults of a run, and the double that shifts clocks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.control import Control
from tests.chaos.schedule import draw_schedule, kinds

SHOW = """
import os, sys, time
from trackyard.base.clock import SystemClock
of_machine = time.clock_gettime_ns(time.CLOCK_REALTIME) // 1_000_000
print(round((SystemClock().now_ms() - of_machine) / 60_000))
try:
    os.write(os.open(sys.argv[-1], os.O_WRONLY | os.O_CREAT), b"x")
except OSError as error:
    print(error.strerror)
"""


def test_schedule_of_seed_is_repeated_and_has_every_kind() -> None:
    for stores in (False, True):
        drawn = draw_schedule(7, 600, stores)
        assert drawn == draw_schedule(7, 600, stores) != draw_schedule(8, 600, stores)
        for row, names in zip(drawn, kinds(stores), strict=True):
            assert {fault.kind for fault in row} == set(names)
            assert all(fault.at + fault.seconds <= 600 for fault in row)
            assert [fault.at for fault in row] == sorted(fault.at for fault in row)


def test_faults_of_short_run_are_short() -> None:
    hard, soft = draw_schedule(7, 45, stores=True)
    assert max(fault.seconds for fault in (*hard, *soft)) <= 45 / 12
    assert len(hard) >= 5 and len(soft) >= 5


@pytest.mark.parametrize(("process", "minutes"), [("core", 60), ("worker", 0)])
def test_control_shifts_clock_of_one_process_and_fills_disk(tmp_path: Path, process: str, minutes: int) -> None:
    control = Control(tmp_path / "control")
    control.shift(3600, ["core"])
    control.fill_disk(True)
    command = [sys.executable, "-c", SHOW, "trackyard", "role", process, str(tmp_path / "file")]
    shown = subprocess.run(command, env=os.environ | control.environment, capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == [str(minutes), "No space left on device"]
