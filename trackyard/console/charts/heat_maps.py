"""A heat map of hours and weekdays (docs/spec/console.md#charts)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from markupsafe import Markup

from trackyard.base.texts.languages import spoken
from trackyard.console.charts.axes import hour_label, kept_labels
from trackyard.console.charts.numbers import Value, exact_number, plain, short_number, with_unit
from trackyard.console.charts.points import point_data
from trackyard.console.charts.svg import (
    PAINT,
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
    text_width,
)
from trackyard.console.charts.tables import ChartTable
from trackyard.console.charts.words import ENGLISH, ChartWords

HOURS: Final = tuple(hour_label(hour) for hour in range(24))
LEVELS: Final = (0.14, 0.32, 0.52, 0.74, 1.0)
"""The opacity of values from little to much; a value of zero has the colour of an empty well."""
_TOP, _BOTTOM, _SWATCH = 24.0, 26.0, 12.0


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Values by weekday (rows) and hour (columns).

    texts: the values as texts for people; () = the exact numbers. None is a gap.
    description: a sentence; "" = a sentence about the highest value.
    prefix, suffix: the unit of the values.
    """

    title: str
    values: tuple[tuple[Value, ...], ...]
    rows: tuple[str, ...] = field(default_factory=lambda: spoken().form.weekdays)
    columns: tuple[str, ...] = HOURS
    texts: tuple[tuple[str, ...], ...] = ()
    prefix: str = ""
    suffix: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        for cells in (self.values, self.texts or self.values):
            if len(cells) != len(self.rows) or any(len(row) != len(self.columns) for row in cells):
                raise ValueError(f"a heat map needs {len(self.rows)} rows of {len(self.columns)} values")

    def text(self, row: int, column: int) -> str:
        """Return a value as people read it; empty for a gap."""
        value = self.values[row][column]
        if plain(value) is None:
            return ""
        if self.texts:
            return self.texts[row][column]
        return with_unit(exact_number(value), self.prefix, self.suffix)

    def cells(self) -> Iterator[tuple[int, int, float | None]]:
        """Yield row, column and value of each cell."""
        for row, values in enumerate(self.values):
            for column, value in enumerate(values):
                yield row, column, plain(value)

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values as texts: a row for each weekday."""
        rows = tuple(
            (name, *(self.text(row, column) for column in range(len(self.columns))))
            for row, name in enumerate(self.rows)
        )
        return ChartTable(self.title, (words.weekday, *self.columns), rows)


def heat_map(chart: HeatMap, prefix: str, size: ChartSize = WIDE, words: ChartWords = ENGLISH) -> Markup:
    """Draw a heat map with its legend. Ids begin with the prefix."""
    drawn = [(value, row, column) for row, column, value in chart.cells() if value is not None]
    if not drawn:
        return empty_chart("chart-heat", prefix, size, chart.title, words.no_data)
    largest = max(abs(value) for value, _, _ in drawn)
    _, row, column = max(drawn)
    most = f"{isolate(chart.rows[row])} {isolate(chart.columns[column])}"
    return frame(
        "chart-heat",
        prefix,
        size,
        chart.title,
        chart.description or words.most_at.format(most=isolate(chart.text(row, column)), label=most),
        *_HeatGrid(chart, size).drawn(largest, words),
        _legend(chart, largest, size),
    )


def level(value: float, largest: float) -> int:
    """Return the level of a value: 0 for zero, then 1 to 5 by its share of the largest."""
    if not value or not largest:
        return 0
    return max(1, min(len(LEVELS), math.ceil(abs(value) / largest * len(LEVELS))))


class _HeatGrid:
    """The cells of a heat map with their labels."""

    def __init__(self, chart: HeatMap, size: ChartSize) -> None:
        self.chart, self.size = chart, size
        widest = size.width / 5
        self.names = [fitting(name, widest, size.room) for name in chart.rows]
        self.left = max(text_width(name, size.room) for name in self.names) + 10
        self.width = (size.width - self.left) / len(chart.columns)
        self.height = (size.height - _TOP - _BOTTOM) / len(chart.rows)

    def drawn(self, largest: float, words: ChartWords) -> Iterator[Markup]:
        """Yield the labels, and the cells row by row, as a script moves through them."""
        yield from self._labels()
        cells = (self._cell(row, column, value, largest, words) for row, column, value in self.chart.cells())
        yield element("g", {"pointer-events": "all"}, *cells)
        yield from self._minus_signs(largest)

    def _labels(self) -> Iterator[Markup]:
        middle = self.height / 2 + _TOP
        names = (
            element("text", {"x": self.left - 8, "y": middle + row * self.height, "dy": "0.35em"}, name)
            for row, name in enumerate(self.names)
        )
        yield group("chart-label", {"text-anchor": "end"}, *names)
        columns = self.chart.columns
        shown = kept_labels(columns, self.width, self.size, "hour")
        hours = (
            element("text", {"x": self.left + column * self.width + 1, "y": _TOP - 8}, fitting(columns[column], 80, 12))
            for column in shown
        )
        yield group("chart-label", {}, *hours)

    def _cell(self, row: int, column: int, value: float | None, largest: float, words: ChartWords) -> Markup:
        x, y = self.left + column * self.width, _TOP + row * self.height
        data = point_data(
            f"{self.chart.rows[row]} {self.chart.columns[column]}",
            self.chart.text(row, column) or words.gap,
            at=(x + self.width / 2, y + self.height / 2),
        )
        inset = 1.5 if value is None else 1.0
        width, height = self.width - 2 * inset, self.height - 2 * inset
        place: Attributes = {"x": x + inset, "y": y + inset, "width": width, "height": height, "rx": 2}
        css_class, paint = _painted(value, largest)
        return element("rect", {**data, **place, **paint, "class": f"chart-point {css_class}"})

    def _minus_signs(self, largest: float) -> Iterator[Markup]:
        """Yield a minus for each negative value: a shape as well as a colour."""
        signs: dict[str, list[str]] = {"chart-minus": [], "chart-minus-light": []}
        for row, column, value in self.chart.cells():
            if value is not None and value < 0:
                x, y = self.left + (column + 0.5) * self.width - 3, _TOP + (row + 0.5) * self.height
                dark = level(value, largest) > len(LEVELS) / 2 + 1
                signs["chart-minus-light" if dark else "chart-minus"].append(f"M{x:.2f} {y:.2f}h6")
        for css_class, data in signs.items():
            if data:
                yield mark("path", css_class, {"d": "".join(data), "pointer-events": "none"})


def _painted(value: float | None, largest: float) -> tuple[str, Attributes]:
    """Return the class of a value and its colour: a gap is an outline, zero an empty well."""
    if value is None:
        return "chart-grid", {**PAINT["chart-grid"], "fill": "none", "stroke-dasharray": "2 2"}
    if not (reached := level(value, largest)):
        return "chart-well", PAINT["chart-well"]
    css_class = "chart-negative" if value < 0 else "chart-solid"
    return css_class, {**PAINT[css_class], "fill-opacity": LEVELS[reached - 1]}


def _legend(chart: HeatMap, largest: float, size: ChartSize) -> Markup:
    """Return the levels from zero, or from the negative of the largest value, to the largest value."""
    negative = any(value is not None and value < 0 for _, _, value in chart.cells())
    steps = range(-len(LEVELS) if negative else 0, len(LEVELS) + 1)
    most = with_unit(short_number(largest), chart.prefix, chart.suffix)
    least = with_unit(short_number(-largest if negative else 0), chart.prefix, chart.suffix)
    y = size.height - _SWATCH - 3
    start = size.width - text_width(most, size.room) - 4 - len(steps) * (_SWATCH + 2)
    text: Attributes = {"y": y + _SWATCH / 2, "dy": "0.35em"}
    made = mark("text", "chart-label", {**text, "x": start - 6, "text-anchor": "end"}, least)
    for index, step in enumerate(steps):
        place = {"x": start + index * (_SWATCH + 2), "y": y, "width": _SWATCH, "height": _SWATCH, "rx": 2}
        css_class, paint = _painted(float(step), len(LEVELS))
        made += element("rect", {"class": css_class, **paint, **place})
    return made + mark("text", "chart-label", {**text, "x": start + len(steps) * (_SWATCH + 2) + 4}, most)
