"""The page Reports: any slices and figures (docs/spec/console.md#reports)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from markupsafe import Markup

from trackyard.api.statistics import reports
from trackyard.base.errors import RequestCancelled, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.charts.changes import ChangeTone
from trackyard.console.deferred.refused import Way, refused_part, shorter_periods
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import (
    Row,
    apart_text,
    days_up_to_now,
    figure_change,
    figure_text,
    on_each_day,
    value_of,
)
from trackyard.console.frame.periods import COMPARISONS
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import number, percent
from trackyard.console.reports_shown.chips import address_of_form, chips_of, form_of, menu_of_filters
from trackyard.console.reports_shown.counted import linked_cell, links_of
from trackyard.console.reports_shown.drill import RowMenu, menu_of
from trackyard.console.reports_shown.exports import curl_line, file_links_of
from trackyard.console.reports_shown.query import MOST_SLICES, PERIODS, ReportQuery, read_query, title_of
from trackyard.console.reports_shown.rows import MOST_ROWS, PAGE_ROWS, ReportRows, change_of, read_rows
from trackyard.console.reports_shown.saved import menu_of_saved
from trackyard.console.reports_shown.signals import address_without_suspicious
from trackyard.console.reports_shown.slices import Cell, slice_label
from trackyard.console.reports_shown.views import view_links, view_part
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, Metric, MetricSums


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column. sort: "ascending", "descending" or "". to: the address that sorts by it."""

    label: str
    sort: str
    to: PageAddress
    is_figure: bool


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A figure of a row.

    share: the share of the largest figure in the sorted column, 0 to 1; None in other columns.
    link: the rows that it counts.
    part: the share of the sum of all rows in %, in the compared column; "" elsewhere.
    """

    text: str
    share: Decimal | float | None = None
    link: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table. change, tone: what it is compared with, in words; "" without a comparison."""

    cells: tuple[Cell, ...]
    figures: tuple[FigureCell, ...]
    change: str
    tone: ChangeTone
    menu: RowMenu | None = None


def report_page(request: PageRequest) -> PageAnswer:
    """Show a report, or lead to the address that a form of a filter describes."""
    wanted = address_of_form(request.address)
    if wanted is not None:
        return Redirect(str(wanted))
    query = read_query(request)
    values = {
        "query": query,
        "title": title_of(query),
        "periods": PERIODS,
        "chips": chips_of(request, query),
        "filters": menu_of_filters(query),
        "without_suspicious": address_without_suspicious(query),
        "by": [(name, slice_label(name), query.address.drop("by", name)) for name in query.by],
        "slices": _more_slices(query),
        "comparisons": _comparisons(query),
        "files": file_links_of(query) if request.calls.may_export(reports.custom) else [],
        "curl": curl_line(request, query),
        "views": view_links(query),
        "saved": menu_of_saved(request, query),
        "currency": query.currency,
        "currencies": replace(query.money, shown=query.currency).menu(query.address),
        "share": f"{request.deps.api_url}{query.address}",
    }
    return Html("reports.html", values, late=lambda: _late(request, query))


def _late(request: PageRequest, query: ReportQuery) -> Html:
    """Return the part of the page that waits for the report."""
    try:
        form = form_of(request, query)
        if query.view:
            return view_part(request, query, form)
        found = read_rows(request.calls, query)
    except RequestCancelled:
        raise
    except RequestError as refusal:
        return refused_part(refusal, query.address, _smaller(query))
    place = min(query.page, found.pages)
    values = {
        "query": query,
        "report": found,
        "form": form,
        "chart": report_chart(query, found),
        "headings": _headings(query),
        "total": _row(request, query, found, None),
        "rows": [_row(request, query, found, row) for row in found.rows],
        "hint": _hint(query, found),
        "apart": apart_text((*query.columns, query.shown), found.total),
        "place": place,
        "first": (place - 1) * PAGE_ROWS,
    }
    return Html("report_rows.html", values)


def _smaller(query: ReportQuery) -> Iterator[Way]:
    """Yield the ways to a report that takes less time."""
    yield from shorter_periods(query.address, query.period)
    if len(query.by) > 1:
        last = query.by[-1]
        yield gettext("Leave out the slice %(slice)s", slice=slice_label(last)), query.address.drop("by", last)
    if query.before is not None and not query.view:
        yield gettext("Compare with nothing"), query.address.set("compare", "none")


def _more_slices(query: ReportQuery) -> list[tuple[str, PageAddress]]:
    """Return the label of each slice that the report has not, and the address of the report with it."""
    if len(query.by) >= MOST_SLICES:
        return []
    return [(slice_label(name), query.address.add("by", name)) for name in query.slices if name not in query.by]


