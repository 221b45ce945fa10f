"""The state of the platform, for administrators (docs/spec/platform.md#status)."""

from trackyard.actions.deps import Deps
from trackyard.actions.platform.status.status import get_status
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
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
