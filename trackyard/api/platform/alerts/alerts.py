"""Alerts, and what the calling staff user chose about them (docs/spec/alerts.md)."""

from typing import Annotated, Any, Final, cast
from zoneinfo import ZoneInfo

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.platform.alerts import reading
from trackyard.actions.platform.alerts.reading import OPEN, STATES, ShownChoices
from trackyard.api.paging import Paging
from trackyard.base.zones import datetime_text
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.alerts.causes import Alert
from trackyard.domain.platform.alerts.choices import CLOCK, AlertWay, DigestRhythm
from trackyard.domain.platform.alerts.kinds import KINDS_BY_NAME
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, Keyed, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.STATS_COMMON)

KindName = Annotated[str, s.Choice(tuple(KINDS_BY_NAME))]
WayName = Annotated[str, s.Choice(tuple(way.value for way in AlertWay))]
Clock = Annotated[str, s.BoundedText(maximum=5, pattern=CLOCK.pattern)]


class ListAlerts(Paging):
    """Which alerts are listed."""

    state: Annotated[str, s.Choice(STATES)] = OPEN
    kind: Seq[KindName] = ()


class EditAlertChoices(Params):
    """Changes of one's own choices."""

    edits = True

    ways: Keyed[KindName, WayName] = Field(default_factory=dict)
    quiet_from: Annotated[Clock | None, Clearable()] = None
    quiet_until: Annotated[Clock | None, Clearable()] = None
    errors_pass: s.Flag = True
    mail_ends: s.Flag = False
    digest: Annotated[str, s.Choice(tuple(each.value for each in DigestRhythm))] = DigestRhythm.NONE.value
    digest_hour: Annotated[int, s.WholeNumber(minimum=0, maximum=23)] = 8


class AlertView(View):
    """A cause, from the first time it was seen to the last."""

    id: str
    kind: str
    title: str
    severity: str
    state: str
    finding: str
    subject: str
    sentence: str
    evidence: dict[str, Any]
    advice: str
    offer_id: int | None
    affiliate_id: int | None
    advertiser_id: str | None
    link: str
    opened_at: str
    seen_at: str
    closed_at: str | None


class AlertsAnswer(Answer):
    """Alerts."""

    alerts: list[AlertView]
    pagination: Pagination


class AlertChoicesView(View):
    """How the calling staff user gets alerts and digests."""

    ways: dict[str, str]
    quiet_from: str
    quiet_until: str
    errors_pass: bool
    mail_ends: bool
    digest: str
    digest_hour: int
    next_digest_at: str | None


class AlertChoicesAnswer(Answer):
    """The choices of the calling staff user."""

    choices: AlertChoicesView


@routes.get("/admin/alerts", _STAFF, id="admin.alerts.list")
def list_(request: ApiRequest[Deps], params: ListAlerts) -> AlertsAnswer:
    """List alerts, the newest first, each with the page of the console that shows its evidence.

    Managers see alerts of their affiliates and advertisers; alerts of the platform are for administrators.
    """
    kinds = [KINDS_BY_NAME[each] for each in params.kind]
    found, total = reading.list_alerts(request.deps, _caller(request), params.state, kinds, **params.place(request))
    views = [_view(each, request.deps.api_url, request.deps.zone) for each in found]
    return AlertsAnswer(alerts=views, pagination=params.pagination(request, total))


@routes.get("/admin/alerts/choices", _STAFF, id="admin.alerts.choices.get")
def show_choices(request: ApiRequest[Deps], _params: NoParams) -> AlertChoicesAnswer:
    """Show how the calling staff user gets each kind of alert, its quiet hours and its digest."""
    return _answer(request, reading.get_choices(request.deps, _caller(request)))


@routes.post("/admin/alerts/choices", _STAFF, id="admin.alerts.choices.edit")
def edit_choices(request: ApiRequest[Deps], params: EditAlertChoices) -> AlertChoicesAnswer:
    """Choose how the calling staff user gets alerts. What is not sent stays as it is."""
    given = {name: getattr(params, name) for name in params.model_fields_set}
    for name in ("quiet_from", "quiet_until"):
        if name in given:
            given[name] = given[name] or ""
    if "digest" in given:
        given["digest"] = DigestRhythm(given["digest"])
    return _answer(request, reading.edit_choices(request.deps, _caller(request), given))


def _caller(request: ApiRequest[Deps]) -> StaffCaller:
    return cast("StaffCaller", request.caller)


def _view(alert: Alert, api_url: str, zone: ZoneInfo) -> AlertView:
    shown = alert.shown
    return AlertView(
        id=alert.id,
        kind=alert.kind.value,
        title=str(alert.kind.label),
        severity=alert.severity.value,
        state=OPEN if alert.closed_at is None else reading.CLOSED,
        finding=alert.finding.value,
        subject=alert.subject,
        sentence=shown.sentence,
        evidence=dict(alert.evidence),
        advice=shown.advice,
        offer_id=alert.offer_id,
        affiliate_id=alert.affiliate_id,
        advertiser_id=alert.advertiser_id,
        link=f"{api_url}{alert.page}",
        opened_at=datetime_text(alert.opened_at, zone),
        seen_at=datetime_text(alert.seen_at, zone),
        closed_at=None if alert.closed_at is None else datetime_text(alert.closed_at, zone),
    )


def _answer(request: ApiRequest[Deps], found: ShownChoices) -> AlertChoicesAnswer:
    chosen = found.choices
    next_at = None if chosen.digest_at is None else datetime_text(chosen.digest_at, request.deps.zone)
    view = AlertChoicesView(
        ways=dict(found.ways),
        quiet_from=chosen.quiet_from,
        quiet_until=chosen.quiet_until,
        errors_pass=chosen.errors_pass,
        mail_ends=chosen.mail_ends,
        digest=chosen.digest.value,
        digest_hour=chosen.digest_hour,
        next_digest_at=next_at,
    )
    return AlertChoicesAnswer(choices=view)
