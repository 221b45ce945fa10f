"""`trackyard doctor`: every finding about this installation, from this machine and from its server."""

from typing import Any, Final

from trackyard.commands.failures import CommandFailed, ServerAway, WrongUse
from trackyard.commands.frame.options import Invocation
from trackyard.commands.state.check import get_check_results
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.runtime.checks.registry import DOCTOR_CHECKS
from trackyard.runtime.settings import CannotStart, WrongSetting

_SECONDS: Final = 60


def get_doctor_results(invocation: Invocation) -> list[CheckFindings]:
    """Return the findings of every check; with the URL of a server elsewhere, that server's findings.

    Raises WrongUse, ServerAway and ApiError only with such a URL.
    """
    if invocation.names_server():
        return _asked(invocation)
    found = get_check_results(invocation.settings, DOCTOR_CHECKS)
    if len(found) < len(DOCTOR_CHECKS):  # settings that no server starts with
        return found
    own = {each.name for each in found}
    return found + [each for each in _asked_or_away(invocation) if each.name not in own]


def _asked_or_away(invocation: Invocation) -> list[CheckFindings]:
    try:
        return _asked(invocation)
    except (ServerAway, WrongUse, CommandFailed, WrongSetting, CannotStart) as fault:
        reason = str(fault).rstrip(".")
        return [CheckFindings("server", "server", (Finding(FindingKind.SERVER_AWAY, "server", {"reason": reason}),))]


def _asked(invocation: Invocation) -> list[CheckFindings]:
    answer = invocation.api().get("/3.1/admin/findings", seconds=_SECONDS)
    return [_check(each) for each in answer["checks"]]


def _check(answer: dict[str, Any]) -> CheckFindings:
    """Return a check of the API's answer. A newer server may have kinds of findings that are unknown here."""
    known = {kind.value: kind for kind in FindingKind}
    findings = [
        Finding(known[each["kind"]], each["subject"], each["evidence"])
        for each in answer["findings"]
        if each["kind"] in known
    ]
    return CheckFindings(answer["check"], answer["title"], tuple(findings), answer["seen"])
