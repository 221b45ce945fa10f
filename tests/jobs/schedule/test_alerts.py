"""The job that looks for alerts: what it opens, closes and logs, and what a failed look does."""

import logging
import threading
from dataclasses import replace
from typing import Any

import pytest

from tests.support.api import Api
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.platform.status import MachineStatus
from trackyard.jobs.schedule.alerts import CHECKS_MS, AlertWatcher

LATE = MachineStatus(lags={"journal": 700.0})
DISK = CheckFindings("disk", "disk", (Finding(FindingKind.DISK_FULL, "/data", {"free_percent": 4}),))


def open_alerts(api: Api) -> list[tuple[str, str]]:
    return sorted((each["finding"], each["subject"]) for each in api.admin.get("/3.1/admin/alerts")["alerts"])


def test_watcher_opens_alerts_once_with_a_line_of_the_log_each_and_closes_them(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    state: dict[str, Any] = {"machine": LATE, "checks": [DISK]}
    deps = replace(api.deps, machine=lambda: state["machine"], checks=lambda: state["checks"])
    watcher = AlertWatcher(deps, "one")
    with caplog.at_level(logging.INFO, logger="trackyard.alerts"):
        for _ in range(3):
            watcher.look()
            api.clock.advance(60_000)
        assert open_alerts(api) == [("disk_full", "one: /data"), ("queue_stuck", "one: journal")]
        state.update(machine=MachineStatus(), checks=[])
        api.clock.advance(2 * 3_600_000)
        watcher.look()
    assert open_alerts(api) == []
    said = [(each.getMessage(), each.levelname) for each in caplog.records if each.name == "trackyard.alerts"]
    assert sorted(said) == [("alert closed", "INFO")] * 2 + [("alert opened", "ERROR")] * 2


class Rounds(threading.Event):
    """Lets a job run so many rounds without a pause."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.left = rounds

    def wait(self, timeout: float | None = None) -> bool:
        """Return whether the rounds are over."""
        self.left -= 1
        return self.left < 0


def test_look_that_fails_closes_nothing_and_ends_neither_the_job_nor_other_looks(api: Api) -> None:
    def broken() -> MachineStatus:
        raise OSError("no state")

    AlertWatcher(replace(api.deps, machine=lambda: LATE), "one").look()
    api.clock.advance(CHECKS_MS)
    AlertWatcher(replace(api.deps, machine=broken, checks=lambda: [DISK]), "one").run(Rounds(2), 0)
    assert open_alerts(api) == [("disk_full", "one: /data"), ("queue_stuck", "one: journal")]
