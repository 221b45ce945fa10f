"""Saved reports: their menu, and the page that lists them (docs/spec/console.md#saved-reports)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl

from trackyard.api.statistics import saved_reports
from trackyard.api.statistics.saved_reports import ReportMailView, SavedReportView
from trackyard.base.errors import RequestError
from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import gettext
from trackyard.console.charts.axes import hour_label
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.periods import CHOICES
from trackyard.console.frame.request import PageRequest
from trackyard.console.reports_shown.query import ReportQuery, read_query, title_of
from trackyard.domain.statistics.report_mails import BOTH, CSV, DAILY, PDF, PDF_ROWS, WEEKLY
from trackyard.domain.statistics.saved_reports import kept_query

LIST: Final = saved_reports.list_
_ADD: Final = saved_reports.add
_EDIT: Final = saved_reports.edit
_MAIL: Final = saved_reports.start_mail
_STOP: Final = saved_reports.stop_mail
_REMOVE: Final = saved_reports.remove
_REFUSALS: Final = (400, 404, 409)
"""Statuses that a person can act on."""
_PERIODS: Final = dict(CHOICES)


@dataclass(frozen=True, slots=True)
class ShownReport:
    """A saved report.

    to: its page. is_open: whether the page shows it, with changes or without.
    sent: when the person gets it by mail, in words; "" without mails.
    """

    record: SavedReportView
    to: PageAddress
    is_open: bool
    sent: str


@dataclass(frozen=True, slots=True)
class SavedMenu:
    """The saved reports of a person on the page of a report.

    path: the page that lists them. query: the shown report's query, in its saved form.
    open: the saved report that the page shows; None without one. changed: whether the page shows it with changes.
    """

    path: str
    query: str
    own: tuple[ShownReport, ...]
    shared: tuple[ShownReport, ...]
    open: ShownReport | None
    changed: bool
    may_save: bool


def menu_of_saved(request: PageRequest, query: ReportQuery) -> SavedMenu:
    """Return the saved reports that the page of a report offers."""
    found = _reports(request)
    shown = kept_query(str(query.address).partition("?")[2])
    is_open = next((each for each in found if each.is_open), None)
    return SavedMenu(
        path=_path(request),
        query=shown,
        own=tuple(each for each in found if each.record.own),
        shared=tuple(each for each in found if not each.record.own),
        open=is_open,
        changed=is_open is not None and is_open.record.query != shown,
        may_save=request.calls.may(_ADD),
    )


def saved_page(request: PageRequest) -> PageAnswer:
    """Show the saved reports, or run the command of a form."""
    if not request.form:
        return _list(request, {}, 200)
    try:
        return _done(request)
    except RequestError as refusal:
        if refusal.status not in _REFUSALS:
            raise
        sentences = [text for texts in (refusal.fields or {"": [f"{refusal.text}."]}).values() for text in texts]
        return _list(request, {request.field("id"): sentences}, refusal.status)


def _done(request: PageRequest) -> Redirect:
    """Run the command of a form. Raises RequestError."""
    path = {"id": request.field("id")}
    match request.field("do"):
        case "add":
            made = request.calls.ask(_ADD, _sent(request, "name", "query", "shared")).report
            return Redirect(str(_address(request, made)), gettext("The report %(name)s is saved.", name=made.name))
        case "replace":
            made = request.calls.ask(_EDIT, _sent(request, "query"), path).report
            return Redirect(str(_address(request, made)), gettext("The report %(name)s is saved.", name=made.name))
        case "mail":
            made = request.calls.ask(_MAIL, _sent(request, "every", "weekday", "hour", "files"), path).report
            when = _sent_text(made.mail)
            said = gettext("You get the report %(name)s by mail: %(when)s.", name=made.name, when=when)
            return Redirect(_path(request), said)
        case "stop":
            made = request.calls.ask(_STOP, (), path).report
            said = gettext("You get the report %(name)s by mail no more.", name=made.name)
            return Redirect(_path(request), said)
        case "remove":
            gone = request.calls.ask(_REMOVE, (), path).report
            return Redirect(_path(request), gettext("The report %(name)s is removed.", name=gone.name))
    shared = [("shared", request.field("shared") or "0")] if request.calls.is_staff else []
    made = request.calls.ask(_EDIT, [*_sent(request, "name"), *shared], path).report
    return Redirect(_path(request), gettext("The report %(name)s is saved.", name=made.name))


def _sent_text(mail: ReportMailView | None) -> str:
    """Return when a report is sent, in words."""
    if mail is None:
        return ""
    at = hour_label(mail.hour)
    if mail.every == DAILY:
        return gettext("sent daily at %(at)s", at=at)
    return gettext("sent weekly, %(day)s %(at)s", day=spoken().form.long_weekdays[mail.weekday], at=at)


def _sent(request: PageRequest, *names: str) -> list[Pair]:
    return [(name, request.field(name)) for name in names if any(key == name for key, _ in request.form)]


def _list(request: PageRequest, faults: Mapping[str, list[str]], status: int) -> Html:
    found = _reports(request)
    values = {
        "path": _path(request),
        "back": _path(request).removesuffix("/saved"),
        "rows": [_row(request, each) for each in found],
        "faults": faults,
        "typed": dict(request.form),
        "may_save": request.calls.may(_ADD),
        "weekdays": list(enumerate(spoken().form.long_weekdays)),
        "hours": [(hour, hour_label(hour)) for hour in range(24)],
        "rhythms": [(WEEKLY, gettext("every week")), (DAILY, gettext("every day"))],
        "files": [(CSV, gettext("CSV")), (PDF, gettext("PDF")), (BOTH, gettext("CSV and PDF"))],
        "pdf_rows": PDF_ROWS,
        "email": request.person.email,
        "zone_name": request.zone.key,
    }
    return Html("saved_reports.html", values, status)


def _row(request: PageRequest, report: ShownReport) -> Mapping[str, object]:
    """Return a saved report with what it shows, in words."""
    query = read_query(replace(request, address=report.to))
    named = report.to.get("period") if not report.to.get("from") else ""
    return {
        "report": report,
        "title": title_of(query),
        "period": str(_PERIODS.get(named, "")) or query.period.text,
        "filters": len(query.conditions),
    }


def _reports(request: PageRequest) -> list[ShownReport]:
    wanted = request.address.get("saved")
    return [
        ShownReport(each, _address(request, each), each.id == wanted, _sent_text(each.mail))
        for each in request.calls.ask(LIST).reports
    ]


def _address(request: PageRequest, report: SavedReportView) -> PageAddress:
    """Return the address that shows a saved report."""
    return PageAddress(f"{request.person.home}reports", (*parse_qsl(report.query), ("saved", report.id)))


def _path(request: PageRequest) -> str:
    return f"{request.person.home}reports/saved"
