"""Checks of the settings, as a start does them."""

from collections.abc import Callable, Iterator

from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.runtime.checks.machine import CheckedMachine
from trackyard.runtime.effective_settings import setting_warnings
from trackyard.runtime.settings import CannotStart, Config, WrongSetting


def refused_setting(fault: WrongSetting | CannotStart) -> Finding:
    """Return the finding of settings that a start refuses."""
    return Finding(FindingKind.SETTING_REFUSED, "settings", {"reason": str(fault)})


def check_settings(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield what a start refuses, and what about the settings is probably not meant."""
    from trackyard.runtime.data_directory import check_disk_space
    from trackyard.runtime.start_checks import check_address_databases, check_certificate

    config = machine.config
    refusals: list[Callable[[Config], None]] = [check_address_databases]
    if "edge" in config.roles:
        refusals += [check_certificate, *([check_disk_space] if config.data_dir.is_dir() else [])]
    for refuse in refusals:
        try:
            refuse(config)
        except CannotStart as fault:
            yield refused_setting(fault)
    for sentence in setting_warnings(machine.environment, config):  # each begins with its variable
        yield Finding(FindingKind.SETTING_DOUBTFUL, sentence.partition(" ")[0], {"reason": sentence})
