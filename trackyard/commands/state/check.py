"""`trackyard check`: what is wrong with this machine and its settings, and what to do."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from trackyard.commands.frame.output import styled
from trackyard.domain.platform.findings import CheckFindings, FindingKind, Severity, worst_severity
from trackyard.runtime.checks.machine import CheckedMachine
from trackyard.runtime.checks.registry import CHECKS, SETTINGS_CHECK, MachineCheck, run_checks
from trackyard.runtime.checks.start import refused_setting
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.settings import Config, WrongSetting

_OK: Final = "ok"
_COLOURS: Final = {_OK: "green", Severity.WARNING: "yellow", Severity.ERROR: "red"}
_WIDTH: Final = max(len(word) for word in _COLOURS)


def get_check_results(settings: Callable[[], Config], checks: Sequence[MachineCheck] = CHECKS) -> list[CheckFindings]:
    """Return the findings of every check; for invalid settings, only the finding about them.

    settings: loads them, and raises WrongSetting.
    """
    try:
        config = settings()
    except WrongSetting as fault:
        return [CheckFindings(SETTINGS_CHECK.name, SETTINGS_CHECK.title, (refused_setting(fault),))]
    return run_checks(CheckedMachine.here(config, os.environ), checks)


def check_lines(results: Sequence[CheckFindings]) -> Iterator[str]:
    """Yield the lines for people: each check, its findings below it, and their number."""
    for result in results:
        seen = f" ({result.seen})" if result.seen else ""
        yield f"{_marked(result.severity)}  {result.title}{seen}"
        for finding in result.findings:
            yield f"{'':{_WIDTH}}    {finding.sentence}"
            yield f"{'':{_WIDTH}}    → {finding.advice}"
    yield _summary(results)


def _marked(severity: Severity | None) -> str:
    word = severity or _OK
    return styled(f"{word:<{_WIDTH}}", fg=_COLOURS[word], bold=severity is Severity.ERROR)


def _summary(results: Sequence[CheckFindings]) -> str:
    found = [finding.severity for result in results for finding in result.findings]
    counts = [(found.count(severity), severity.value) for severity in (Severity.ERROR, Severity.WARNING)]
    shown = [f"{count} {word}{'s' if count > 1 else ''}" for count, word in counts if count]
    return f"{', '.join(shown)}." if shown else "All is in order."


def check_answer(results: Sequence[CheckFindings]) -> dict[str, Any]:
    """Return the results for programs."""
    return {
        "severity": worst_severity(finding for result in results for finding in result.findings) or _OK,
        "checks": [
            {
                "check": result.name,
                "severity": result.severity or _OK,
                **({"seen": result.seen} if result.seen else {}),
                "findings": [finding.answer() for finding in result.findings],
            }
            for result in results
        ],
    }


def check_exit_code(results: Sequence[CheckFindings]) -> ExitCode:
    """Return the exit code: whether settings are refused, there are other errors, or neither."""
    found = [finding for result in results for finding in result.findings]
    if any(finding.kind is FindingKind.SETTING_REFUSED for finding in found):
        return ExitCode.CONFIGURATION
    return ExitCode.FAILED if worst_severity(found) is Severity.ERROR else ExitCode.OK
