"""A line over time, with the period before as a dashed line (docs/spec/console.md#charts)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from markupsafe import Markup

from trackyard.console.charts.axes import Grain, PlotArea, label_row, plot_area, value_grid
from trackyard.console.charts.changes import ChangeTone
from trackyard.console.charts.numbers import Value, exact_number, plain, with_unit
from trackyard.console.charts.points import cross_hair, point_data
from trackyard.console.charts.svg import WIDE, ChartSize, coordinate, element, empty_chart, frame, group, isolate, mark
from trackyard.console.charts.tables import ChartTable
from trackyard.console.charts.words import ENGLISH, ChartWords

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A value at a time, and the value of the period before.

    label: below the axis, such as "15 Nov". name: in full, such as "Sunday 15 Nov".
    text, before_text: the values as people read them; without them the exact numbers with the unit of the chart.
    change, tone: what `change_text` returns.
    day: in the address of the page, such as 2026-11-21; "" for a time that cannot be selected.
    """

    label: str
    value: Value
    before: Value = None
    name: str = ""
    text: str = ""
    before_text: str = ""
    change: str = ""
    tone: ChangeTone = ChangeTone.NEUTRAL
    day: str = ""

    @property
    def full_name(self) -> str:
        """The time in full."""
        return self.name or self.label


@dataclass(frozen=True, slots=True)
class LineChart:
    """A metric over time.

    before_name: the period compared with, such as "3 weeks before"; "" = no comparison.
    prefix, suffix: the unit on the axis. description: a sentence; "" = a sentence about the lowest and highest values.
    """

    title: str
    points: tuple[LinePoint, ...]
    grain: Grain = "day"
    before_name: str = ""
    prefix: str = ""
    suffix: str = ""
    description: str = ""

    def value_text(self, point: LinePoint) -> str:
        """Return a value as people read it; empty for a gap."""
        if plain(point.value) is None:
            return ""
        return point.text or with_unit(exact_number(point.value), self.prefix, self.suffix)

    def before_text(self, point: LinePoint) -> str:
        """Return the value of the period before as people read it; empty for a gap."""
        if plain(point.before) is None:
            return ""
        return point.before_text or with_unit(exact_number(point.before), self.prefix, self.suffix)

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values as texts."""
        if not self.before_name:
            rows = tuple((point.full_name, self.value_text(point)) for point in self.points)
            return ChartTable(self.title, (words.period, self.title), rows)
        compared = tuple(
            (point.full_name, self.value_text(point), self.before_text(point), point.change or "–")
            for point in self.points
        )
        return ChartTable(self.title, (words.period, self.title, self.before_name, words.change), compared)


def line_chart(chart: LineChart, prefix: str, size: ChartSize = WIDE, words: ChartWords = ENGLISH) -> Markup:
    """Draw a line chart. Ids begin with the prefix."""
    values = [plain(point.value) for point in chart.points]
    before = [plain(point.before) if chart.before_name else None for point in chart.points]
    if all(value is None for value in (*values, *before)):
        return empty_chart("chart-lines", prefix, size, chart.title, words.no_data)
    measured = [*(point.value for point in chart.points)]
    if chart.before_name:
        measured += [point.before for point in chart.points]
    area = plot_area(measured, size, prefix=chart.prefix, suffix=chart.suffix)
    places = area.along(len(chart.points))
    return frame(
        "chart-lines",
        prefix,
        size,
        chart.title,
        chart.description or _extent(chart, words),
        value_grid(area),
        _areas(_runs(places, values, area), area),
        _line(_runs(places, before, area), "chart-before", "chart-dot-before"),
        _line(_runs(places, values, area), "chart-line", "chart-dot"),
        label_row([point.label for point in chart.points], places, size, chart.grain),
        cross_hair(area.top, area.bottom),
        _hit_areas(chart, places, area, words),
    )


def _extent(chart: LineChart, words: ChartWords) -> str:
    """Return a sentence about the first and last time, the lowest and the highest value."""
    drawn = [(value, point) for point in chart.points if (value := plain(point.value)) is not None]
    if not drawn:
        return words.no_data
    least, most = min(drawn, key=lambda pair: pair[0])[1], max(drawn, key=lambda pair: pair[0])[1]
    return words.extent.format(
        first=isolate(chart.points[0].full_name),
        last=isolate(chart.points[-1].full_name),
        least=isolate(chart.value_text(least)),
        most=isolate(chart.value_text(most)),
    )


def _runs(places: Sequence[float], values: Sequence[float | None], area: PlotArea) -> list[list[Place]]:
    """Return the unbroken stretches of a line: a gap ends one."""
    pairs = zip(places, values, strict=True)
    runs = (list(run) for drawn, run in groupby(pairs, key=lambda pair: pair[1] is not None) if drawn)
    return [[(x, area.y(value)) for x, value in run if value is not None] for run in runs]


def path(run: Sequence[Place]) -> str:
    """Return the straight lines through places as the data of a path."""
    return "M" + "L".join(f"{coordinate(float(x))} {coordinate(float(y))}" for x, y in run)


def _line(runs: list[list[Place]], line_class: str, dot_class: str) -> Markup:
    """Return a line, and a dot where a value has no neighbour."""
    data = "".join(path(run) for run in runs if len(run) > 1)
    dots = [element("circle", {"cx": run[0][0], "cy": run[0][1], "r": 3}) for run in runs if len(run) == 1]
    return (mark("path", line_class, {"d": data}) if data else Markup("")) + group(dot_class, {}, *dots)


def _areas(runs: list[list[Place]], area: PlotArea) -> Markup:
    """Return the area between a line and zero."""
    zero = coordinate(float(area.y(0)))
    closed = [
        f"{path(run)}L{coordinate(float(run[-1][0]))} {zero}L{coordinate(float(run[0][0]))} {zero}Z"
        for run in runs
        if len(run) > 1
    ]
    return mark("path", "chart-area", {"d": "".join(closed)}) if closed else Markup("")


def _hit_areas(chart: LineChart, places: list[float], area: PlotArea, words: ChartWords) -> Markup:
    """Return an invisible area for each point, which reaches half way to its neighbours."""
    edges = [area.left, *((one + other) / 2 for one, other in pairwise(places)), area.right]
    hits = []
    for point, x, (start, end) in zip(chart.points, places, pairwise(edges), strict=True):
        value = plain(point.value)
        data = point_data(
            point.full_name,
            chart.value_text(point) or words.gap,
            before=chart.before_text(point) if chart.before_name else "",
            change=point.change if chart.before_name else "",
            tone=point.tone,
            day=point.day,
            at=(x, None if value is None else area.y(value)),
        )
        place = {"x": start, "y": area.top, "width": end - start, "height": area.height}
        hits.append(element("rect", {**data, **place}))
    return group("chart-points", {}, *hits)
