"""Stacked columns, such as conversions by status over days (docs/spec/console.md#charts)."""

from dataclasses import dataclass
from typing import Final, Literal

from markupsafe import Markup

from trackyard.console.charts.axes import Grain, PlotArea, label_row, plot_area, value_grid
from trackyard.console.charts.numbers import Value, exact_number, numbers_of, plain, with_unit
from trackyard.console.charts.points import point_data
from trackyard.console.charts.svg import (
    WIDE,
    Attributes,
    ChartSize,
    element,
    empty_chart,
    fitting,
    frame,
    group,
    isolate,
    mark,
    part_id,
    text_width,
)
from trackyard.console.charts.tables import ChartTable
from trackyard.console.charts.words import ENGLISH, ChartWords

SeriesTone = Literal["accent", "comparison", "confirmed", "pending", "hold", "declined"]

_HATCHES: Final[dict[str, str]] = {
    "pending": "M-1 9L9 -1M-1 1L1 -1M7 9L9 7",
    "hold": "M1 2h2M5 6h2",
    "declined": "M-1 -1L9 9M-1 7L1 9M7 -1L9 1",
}
"""The lines inside the tiles of tones, so that a status is a shape as well as a colour."""
_WIDEST, _SWATCH, _LEGEND_ROW, _TILE = 48.0, 10, 20, 8


