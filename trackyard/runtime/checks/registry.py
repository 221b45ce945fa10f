"""All checks, in the order in which they are shown."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from trackyard.domain.platform.findings import Finding, Severity
from trackyard.runtime.checks.addresses import check_api_url, check_tracking_url
from trackyard.runtime.checks.machine import CheckedMachine, check_data_directory, check_disk, check_user
from trackyard.runtime.checks.start import check_settings
from trackyard.runtime.checks.stores import check_analytics, check_mail, check_redis, check_second_person, check_sql


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """A check. name: for programs; title: for people."""

    name: str
    title: str
    find: Callable[[CheckedMachine], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found; nothing when all is well."""

    check: MachineCheck
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity | None:
        """Return the severity of the gravest finding, None without one."""
        return worst_severity(self.findings)


SETTINGS_CHECK: Final = MachineCheck("settings", "settings", check_settings)
CHECKS: Final = (
    SETTINGS_CHECK,
    MachineCheck("user", "user", check_user),
    MachineCheck("data_directory", "data directory", check_data_directory),
    MachineCheck("disk", "disk", check_disk),
    MachineCheck("sql", "SQL database", check_sql),
    MachineCheck("second_person", "second person", check_second_person),
    MachineCheck("analytics", "analytic store", check_analytics),
    MachineCheck("redis", "Redis", check_redis),
    MachineCheck("mail", "mail", check_mail),
    MachineCheck("api_url", "address of the API", check_api_url),
    MachineCheck("tracking_url", "address of tracking links", check_tracking_url),
)


def run_checks(machine: CheckedMachine) -> list[CheckResult]:
    """Return what every check found. They run at the same time, since each may wait for a host."""
    with ThreadPoolExecutor(len(CHECKS)) as pool:
        return list(pool.map(lambda check: CheckResult(check, tuple(check.find(machine))), CHECKS))


def worst_severity(findings: Iterable[Finding]) -> Severity | None:
    """Return the severity of the gravest finding, None without one."""
    found = {finding.severity for finding in findings}
    return next((severity for severity in (Severity.ERROR, Severity.WARNING) if severity in found), None)
