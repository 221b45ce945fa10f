"""All checks, in the order in which they are shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from trackyard.base.cached import Cached
from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.platform.findings import CheckFindings, Finding
from trackyard.runtime.checks.addresses import (
    check_api_url,
    check_domains,
    check_tracking_url,
    seen_api_certificate,
    seen_domains,
    seen_url_certificate,
)
from trackyard.runtime.checks.books import (
    check_deliveries,
    check_machines,
    check_queues,
    check_rates,
    check_waiting_mail,
)
from trackyard.runtime.checks.machine import CheckedMachine, check_data_directory, check_disk, check_user
from trackyard.runtime.checks.operations import (
    check_backup,
    check_clock,
    check_geo,
    check_tracking_certificate,
    check_versions,
    seen_certificate,
    seen_versions,
)
from trackyard.runtime.checks.start import check_settings
from trackyard.runtime.checks.stores import check_analytics, check_mail, check_redis, check_second_person, check_sql
from trackyard.runtime.settings import Config

CHECKS_S: Final = 15.0
"""Age up to which the findings of checks are given again: they ask databases and addresses."""


def _see_nothing(_machine: CheckedMachine) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """A check. name: for programs; title: for people. see: returns what was looked at, such as a version."""

    name: str
    title: str
    find: Callable[[CheckedMachine], Iterable[Finding]]
    see: Callable[[CheckedMachine], str] = _see_nothing

    def run(self, machine: CheckedMachine) -> CheckFindings:
        """Run the check; return its findings, and the thing that it looked at."""
        return CheckFindings(self.name, self.title, tuple(self.find(machine)), self.see(machine))


SETTINGS_CHECK: Final = MachineCheck("settings", lazy_gettext("settings"), check_settings)
CHECKS: Final = (
    SETTINGS_CHECK,
    MachineCheck("user", lazy_gettext("user"), check_user),
    MachineCheck("data_directory", lazy_gettext("data directory"), check_data_directory),
    MachineCheck("disk", lazy_gettext("disk"), check_disk),
    MachineCheck("sql", lazy_gettext("SQL database"), check_sql),
    MachineCheck("second_person", lazy_gettext("second person"), check_second_person),
    MachineCheck("analytics", lazy_gettext("analytic store"), check_analytics),
    MachineCheck("redis", lazy_gettext("Redis"), check_redis),
    MachineCheck("mail", lazy_gettext("mail"), check_mail),
    MachineCheck("api_url", lazy_gettext("URL of the API"), check_api_url, seen_api_certificate),
    MachineCheck("tracking_url", lazy_gettext("URL of tracking links"), check_tracking_url, seen_url_certificate),
)


DOCTOR_CHECKS: Final = (
    *CHECKS,
    MachineCheck("clock", lazy_gettext("clock"), check_clock),
    MachineCheck("versions", lazy_gettext("versions of databases"), check_versions, seen_versions),
    MachineCheck("geo", lazy_gettext("IP address databases"), check_geo),
    MachineCheck(
        "tracking_certificate",
        lazy_gettext("certificate of tracking"),
        check_tracking_certificate,
        seen_certificate,
    ),
    MachineCheck("domains", lazy_gettext("tracking domains"), check_domains, seen_domains),
    MachineCheck("backup", lazy_gettext("backup"), check_backup),
    MachineCheck("queues", lazy_gettext("queues"), check_queues),
    MachineCheck("waiting_mail", lazy_gettext("mails that wait"), check_waiting_mail),
    MachineCheck("deliveries", lazy_gettext("postbacks to affiliates"), check_deliveries),
    MachineCheck("rates", lazy_gettext("exchange rates"), check_rates),
    MachineCheck("machines", lazy_gettext("other machines"), check_machines),
)
"""The checks of `trackyard doctor`. What only a running server knows comes from its API (admin.findings)."""


def run_checks(machine: CheckedMachine, checks: Sequence[MachineCheck] = CHECKS) -> list[CheckFindings]:
    """Return the findings of every check. Checks run at the same time, since each may wait for a host."""
    with ThreadPoolExecutor(len(checks)) as pool:
        return list(pool.map(lambda check: check.run(machine), checks))


def checks_of(config: Config, environment: Mapping[str, str]) -> Callable[[], Sequence[CheckFindings]]:
    """Return a function that runs the checks of this machine, and keeps what they found for some seconds."""
    return Cached(lambda: run_checks(CheckedMachine.here(config, environment), DOCTOR_CHECKS), CHECKS_S).get
