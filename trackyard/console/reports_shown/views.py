"""A report as a pivot, a heat map or a funnel (docs/spec/console.md#views-of-a-report)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.charts.axes import hour_label
from trackyard.console.charts.funnels import FunnelChart, FunnelStep, funnel_chart
from trackyard.console.charts.heat_maps import HeatMap, heat_map
from trackyard.console.charts.svg import chart_box
from trackyard.console.frame import figures, shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html
from trackyard.console.frame.figures import apart_text, figure_text, value_of
from trackyard.console.frame.request import PageRequest
from trackyard.console.reports_shown.chips import FilterForm
from trackyard.console.reports_shown.counted import links_of
from trackyard.console.reports_shown.pivot import Pivot, pivot_of
from trackyard.console.reports_shown.query import ReportQuery
from trackyard.console.reports_shown.rows import MOST_ROWS
from trackyard.console.reports_shown.slices import slice_label
from trackyard.domain.money.written_amounts import SIGNS
from trackyard.domain.statistics.metrics import MetricSums
from trackyard.domain.statistics.slices import REJECTION_REASON

_LABELS: Final = {
    "": lazy_gettext("Table"),
    "pivot": lazy_gettext("Pivot"),
    "heat": lazy_gettext("Heat map"),
    "funnel": lazy_gettext("Funnel"),
}
_MOST_HOURS: Final = 366 * 24 * 2
"""Rows of a report by hour that a heat map reads: with a slice that a filter needs, more than one an hour."""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step of a funnel in its table.

    of_before, of_first: shares in words. link: the rows that it counts.
    """

    name: str
    number: str
    of_before: str
    of_first: str
    link: str


@dataclass(frozen=True, slots=True)
class PivotView:
    """A pivot; None where there are too many cells, or no second slice.

    offered: the slices to choose the columns from. names: the names of its two slices. left_out: the slices it sums.
    too_many: how many cells it has, where these are more than `most`. turned: with rows and columns swapped.
    apart: how many conversions the figure leaves out, in words.
    """

    offered: Sequence[tuple[str, PageAddress]] = ()
    pivot: Pivot | None = None
    too_many: int = 0
    most: int = 0
    names: Sequence[str] = ()
    turned: PageAddress | None = None
    left_out: Sequence[str] = ()
    apart: str = ""


@dataclass(frozen=True, slots=True)
class HeatMapView:
    """A heat map and its table.

    weekdays: their names, and how often the period has each. hours, total: the texts of each weekday, and of all.
    apart: how many conversions the figure leaves out, in words.
    """

    has_rows: bool
    chart: Markup
    warnings: Sequence[str]
    weekdays: Sequence[tuple[str, int]]
    hours: Sequence[tuple[str, Sequence[str], str]]
    total: tuple[Sequence[str], str]
    apart: str = ""


@dataclass(frozen=True, slots=True)
class FunnelView:
    """A funnel and its table. apart: how many conversions it leaves out, in words."""

    has_rows: bool
    chart: Markup
    steps: Sequence[ShownStep]
    declined: str
    apart: str = ""


ReportView = PivotView | HeatMapView | FunnelView


def view_links(query: ReportQuery) -> list[tuple[str, PageAddress, bool]]:
    """Return the label of each way to show a report, its address, and whether it is the chosen one."""
    base = query.address.without("view")
    return [(label, base.set("view", name) if name else base, name == query.view) for name, label in _LABELS.items()]


def view_part(request: PageRequest, query: ReportQuery, form: FilterForm | None) -> Html:
    """Return the part of the page that waits for the report. Raises RequestError."""
    values = {"query": query, "form": form, "shown": query.shown, "view": view_of(request, query)}
    return Html(f"report_{query.view}.html", values)


def view_of(request: PageRequest, query: ReportQuery) -> ReportView:
    """Return the content of a report's view. Raises RequestError."""
    make: Mapping[str, Callable[[PageRequest, ReportQuery], ReportView]] = {
        "pivot": _pivot,
        "heat": _heat_map,
        "funnel": _funnel,
    }
    return make[query.view](request, query)


def _pivot(request: PageRequest, query: ReportQuery) -> PivotView:
    """Return a pivot by the first two slices; without a second one, the slices to choose from."""
    if len(query.by) < 2:
        offered = [(slice_label(name), query.address.add("by", name)) for name in query.slices if name not in query.by]
        return PivotView(offered=offered)
    by = (query.by[0], query.by[1])
    needed = [name for name in query.needed_slices if name not in by]
    found = figures.all_rows(request.calls, query.period, [*by, *needed], MOST_ROWS, query.filters)
    return PivotView(
        pivot=pivot_of(found.rows, by, query.shown, found.currency) if found.total <= MOST_ROWS else None,
        too_many=found.total if found.total > MOST_ROWS else 0,
        most=MOST_ROWS,
        names=[slice_label(name) for name in by],
        turned=_turned(query),
        left_out=[slice_label(name) for name in query.by[2:] if name not in query.needed_slices],
        apart=apart_text([query.shown], figures.total(row.figures for row in found.rows)),
    )


