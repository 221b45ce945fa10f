"""The files of the mail of a saved report: chart, CSV, PDF (docs/spec/console.md#reports-by-mail)."""

import logging
from typing import Final

from trackyard.api.statistics import reports
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number, shorten
from trackyard.console.mailed.tables import MailTable
from trackyard.console.reports_shown.query import ReportQuery, title_of
from trackyard.documents.content import PAGE, PAGES, Document, DocumentTable
from trackyard.documents.pdf.process import PdfFault, pdf_of
from trackyard.domain.platform.files import MailFile
from trackyard.domain.platform.network import PRODUCT
from trackyard.domain.statistics.report_mails import CSV, PDF
from trackyard.domain.statistics.saved_reports import SavedReport

MOST_FILE: Final = 2_000_000
"""Bytes of a CSV file that a mail has; a longer one is left out."""

log = logging.getLogger("trackyard.api")


def files_of(
    request: PageRequest, report: SavedReport, query: ReportQuery, table: MailTable, wanted: str
) -> tuple[list[MailFile], list[str]]:
    """Return the files of a mail, and sentences about missing files. Raises RequestError.

    table: has the rows of a PDF file, where one is wanted. A mail has CSV instead of a PDF file that was not made.
    """
    files = [MailFile("chart.svg", "image/svg+xml", table.chart.encode())] if table.chart else []
    if not request.calls.may_export(reports.custom):
        lacking = gettext("You may not download files of reports, so that this mail has no PDF file.")
        return files, [] if wanted == CSV else [lacking]
    notes, has_pdf = [], False
    if wanted != CSV:
        try:
            content = pdf_of(_document(request, report, query, table, has_csv=wanted != PDF))
        except PdfFault as fault:
            log.warning("PDF of a report by mail failed", extra={"report": report.id, "reason": str(fault)})
            notes.append(gettext("The PDF file could not be made this time."))
        else:
            files.append(MailFile("report.pdf", "application/pdf", content))
            has_pdf = True
    if wanted != PDF or not has_pdf:
        content_of_csv = request.calls.file(reports.custom, [*query.request(), ("format", "csv")]).read_all(MOST_FILE)
        if content_of_csv is None:
            notes.append(gettext("The CSV file is too long for a mail: it is on the page of the report."))
        else:
            files.append(MailFile("report.csv", "text/csv", content_of_csv))
    return files, notes


def _document(
    request: PageRequest, report: SavedReport, query: ReportQuery, table: MailTable, *, has_csv: bool
) -> Document:
    about = " · ".join([title_of(query), query.period.text, request.day_zone.key])
    return Document(
        language=request.language,
        network=request.network.name or PRODUCT,
        title=report.name,
        about=(about,),
        notes=(*query.faults, *filter(None, (table.apart,))),
        tables=(
            DocumentTable(
                headings=table.headings,
                names=table.names,
                total=table.total,
                rows=tuple(tuple(map(shorten, row)) for row in table.rows),
                empty=gettext("Nothing was counted in these days."),
            ),
        ),
        end=_end(table, has_csv=has_csv),
        chart=table.chart,
        page=gettext("Page %(page)s of %(pages)s", page=PAGE, pages=PAGES),
        stand_in=_stand_in(has_csv=has_csv),
        made_at=request.deps.clock.now_ms(),
    )


def _end(table: MailTable, *, has_csv: bool) -> tuple[str, ...]:
    """Return a sentence about the rows that a file lacks; none where it has all."""
    if not table.more:
        return ()
    first, all_ = number(len(table.rows)), number(len(table.rows) + table.more)
    if has_csv:
        return (gettext("The first %(first)s of %(all)s rows. The CSV file has all.", first=first, all=all_),)
    return (gettext("The first %(first)s of %(all)s rows. The page of the report has all.", first=first, all=all_),)


def _stand_in(*, has_csv: bool) -> str:
    """Return the footnote about characters missing from the fonts."""
    if has_csv:
        return gettext("“?” replaces a character that this file cannot show. The CSV file shows it.")
    return gettext("“?” replaces a character that this file cannot show. The page of the report shows it.")