@dataclass(frozen=True, slots=True)
class ColumnSeries:
    """A part of each column, with one value for each label of the chart.

    texts: the values as people read them; without them the exact numbers.
    """

    name: str
    values: tuple[Value, ...]
    tone: SeriesTone = "accent"
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnChart:
    """Columns that add up series from zero upwards, negative values downwards.

    totals: the sums as texts for people; () = the exact numbers.
    prefix, suffix: the unit on the axis. description: a sentence; "" = a sentence about the highest column.
    """

    title: str
    labels: tuple[str, ...]
    series: tuple[ColumnSeries, ...]
    grain: Grain = "day"
    totals: tuple[str, ...] = ()
    prefix: str = ""
    suffix: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        for each in self.series:
            if len(each.values) != len(self.labels) or (each.texts and len(each.texts) != len(self.labels)):
                raise ValueError(f"the series {each.name!r} needs one value for each of {len(self.labels)} labels")

        if self.totals and len(self.totals) != len(self.labels):
            raise ValueError(f"the totals need one text for each of {len(self.labels)} labels")

    def total(self, index: int) -> Value:
        """Return the sum of a column, or None if all of it is a gap."""
        values = [each.values[index] for each in self.series if plain(each.values[index]) is not None]
        if any(isinstance(value, float) for value in values):
            return sum(numbers_of(values))
        return sum(value for value in values if not isinstance(value, float | None)) if values else None

    def text(self, series: ColumnSeries, index: int) -> str:
        """Return a value of a series as people read it; empty for a gap."""
        if plain(series.values[index]) is None:
            return ""
        return series.texts[index] if series.texts else self._exact(series.values[index])

    def _exact(self, value: Value) -> str:
        return with_unit(exact_number(value), self.prefix, self.suffix)

    def total_text(self, index: int) -> str:
        """Return the sum of a column as people read it; empty for a gap."""
        total = self.total(index)
        if total is None:
            return ""
        return self.totals[index] if self.totals else self._exact(total)

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values as texts."""
        headings = (words.period, *(each.name for each in self.series), words.total)
        rows = tuple(
            (label, *(self.text(each, index) for each in self.series), self.total_text(index))
            for index, label in enumerate(self.labels)
        )
        return ChartTable(self.title, headings, rows)


def column_chart(chart: ColumnChart, prefix: str, size: ChartSize = WIDE, words: ChartWords = ENGLISH) -> Markup:
    """Draw stacked columns with their legend. Ids begin with the prefix."""
    if all(chart.total(index) is None for index in range(len(chart.labels))):
        return empty_chart("chart-columns", prefix, size, chart.title, words.no_data)
    legend, above = _legend(chart, prefix, size)
    area = plot_area(_extremes(chart), size, prefix=chart.prefix, suffix=chart.suffix, above=above)
    bands = area.bands(len(chart.labels))
    middles = [left + area.width / len(chart.labels) / 2 for left in bands]
    return frame(
        "chart-columns",
        prefix,
        size,
        chart.title,
        chart.description or _highest(chart, words),
        patterns({each.tone for each in chart.series}, prefix),
        legend,
        value_grid(area),
        *_columns(chart, middles, area, prefix),
        label_row(chart.labels, middles, size, chart.grain),
        _hit_areas(chart, bands, area, words),
    )


def patterns(tones: set[SeriesTone], prefix: str) -> Markup:
    """Return the patterns of the tones that have one."""
    made = []
    for tone in sorted(tones & {*_HATCHES}):
        tile = mark("rect", f"chart-{tone}", {"width": _TILE, "height": _TILE})
        lines = mark("path", "chart-hatch", {"d": _HATCHES[tone]})
        place: Attributes = {
            "id": part_id(prefix, tone),
            "width": _TILE,
            "height": _TILE,
            "patternUnits": "userSpaceOnUse",
        }
        made.append(element("pattern", place, tile, lines))
    return element("defs", {}, *made) if made else Markup("")


def _toned(tone: SeriesTone, prefix: str, *marks: Markup) -> Markup:
    """Return marks in the colour, and with the pattern, of a tone."""
    if tone in _HATCHES:
        return element("g", {"fill": f"url(#{part_id(prefix, tone)})"}, *marks)
    return group(f"chart-{tone}", {}, *marks)


def _legend(chart: ColumnChart, prefix: str, size: ChartSize) -> tuple[Markup, float]:
    """Return the names of the series with a swatch of each, and the height of the legend."""
    made = Markup("")
    x, y = 2.0, 4.0
    for each in chart.series:
        name = fitting(each.name, size.width / 3, size.room)
        width = _SWATCH + 6 + text_width(name, size.room) + 12
        if x > 2 and x + width > size.width:
            x, y = 2.0, y + _LEGEND_ROW
        swatch = element("rect", {"x": x, "y": y, "width": _SWATCH, "height": _SWATCH, "rx": 2})
        text = mark("text", "chart-label", {"x": x + _SWATCH + 6, "y": y + _SWATCH / 2, "dy": "0.35em"}, name)
        made += _toned(each.tone, prefix, swatch) + text
        x += width
    return made, y + _LEGEND_ROW - 8


def _extremes(chart: ColumnChart) -> list[Value]:
    """Return the heights and depths that the stacks reach; whole numbers stay whole."""
    reached: list[Value] = []
    whole = all(isinstance(value, int) for each in chart.series for value in each.values if plain(value) is not None)
    for index in range(len(chart.labels)):
        values = numbers_of(each.values[index] for each in chart.series)
        for part in (sum(value for value in values if value > 0), sum(value for value in values if value < 0)):
            reached.append(int(part) if whole else part)
    return reached


def _columns(chart: ColumnChart, middles: list[float], area: PlotArea, prefix: str) -> list[Markup]:
    """Return the parts of all columns, one group a series."""
    width = max(1.0, min(_WIDEST, area.width / len(middles) * 0.72))
    above, below = [0.0] * len(middles), [0.0] * len(middles)
    groups = []
    for each in chart.series:
        parts = []
        for index, middle in enumerate(middles):
            if not (value := plain(each.values[index])):
                continue
            stack = above if value > 0 else below
            start, stack[index] = stack[index], stack[index] + value
            upper, lower = sorted((area.y(start), area.y(stack[index])))
            seam = 1 if lower - upper > 3 and start else 0
            place = {"x": middle - width / 2, "y": upper, "width": width, "height": lower - upper - seam}
            parts.append(element("rect", place if value > 0 else {**place, "y": upper + seam}))
        groups.append(_toned(each.tone, prefix, *parts) if parts else Markup(""))
    return groups


def _highest(chart: ColumnChart, words: ChartWords) -> str:
    totals = [(total, index) for index in range(len(chart.labels)) if (total := plain(chart.total(index))) is not None]
    _, index = max(totals)
    return words.most_at.format(most=isolate(chart.total_text(index)), label=isolate(chart.labels[index]))


def _hit_areas(chart: ColumnChart, bands: list[float], area: PlotArea, words: ChartWords) -> Markup:
    """Return an invisible area for each column."""
    width = area.width / len(bands)
    hits = []
    for index, left in enumerate(bands):
        parts = " · ".join(f"{each.name} {chart.text(each, index) or words.gap}" for each in chart.series)
        data = point_data(
            chart.labels[index], chart.total_text(index) or words.gap, detail=parts, at=(left + width / 2, None)
        )
        hits.append(element("rect", {**data, "x": left, "y": area.top, "width": width, "height": area.height}))
    return group("chart-points", {}, *hits)