def _turned(query: ReportQuery) -> PageAddress:
    """Return the address of the pivot with its rows as columns."""
    first, second, *rest = query.by
    return query.address.set("by", second, first, *rest)


def _heat_map(request: PageRequest, query: ReportQuery) -> HeatMapView:
    """Return a heat map by hour and weekday, and its table: a row for each hour."""
    slices = ["hour", *query.needed_slices]
    found = figures.all_rows(request.calls, query.period, slices, _MOST_HOURS, query.filters)
    sums = defaultdict[tuple[int, int], MetricSums](MetricSums)
    for row in found.rows:
        sums[row.day.weekday(), int(row.id_of("hour"))] += row.figures
    days = Counter(day.weekday() for day in query.period.each_day() if day <= query.period.today)
    kind, currency, weekdays = query.shown, found.currency, range(7)

    def value(weekday: int, hour: int) -> Decimal | int | None:
        if not days[weekday]:
            return None
        plain = value_of(kind, sums[weekday, hour])
        return plain * 100 if plain is not None and kind.unit == "share" else plain

    def text(of: MetricSums) -> str:
        return figure_text(kind, of, currency)

    chart = HeatMap(
        title=kind.label,
        values=tuple(tuple(value(weekday, hour) for hour in range(24)) for weekday in weekdays),
        texts=tuple(tuple(text(sums[weekday, hour]) for hour in range(24)) for weekday in weekdays),
        prefix=SIGNS.get(currency, "") if kind.is_money else "",
        suffix=" %" if kind.unit == "share" else "",
    )
    whole = [figures.total(sums[weekday, hour] for hour in range(24)) for weekday in weekdays]
    hours = [figures.total(sums[weekday, hour] for weekday in weekdays) for hour in range(24)]
    return HeatMapView(
        has_rows=bool(found.rows),
        chart=chart_box(heat_map, chart, "heat"),
        warnings=found.warnings,
        weekdays=[(name, days[number]) for number, name in enumerate(spoken().form.weekdays)],
        hours=[
            (hour_label(hour), [text(sums[weekday, hour]) for weekday in weekdays], text(hours[hour]))
            for hour in range(24)
        ],
        total=([text(each) for each in whole], text(figures.total(whole))),
        apart=apart_text([kind], figures.total(whole)),
    )


def _funnel(request: PageRequest, query: ReportQuery) -> FunnelView:
    """Return a funnel from clicks to confirmed conversions, and its table."""
    calls, needed = request.calls, list(query.needed_slices)
    days = figures.by_day(calls, query.period, query.filters, needed)
    sums = figures.total(days.values())
    steps = [("clicks", gettext("Accepted clicks"), sums.clicks)]
    if REJECTION_REASON in query.slices:
        rejections = figures.all_rows(calls, query.period, [REJECTION_REASON, *needed], MOST_ROWS, query.filters)
        rejected = sum(row.figures.rejected for row in rejections.rows)
        steps.insert(0, ("", gettext("Clicks"), sums.clicks + rejected))
    # The list of conversions has those without a click, too.
    steps.append(("" if sums.clickless else "conversions", gettext("Conversions"), sums.conversions - sums.clickless))
    steps.append(("", gettext("Confirmed"), sums.confirmed - sums.clickless_confirmed))
    links = links_of(request, query, None)
    first = steps[0][2]
    chart = FunnelChart(
        title=gettext("From clicks to confirmed conversions"),
        steps=tuple(FunnelStep(name, number, shown.number(number)) for _, name, number in steps),
    )
    return FunnelView(
        has_rows=bool(first),
        chart=chart_box(funnel_chart, chart, "funnel"),
        steps=[
            ShownStep(
                name=name,
                number=shown.number(number),
                of_before=_share(number, steps[place - 1][2]) if place else "",
                of_first=_share(number, first) if place else "",
                link=links(kind) if kind else "",
            )
            for place, (kind, name, number) in enumerate(steps)
        ],
        declined=shown.number(sums.declined),
        apart=_left_out(sums.clickless),
    )


def _left_out(clickless: int) -> str:
    if not clickless:
        return ""
    return ngettext(
        "It leaves out %(num)d conversion without a click.",
        "It leaves out %(num)d conversions without a click.",
        clickless,
    )


def _share(part: int, whole: int) -> str:
    return shown.percent(Decimal(part) / whole if whole else None)
