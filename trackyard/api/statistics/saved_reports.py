"""Saved reports (docs/spec/console.md#saved-reports)."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from trackyard.actions.deps import Deps
from trackyard.actions.statistics import report_mails, saved_reports
from trackyard.api.lookups import path_hex
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.report_mails import CSV, FILES, RHYTHMS, WEEKLY, ReportMail
from trackyard.domain.statistics.saved_reports import MAX_QUERY, SavedReport
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Only, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

_CALLERS: Final = for_callers(Permission.STATS_COMMON)
_FEATURES: Final = ("stats.view-custom",)

Name = Annotated[str, s.BoundedText(minimum=1, maximum=100)]
Query = Annotated[str, s.BoundedText(maximum=MAX_QUERY)]
Shared = Annotated[s.Flag, Only(admin=True)]


class AddSavedReport(Params):
    """A report to save. query: the part after "?" of the URL of the page Reports."""

    name: Name
    query: Query = ""
    shared: Shared = False


class EditSavedReport(Params):
    """Changes of a saved report; what is not sent stays."""

    edits: ClassVar[bool] = True

    name: Name | None = None
    query: Query | None = None
    shared: Annotated[s.Flag | None, Only(admin=True)] = None


class MailSavedReport(Params):
    """When the caller gets a report by mail, in its own zone. weekday: of weekly mails, 0 is Monday.

    files: what each mail has; a PDF has the first 500 rows.
    """

    every: Annotated[str, s.Choice(RHYTHMS)] = WEEKLY
    weekday: Annotated[int, s.WholeNumber(minimum=0, maximum=6)] = 0
    hour: Annotated[int, s.WholeNumber(minimum=0, maximum=23)] = 8
    files: Annotated[str, s.Choice(FILES)] = CSV


class ReportMailView(View):
    """When the caller gets a report by mail."""

    every: str
    weekday: int
    hour: int
    files: str
    next_at: str


class SavedReportView(View):
    """A saved report. own: whether the caller saved it, and may change it."""

    id: str
    name: str
    query: str
    own: bool
    shared: bool
    created_at: str
    mail: ReportMailView | None


class SavedReportAnswer(Answer):
    """One saved report."""

    report: SavedReportView


class SavedReportsAnswer(Answer):
    """The saved reports that the caller sees, by name."""

    reports: list[SavedReportView]


def _find_own(request: ApiRequest[Deps]) -> SavedReport:
    return saved_reports.get_report(request.deps, request.caller.account, path_hex(request))


def _find_visible(request: ApiRequest[Deps]) -> SavedReport:
    return report_mails.get_visible(request.deps, request.caller.account, path_hex(request))


@routes.get("/stats/saved-reports", _CALLERS, id="stats.saved-reports.list", features=_FEATURES)
def list_(request: ApiRequest[Deps], _params: NoParams) -> SavedReportsAnswer:
    """List the reports that the caller saved; for staff also the reports that other staff share."""
    found = saved_reports.list_reports(request.deps, request.caller.account)
    mails = report_mails.list_mails(request.deps, request.caller.account)
    return SavedReportsAnswer(reports=[_view(request, each, mails) for each in found])


@routes.post("/stats/saved-reports", _CALLERS, id="stats.saved-report.add", features=_FEATURES)
def add(request: ApiRequest[Deps], params: AddSavedReport) -> SavedReportAnswer:
    """Save a report under a name. A relative period, such as the last 7 days, stays relative."""
    made = saved_reports.add_report(request.deps, request.caller.account, **params.model_dump())
    return SavedReportAnswer(report=_view(request, made))


@routes.post("/stats/saved-reports/{id}", _CALLERS, id="stats.saved-report.edit", features=_FEATURES, find=_find_own)
def edit(request: ApiRequest[Deps], params: EditSavedReport) -> SavedReportAnswer:
    """Change a report that the caller saved."""
    given: dict[str, Any] = params.model_dump(exclude_none=True)
    after = saved_reports.edit_report(request.deps, request.caller.account, request.subject.id, given)
    return SavedReportAnswer(report=_view(request, after))


@routes.delete(
    "/stats/saved-reports/{id}", _CALLERS, id="stats.saved-report.remove", features=_FEATURES, find=_find_own
)
def remove(request: ApiRequest[Deps], _params: NoParams) -> SavedReportAnswer:
    """Remove a report that the caller saved. Answers with the removed record."""
    removed = saved_reports.remove_report(request.deps, request.caller.account, request.subject.id)
    return SavedReportAnswer(report=_view(request, removed))


@routes.post(
    "/stats/saved-reports/{id}/mail", _CALLERS, id="stats.saved-report.mail", features=_FEATURES, find=_find_visible
)
def start_mail(request: ApiRequest[Deps], params: MailSavedReport) -> SavedReportAnswer:
    """Send a saved report to the caller by mail, every day or week, with a chart and CSV, PDF or both."""
    account, report = request.caller.account, request.subject
    report_mails.start_mail(request.deps, account, report.id, **params.model_dump())
    return SavedReportAnswer(report=_view(request, report))


@routes.delete(
    "/stats/saved-reports/{id}/mail",
    _CALLERS,
    id="stats.saved-report.mail.stop",
    features=_FEATURES,
    find=_find_visible,
)
def stop_mail(request: ApiRequest[Deps], _params: NoParams) -> SavedReportAnswer:
    """Send a saved report to the caller no more."""
    report_mails.stop_mail(request.deps, request.caller.account, request.subject.id)
    return SavedReportAnswer(report=_view(request, request.subject))


def _view(
    request: ApiRequest[Deps], report: SavedReport, mails: Mapping[str, ReportMail] | None = None
) -> SavedReportView:
    if mails is None:
        mails = report_mails.list_mails(request.deps, request.caller.account)
    mail, zone = mails.get(report.id), request.deps.zone
    shown = None if mail is None else view_of(ReportMailView, mail, next_at=datetime_text(mail.next_at, zone))
    return view_of(
        SavedReportView,
        report,
        own=report.owner == request.caller.account.name,
        created_at=datetime_text(report.created_at, zone),
        mail=shown,
    )
