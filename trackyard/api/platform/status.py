"""The state of the platform, for administrators (docs/spec/platform.md#status)."""

from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.platform.findings import find_findings
from trackyard.actions.platform.status import get_status
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.findings import CheckFindings, worst_severity
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()


class DiskView(View):
    """The disk with the data directory, in bytes."""

    free: int
    total: int


class StoredRowsView(View):
    """The numbers of stored rows."""

    clicks: int
    impressions: int
    conversions: int
    inbound_postbacks: int
    deliveries: int


class StatusView(View):
    """The state of the platform, and of the machine that answers."""

    version: str
    started_at: str
    uptime_seconds: int
    roles: list[str]
    ready: bool
    reasons: list[str]
    warnings: list[str]
    lag_seconds: dict[str, float]
    disk: DiskView
    now: str
    timezone: str
    currency: str
    last_click_at: str | None
    last_postback_at: str | None
    rows: StoredRowsView


class StatusAnswer(Answer):
    """The state of the platform."""

    platform: StatusView


@routes.get("/admin/status", for_staff(Permission.AUDIT_READ), id="admin.status")
def show(request: ApiRequest[Deps], _params: NoParams) -> StatusAnswer:
    """Show whether the platform works, its lags and disk, the last traffic, and what is stored."""
    found, zone = get_status(request.deps), request.deps.zone
    machine = found.machine
    last_click, last_postback = (
        None if at is None else datetime_text(at, zone) for at in (found.last_click_at, found.last_postback_at)
    )
    view = StatusView(
        version=machine.version,
        started_at=datetime_text(machine.started_at, zone),
        uptime_seconds=max(0, found.now - machine.started_at) // 1000,
        roles=list(machine.roles),
        ready=not machine.reasons,
        reasons=list(machine.reasons),
        warnings=list(machine.warnings),
        lag_seconds=dict(machine.lags),
        disk=DiskView(free=machine.disk_free, total=machine.disk_total),
        now=datetime_text(found.now, zone),
        timezone=found.timezone,
        currency=found.currency,
        last_click_at=last_click,
        last_postback_at=last_postback,
        rows=StoredRowsView(**found.rows),
    )
    return StatusAnswer(platform=view)


class FindingView(View):
    """Something that needs a person."""

    kind: str
    severity: str
    subject: str
    sentence: str
    evidence: dict[str, Any]
    advice: str


class CheckView(View):
    """What one check found."""

    check: str
    title: str
    severity: str
    seen: str
    findings: list[FindingView]


class FindingsAnswer(Answer):
    """What every check found."""

    severity: str
    checks: list[CheckView]


@routes.get("/admin/findings", for_staff(Permission.AUDIT_READ), id="admin.findings")
def list_findings(request: ApiRequest[Deps], _params: NoParams) -> FindingsAnswer:
    """Show what needs a person: machine, databases, queues, hosts, rates, certificates, offers, backups."""
    found = find_findings(request.deps)
    worst = worst_severity(finding for check in found for finding in check.findings)
    return FindingsAnswer(severity=_word(worst), checks=[_check_view(check) for check in found])


def _check_view(check: CheckFindings) -> CheckView:
    findings = [FindingView(**finding.answer()) for finding in check.findings]
    title, severity = str(check.title), _word(check.severity)
    return CheckView(check=check.name, title=title, severity=severity, seen=check.seen, findings=findings)


def _word(severity: str | None) -> str:
    return severity or "ok"