def _comparisons(query: ReportQuery) -> list[tuple[str, PageAddress, bool]]:
    return [
        (
            query.period.compared_text(name) or gettext("nothing"),
            query.address.set("compare", name),
            name == query.compare,
        )
        for name in COMPARISONS
    ]


def _headings(query: ReportQuery) -> list[Heading]:
    columns = [(name, slice_label(name), False) for name in query.by]
    columns += [(kind.name, kind.label, True) for kind in query.columns]
    return [_heading(query, *column) for column in columns]


def _heading(query: ReportQuery, name: str, label: str, is_figure: bool) -> Heading:
    """Return a heading with a link that sorts by it; a sorted one reverses the order."""
    is_sorted = name == query.sort
    descends = not query.descending if is_sorted else is_figure
    to = query.address.set("sort", name).set("dir", "desc" if descends else "asc")
    order = ("descending" if query.descending else "ascending") if is_sorted else ""
    return Heading(label, order, to, is_figure)


def _row(request: PageRequest, query: ReportQuery, found: ReportRows, row: Row | None) -> TableRow:
    """Return a row of the table; row: None for the sum of all."""
    cells = () if row is None else tuple(linked_cell(request, name, row) for name in query.by)
    of = found.total if row is None else row.figures
    if row is None:
        pair = None if found.now is None or found.before is None else (found.now, found.before)
    else:
        pair = change_of(query, found, row.keys)
    change, tone = _change(query, of, pair)
    bar_column = "" if row is None else query.sort
    links = links_of(request, query, row)
    shown = tuple(
        replace(
            _figure(kind, of, found, kind.name == bar_column),
            link=links(kind.name),
            part=_part(kind, of, found.total) if kind == query.compared_kind else "",
        )
        for kind in query.columns
    )
    return TableRow(cells, shown, change, tone, None if row is None else menu_of(query, cells))


def _part(kind: Metric, of: MetricSums, total: MetricSums) -> str:
    """Return a figure as a share of the sum of all rows; "" where that has no meaning.

    It has none of figures that do not add up, and of sums that are not above zero.
    """
    value, sum_ = value_of(kind, of), value_of(kind, total)
    if not kind.adds_up or value is None or not sum_ or sum_ < 0:
        return ""
    return percent(Decimal(value) / sum_)


def _figure(kind: Metric, of: MetricSums, found: ReportRows, has_bar: bool) -> FigureCell:
    value = value_of(kind, of)
    share = (Decimal(value or 0) / found.most if found.most else 0) if has_bar else None
    return FigureCell(figure_text(kind, of, found.currency), share)


def _change(query: ReportQuery, of: MetricSums, pair: tuple[MetricSums, MetricSums] | None) -> tuple[str, ChangeTone]:
    if pair is None or not query.period.has_full_hour:
        return "", ChangeTone.NEUTRAL
    return figure_change(query.compared_kind, of, *pair)


def report_chart(query: ReportQuery, found: ReportRows) -> Markup:
    """Return the chart of a report over its days."""
    days = [found.days.get(day, MetricSums()) for day in query.period.each_day()]
    if query.before is None:
        return figure_chart(query.shown, query.period, days, [None] * len(days), found.currency, "")
    days_before = found.days_before
    if found.before is not None:
        days_before = days_up_to_now(query.period, query.before, days_before, found.before)
    earlier = on_each_day(query.before, days_before, query.period.days)
    return figure_chart(query.shown, query.period, days, earlier, found.currency, query.before_text)


def _hint(query: ReportQuery, found: ReportRows) -> str:
    """Return a sentence about what a long report lacks."""
    if not found.is_whole:
        lost = (
            ""
            if query.api_order
            else gettext(" It is sorted by %(name)s instead.", name=_named(query, query.long_sort))
        )
        return gettext(
            "This report has more than %(most)s rows: it can be sorted by clicks, unique, declined or a slice, and its "
            "rows are not compared.%(lost)s A filter or a shorter period makes it shorter.",
            most=number(MOST_ROWS),
            lost=lost,
        )
    if query.before is not None and found.compared is None:
        return gettext(
            "The rows are not compared: there are more than %(most)s of them with the period before.",
            most=number(MOST_ROWS),
        )
    return ""


def _named(query: ReportQuery, sort: str) -> str:
    return (slice_label(sort) if sort in query.by else METRIC_BY_NAME[sort].label).lower()
