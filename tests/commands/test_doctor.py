"""`trackyard doctor`: what this machine finds, and what its server adds."""

import json
from dataclasses import replace
from pathlib import Path

from tests.support.api import UNBOUNDED, Api
from tests.support.command import run_command
from trackyard.api.app import build
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.platform.status import MachineStatus
from trackyard.runtime.checks.registry import CHECKS, DOCTOR_CHECKS

DISK = CheckFindings("disk", "disk", (Finding(FindingKind.DISK_FULL, "/data", {"free_percent": 7}),))


def on(api: Api, machine: MachineStatus) -> Api:
    app = build(replace(api.deps, machine=lambda: machine, checks=lambda: [DISK]), limits=UNBOUNDED)
    return replace(api, app=app, admin=api.admin.of(app))


def test_doctor_command_runs_every_check_and_asks_the_server_for_the_rest(api: Api, tmp_path: Path) -> None:
    stalled = MachineStatus("1.2.3", reasons=("the projector has been stalled for 40 s",))
    found = run_command("doctor", "--json", api=on(api, stalled), env={"TRACKYARD_DATA_DIR": str(tmp_path / "data")})
    answer = json.loads(found.stdout)
    names = [each["check"] for each in answer["checks"]]
    of_api = ["readiness", "edges", "offers", "urls", "rules", "caps", "postbacks", "quality", "robots"]
    assert names == [*(check.name for check in DOCTOR_CHECKS), *of_api]
    assert {check.name for check in CHECKS} < set(names)
    of_server = {each["check"]: each for each in answer["checks"]}["readiness"]
    assert of_server["findings"][0]["sentence"].endswith("the projector has been stalled for 40 s.")
    assert (answer["severity"], found.exit_code) == ("error", 1)
    assert "disk_full" not in str(answer["checks"]), "the machine looks at its own disk"


def test_doctor_command_without_a_server_does_the_rest(tmp_path: Path) -> None:
    found = run_command("doctor", "--json", env={"TRACKYARD_DATA_DIR": str(tmp_path / "data")})
    answer = json.loads(found.stdout)
    assert [each["check"] for each in answer["checks"]] == [*(check.name for check in DOCTOR_CHECKS), "server"]
    assert [each["kind"] for each in answer["checks"][-1]["findings"]] == ["server_away"]
    assert not (tmp_path / "data").exists()


def test_doctor_command_of_settings_that_no_server_starts_with_exits_with_78(tmp_path: Path) -> None:
    found = run_command("doctor", env={"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_EDGES": "many"})
    assert found.exit_code == 78 and found.stdout.startswith("error    settings")


def test_doctor_command_of_a_server_elsewhere_shows_what_that_server_says(api: Api) -> None:
    found = run_command("doctor", "--url", "http://api.example", "--key", "k", api=on(api, MachineStatus("1.2.3")))
    lines = found.stdout.splitlines()
    assert lines[0] == "error    disk" and "7 % of the disk of /data is free" in lines[1]
    assert "ok       readiness (1.2.3)" in lines and found.exit_code == 1
