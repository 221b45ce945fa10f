"""What disks need, the wait of a start for space, and what readiness says."""

import json
import logging
import os
import threading
from pathlib import Path

import pytest

from trackyard.runtime.exit_codes import ExitCode, unusable_directory
from trackyard.runtime.monitoring.full_disks import FullDisk, find_full_disks, wait_for_space
from trackyard.runtime.monitoring.readiness import machine_report, starting_report
from trackyard.runtime.settings import load

MIB = 1 << 20
POSTGRESQL = {"TRACKYARD_DATABASE_URL": "postgresql://u@h/d", "TRACKYARD_ANALYTICS_URL": "http://h:8123/d"}


def free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    disk = os.statvfs_result((1, 1, 1000 * MIB, size, size, 0, 0, 0, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _path: disk)


NEEDS = [
    ({}, 129 * MIB, "136 needed"),
    ({"TRACKYARD_ROLES": "edge,projector"}, 129 * MIB, "136 needed"),
    ({"TRACKYARD_ROLES": "worker"}, 8 * MIB, "9 needed"),
    (POSTGRESQL, 1 * MIB, "2 needed"),
    ({**POSTGRESQL, "TRACKYARD_ROLES": "edge,projector"}, 1 * MIB, "2 needed"),
]


@pytest.mark.parametrize(("settings", "needed", "words"), NEEDS)
def test_disk_is_full_below_what_the_roles_of_a_machine_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], needed: int, words: str
) -> None:
    config = load({"TRACKYARD_DATA_DIR": str(tmp_path / "data"), **settings})
    free(monkeypatch, needed)
    assert find_full_disks(config) == []
    free(monkeypatch, needed - 1)
    (found,) = find_full_disks(config)
    assert found.sentence() == f"disk full: {(needed - 1) // 1_000_000} MB free, {words}"
    for report in (machine_report(config), starting_report(config)):
        assert report.reasons[0] == found.sentence()


def test_second_full_disk_is_named_with_its_directory() -> None:
    assert FullDisk(Path("/db"), 999_999, 8 * MIB, is_first=False).sentence() == "disk full: 0 MB free, 9 needed in /db"


def test_start_waits_for_space_and_logs_each_change_once(caplog: pytest.LogCaptureFixture) -> None:
    looks = [[FullDisk(Path("/d"), 5, 8 * MIB)]] * 4 + [[]]
    with caplog.at_level(logging.INFO):
        assert wait_for_space(lambda: looks.pop(0), threading.Event(), pause_s=0)
    full, room = caplog.records
    assert full.message == "disk full: the start waits for space"
    assert full.disks == [{"directory": "/d", "free_mb": 0, "needed_mb": 9}]  # type: ignore[attr-defined]
    assert room.message == "disk has room: the start continues"
    assert not looks


def test_wait_for_space_ends_with_a_signal_to_stop() -> None:
    stop = threading.Event()
    stop.set()
    assert not wait_for_space(lambda: [FullDisk(Path("/d"), 5, 8 * MIB)], stop)


@pytest.mark.parametrize("content", ["", '["co', "7"])
def test_cut_file_of_failing_roles_leaves_readiness_as_it_is(tmp_path: Path, content: str) -> None:
    config = load({"TRACKYARD_DATA_DIR": str(tmp_path)})
    config.failing_roles_file.parent.mkdir()
    config.failing_roles_file.write_text(content)
    assert machine_report(config).reasons == ()
    config.failing_roles_file.write_text(json.dumps(["core"]))
    assert machine_report(config).reasons == ("the role core dies again and again",)


@pytest.mark.parametrize("number", [28, 122])
def test_write_that_a_full_disk_refuses_may_be_repeated_and_no_other(tmp_path: Path, number: int) -> None:
    full = unusable_directory(tmp_path / "new", OSError(number, os.strerror(number)))
    assert full.exit_code is ExitCode.FAILED and "is full" in str(full) and "Free some of it" in str(full)
    other = unusable_directory(tmp_path, OSError(13, "Permission denied"))
    assert other.exit_code is ExitCode.CONFIGURATION and str(other).endswith("cannot be used: Permission denied.")
