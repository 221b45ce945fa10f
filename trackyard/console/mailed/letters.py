"""The mail of a saved report, in the language of its recipient (docs/spec/console.md#reports-by-mail)."""

from dataclasses import replace
from urllib.parse import parse_qsl

from trackyard.actions.platform.notices import why_account
from trackyard.actions.statistics.report_mails import Letter
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.templates import render
from trackyard.console.mailed.files import files_of
from trackyard.console.mailed.tables import MailTable, table_of
from trackyard.console.reports_shown.query import ReportQuery, read_query, title_of
from trackyard.console.reports_shown.rows import PAGE_ROWS
from trackyard.domain.platform.files import MailFile
from trackyard.domain.platform.mails.frame import WIDE, framed, look_of
from trackyard.domain.statistics.report_mails import CSV, PDF_ROWS
from trackyard.domain.statistics.saved_reports import SavedReport


def letter_of(request: PageRequest, report: SavedReport, files: str) -> Letter:
    """Return the mail of a report. files: one of FILES of the domain. Raises RequestError."""
    request = replace(request, address=_address(request, report))
    query = read_query(request)
    whole = table_of(request, query, PAGE_ROWS if files == CSV else PDF_ROWS)
    table = whole if query.view else whole.first(PAGE_ROWS)
    notes = [*query.faults, *filter(None, (table.apart,))]
    if table.more:
        more = ngettext("%(num)d more row is in the report.", "%(num)d more rows are in the report.", table.more)
        notes.append(more)
    made, about_files = files_of(request, report, query, whole, files)
    return _letter(request, report, query, table, [*notes, *about_files], made)


def refused_letter(request: PageRequest, report: SavedReport, refusal: RequestError | None) -> Letter:
    """Return the mail about a report that could not be made. refusal: None for a defect of the program."""
    request = replace(request, address=_address(request, report))
    reason = gettext("The program failed.") if refusal is None else f"{refusal.text}."
    lines = [text for texts in (refusal.fields or {}).values() for text in texts] if refusal is not None else []
    notes = [gettext("This report could not be made."), *(lines or [reason])]
    return _letter(request, report, read_query(request), None, notes, [])


def _letter(
    request: PageRequest,
    report: SavedReport,
    query: ReportQuery,
    table: MailTable | None,
    notes: list[str],
    files: list[MailFile],
) -> Letter:
    base, home = request.deps.api_url, request.person.home
    head = f"{title_of(query)} · {query.period.text}"
    look = look_of(request.network, base)
    link, stop = f"{base}{request.address}", f"{base}{home}reports/saved"
    values = {
        "look": look,
        "title": title_of(query),
        "period": query.period.text,
        "zone": request.day_zone.key,
        "table": table,
        "notes": notes,
        "link": link,
        "stop": stop,
    }
    return Letter(
        subject=f"{report.name}: {query.period.text}",
        text="\n".join([report.name, head, "", *_plain(table), *notes, "", *_ways(link, stop), ""]),
        html=framed(
            look, report.name, render("mail_report.html", values), why_account(look), request.language, width=WIDE
        ),
        attachments=files,
    )


def _plain(table: MailTable | None) -> list[str]:
    """Return the sums as plain text."""
    if table is None:
        return []
    if not table.total:
        return [f"{row[0]}: {row[1]}" for row in table.rows]
    pairs = list(zip(table.headings, table.total, strict=True))
    return [f"{heading}: {text}" for heading, text in pairs[table.names :]]


def _ways(link: str, stop: str) -> list[str]:
    return [
        gettext("The report: %(link)s", link=link),
        gettext("Stop these mails, or choose another time: %(link)s", link=stop),
    ]


def _address(request: PageRequest, report: SavedReport) -> PageAddress:
    return PageAddress(f"{request.person.home}reports", (*parse_qsl(report.query), ("saved", report.id)))
