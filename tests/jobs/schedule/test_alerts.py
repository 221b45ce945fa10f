"""The job that looks for alerts: what it opens, closes and logs, and what a failed look does."""

import logging
import threading
from dataclasses import replace
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.events import make_notices
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.platform.status import MachineStatus
from trackyard.jobs.schedule.alerts import CHECKS_MS, AlertWatcher
from trackyard.store.tracking.machines import Machine, MachineState, register_machine, see_machine

LATE = MachineStatus(lags={"journal": 700.0})
DISK = CheckFindings("disk", "disk", (Finding(FindingKind.DISK_FULL, "/data", {"free_percent": 4}),))


def open_alerts(api: Api) -> list[tuple[str, str]]:
    make_notices(api.deps.database, api.clock.now_ms())  # as the worker does
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


def test_watcher_looks_at_disk_and_lag_of_machines_without_api(api: Api) -> None:
    def at(number: int, roles: str) -> Machine:
        return Machine(f"{number:024x}", f"host{number}", "boot", f"/data{number}", roles, has_own_statistics=False)

    machines = [at(1, "edge,projector"), at(2, "worker"), at(3, "api,worker"), at(4, "worker")]
    full = MachineState(5, 100, 700_000)

    def see(state: MachineState) -> None:
        with api.deps.database.write() as conn:
            for each in machines:
                lag_ms = state.lag_ms if "projector" in each.roles else None
                see_machine(conn, each, api.clock.now_ms(), state=replace(state, lag_ms=lag_ms))
            see_machine(conn, machines[3], api.clock.now_ms() - 120_000)

    with api.deps.database.write() as conn:
        for each in machines:
            register_machine(conn, each, api.clock.now_ms())
    see(full)
    watcher = AlertWatcher(api.deps, "host3")
    watcher.look()
    lost = [("disk_full", "host1: /data1"), ("disk_full", "host2: /data2"), ("queue_stuck", "host1: journal")]
    assert open_alerts(api) == lost
    api.clock.advance(2 * 3_600_000)
    see(MachineState(50, 100, 0))
    watcher.look()
    assert open_alerts(api) == []


def test_look_that_fails_closes_nothing_and_ends_neither_the_job_nor_other_looks(api: Api) -> None:
    def broken() -> MachineStatus:
        raise OSError("no state")

    AlertWatcher(replace(api.deps, machine=lambda: LATE), "one").look()
    make_notices(api.deps.database, api.clock.now_ms())  # as the worker does
    api.clock.advance(CHECKS_MS)
    AlertWatcher(replace(api.deps, machine=broken, checks=lambda: [DISK]), "one").run(Rounds(2), 0)
    assert open_alerts(api) == [("disk_full", "one: /data"), ("queue_stuck", "one: journal")]
