"""`trackyard check`: its output, its JSON and its exit codes."""

import json
import os
from pathlib import Path

import pytest

from tests.support.command import run_command
from trackyard.commands.state.check import check_exit_code, check_lines
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.runtime.checks.registry import CHECKS
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.server_file import is_server_running, server_file
from trackyard.runtime.settings import load, write_private


def result(*kinds: FindingKind) -> CheckFindings:
    evidence = {"reason": "It is wrong.", "free_percent": 7}
    return CheckFindings("disk", "disk", tuple(Finding(kind, "/data", evidence) for kind in kinds))


def test_check_command_shows_each_check_and_needs_no_server(tmp_path: Path) -> None:
    found = run_command("check", "--json", env={"TRACKYARD_DATA_DIR": str(tmp_path / "data")})
    answer = json.loads(found.stdout)
    assert [each["check"] for each in answer["checks"]] == [check.name for check in CHECKS]
    grave = [each["check"] for each in answer["checks"] if each["severity"] == "error"]
    assert set(grave) <= {"disk"}  # of the machine of the test
    assert found.exit_code == (1 if grave else 0)
    assert not (tmp_path / "data").exists()


def test_check_command_names_settings_that_a_start_refuses_with_code_78(tmp_path: Path) -> None:
    given = {"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_ROLES": "edge"}
    found = run_command("check", env=given)
    assert found.exit_code == ExitCode.CONFIGURATION
    assert "TRACKYARD_ROLES must have projector with edge" in found.stdout and "→ Correct it" in found.stdout
    answer = json.loads(run_command("check", "--json", env=given).stdout)
    assert (answer["severity"], answer["checks"][0]["findings"][0]["kind"]) == ("error", "setting_refused")


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        ((), 0),
        ((FindingKind.DISK_LOW,), 0),
        ((FindingKind.DISK_FULL, FindingKind.DISK_LOW), 1),
        ((FindingKind.DISK_FULL, FindingKind.SETTING_REFUSED), 78),
    ],
)
def test_check_exit_code_is_that_of_the_gravest_finding(kinds: tuple[FindingKind, ...], code: int) -> None:
    assert check_exit_code([result(), result(*kinds)]) == code


def test_check_lines_say_what_is_wrong_and_what_to_do() -> None:
    lines = list(check_lines([result(), result(FindingKind.DISK_FULL, FindingKind.DISK_LOW)]))
    assert lines == [
        "ok       disk",
        "error    disk",
        "           7 % of the disk of /data is free: clicks and postbacks are refused once it is full.",
        "           → Give the disk more room now, or keep less: docs/retention.md.",
        "           7 % of the disk of /data is free.",
        "           → Give the disk more room, or keep less: docs/retention.md. Below 10 % this is an error.",
        "1 error, 1 warning.",
    ]
    assert list(check_lines([result()]))[-1] == "All is in order."


def test_server_file_of_a_killed_server_is_no_running_server(tmp_path: Path) -> None:
    config = load({"TRACKYARD_DATA_DIR": str(tmp_path)})
    assert not is_server_running(tmp_path)
    write_private(*server_file(config))
    assert is_server_running(tmp_path)
    file = tmp_path / "run" / "server.json"
    file.write_text(
        file.read_text().replace(f'"pid": {os.getpid()}', '"pid": 4194305')
    )  # above the most that Linux has
    assert not is_server_running(tmp_path)
