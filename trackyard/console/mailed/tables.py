"""The rows of a report in a mail (docs/spec/console.md#reports-by-mail)."""

from dataclasses import dataclass, replace

from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.figures import apart_text, figure_text
from trackyard.console.frame.request import PageRequest
from trackyard.console.reports_shown.pages import report_chart
from trackyard.console.reports_shown.query import ReportQuery
from trackyard.console.reports_shown.rows import read_rows
from trackyard.console.reports_shown.slices import cell_of, slice_label
from trackyard.console.reports_shown.views import FunnelView, HeatMapView, PivotView, view_of
from trackyard.domain.statistics.metrics import MetricSums


@dataclass(frozen=True, slots=True)
class MailTable:
    """A report as texts.

    names: how many cells at the start of a row are names; the others are figures. total: "" where a column has none.
    more: rows that are left out. chart: an SVG, "" = none. apart: how many conversions figures leave out, in words.
    """

    headings: tuple[str, ...]
    names: int
    total: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0
    chart: str = ""
    apart: str = ""

    def first(self, most: int) -> "MailTable":
        """Return the table with its first rows."""
        left_out = max(len(self.rows) - most, 0)
        return replace(self, rows=self.rows[:most], more=self.more + left_out) if left_out else self


def table_of(request: PageRequest, query: ReportQuery, most: int) -> MailTable:
    """Return a report as texts; views have all rows, others at most so many. Raises RequestError."""
    if not query.view:
        return _rows(request, query, most)
    match view_of(request, query):
        case PivotView() as view:
            return _pivot(view)
        case HeatMapView() as view:
            return _heat_map(view)
        case FunnelView() as view:
            return _funnel(view)


def _rows(request: PageRequest, query: ReportQuery, most: int) -> MailTable:
    found = read_rows(request.calls, replace(query, page=1), most)

    def texts(of: MetricSums) -> list[str]:
        return [figure_text(kind, of, found.currency) for kind in query.columns]

    blank = [""] * (len(query.by) - 1)
    return MailTable(
        headings=(*(slice_label(name) for name in query.by), *(str(kind.label) for kind in query.columns)),
        names=len(query.by),
        total=(gettext("Total"), *blank, *texts(found.total)),
        rows=tuple((*(cell_of(name, row.keys).text for name in query.by), *texts(row.figures)) for row in found.rows),
        more=found.count - len(found.rows),
        chart=svg_of(report_chart(query, found)),
        apart=apart_text((*query.columns, query.shown), found.total),
    )


def _pivot(view: PivotView) -> MailTable:
    pivot = view.pivot
    if pivot is None:
        raise BadInput({"view": [gettext("This pivot cannot be made: open the report to change it.")]})
    cells = [(line.cell.text, *(cell.text or "—" for cell in line.cells), line.total.text) for line in pivot.lines]
    return MailTable(
        headings=(view.names[0], *(cell.text for cell in pivot.columns), gettext("Total")),
        names=1,
        total=(gettext("Total"), *(cell.text for cell in pivot.total.cells), pivot.total.total.text),
        rows=tuple(cells),
        apart=view.apart,
    )


def _heat_map(view: HeatMapView) -> MailTable:
    sums, whole = view.total
    return MailTable(
        headings=(gettext("Hour"), *(name for name, _ in view.weekdays), gettext("Total")),
        names=1,
        total=(gettext("Total"), *sums, whole),
        rows=tuple((hour, *texts, total) for hour, texts, total in view.hours),
        chart=svg_of(view.chart),
        apart=view.apart,
    )


def _funnel(view: FunnelView) -> MailTable:
    return MailTable(
        headings=(gettext("Step"), gettext("Number"), gettext("Of the step before"), gettext("Of the first step")),
        names=1,
        total=(),
        rows=tuple((step.name, step.number, step.of_before or "—", step.of_first or "—") for step in view.steps),
        chart=svg_of(view.chart),
        apart=view.apart,
    )


def svg_of(box: str) -> str:
    """Return the wide chart of a box as a file of its own: its colours are in its attributes."""
    start, end = box.find("<svg"), box.find("</svg>")
    if start < 0:
        return ""
    return str(box)[start : end + len("</svg>")].replace("<svg ", '<svg font-family="sans-serif" ', 1)
