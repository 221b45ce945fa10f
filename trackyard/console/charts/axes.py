"""The axes of a chart: scale, grid and labels (docs/spec/console.md#charts)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Final, Literal

from markupsafe import Markup

from trackyard.console.charts.numbers import Value, nice_ticks, numbers_of, plain, tick_text, with_unit
from trackyard.console.charts.svg import ChartSize, element, fitting, group, mark, text_width
from trackyard.console.charts.words import ENGLISH, ChartWords

Grain = Literal["hour", "day", "month", "other"]
"""What the labels of a horizontal axis count; it decides which labels stay when there is little space."""

_INTERVALS: Final = 3
_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 34, 20, 16, 34, 10
LABEL_BASE: Final = 8
"""How far the labels of the horizontal axis are from the lower edge, in pixels."""
_STEPS: Final[dict[Grain, tuple[int, ...]]] = {
    "hour": (1, 2, 3, 4, 6, 12, 24),
    "day": (1, 2, 3, 5, 7, 14, 28),
    "month": (1, 2, 3, 6, 12),
    "other": (1, 2, 3, 5, 10),
}


def day_label(day: date, words: ChartWords = ENGLISH) -> str:
    """Return a day as charts show it: "1 Nov"."""
    return f"{day.day} {words.months[day.month - 1]}"


def hour_label(hour: time | int) -> str:
    """Return an hour as charts show it: "14:00"."""
    return f"{hour if isinstance(hour, int) else hour.hour:02}:00"


def month_label(month: date, words: ChartWords = ENGLISH) -> str:
    """Return a month as charts show it: "Nov 2026"."""
    return f"{words.months[month.month - 1]} {month.year}"


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The part of a chart inside its axes, in pixels, and the values at its lower and upper edge."""

    left: float
    top: float
    right: float
    bottom: float
    ticks: tuple[tuple[float, str], ...]

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.bottom - self.top

    def y(self, value: float) -> float:
        """Return the vertical place of a value."""
        low, high = self.ticks[0][0] / 2, self.ticks[-1][0] / 2
        return self.bottom - (value / 2 - low) / (high - low) * self.height

    def along(self, count: int) -> list[float]:
        """Return the horizontal places of points: from edge to edge, a single one in the middle."""
        if count == 1:
            return [(self.left + self.right) / 2]
        return [self.left + self.width * index / (count - 1) for index in range(count)]

    def bands(self, count: int) -> list[float]:
        """Return the left edges of bands of equal width."""
        return [self.left + self.width * index / count for index in range(count)]


def plot_area(
    values: Iterable[Value], size: ChartSize, *, prefix: str = "", suffix: str = "", above: float = 0
) -> PlotArea:
    """Return the area of a chart of values, with ticks from zero, or from below the least value, upwards.

    prefix, suffix: the unit of the values, such as "$" or " %".
    above: pixels to leave free for a legend.
    """
    kept = [value for value in values if plain(value) is not None]
    drawn = numbers_of(kept)
    low, high = min(0.0, *drawn, 0.0), max(0.0, *drawn, 0.0)
    whole = all(isinstance(value, int) for value in kept)
    found = nice_ticks(low, high, _INTERVALS, whole=whole)
    ticks = tuple((float(tick), with_unit(tick_text(tick), prefix, suffix)) for tick in found)
    left = max(_LEFT, *(text_width(text, size.room) + _GAP for _, text in ticks))
    return PlotArea(left, _TOP + above, size.width - _RIGHT, size.height - _BOTTOM, ticks)


def value_grid(area: PlotArea) -> Markup:
    """Return the horizontal lines of the ticks with their labels, and of zero among negative values."""
    lines, labels = [], []
    zero = Markup("")
    for value, text in area.ticks:
        y = area.y(value)
        ends: dict[str, float] = {"x1": area.left, "y1": y, "x2": area.right + _GAP, "y2": y}
        if value == 0 and area.ticks[0][0] < 0:
            zero = mark("line", "chart-zero", ends)
        else:
            lines.append(element("line", ends))
        labels.append(element("text", {"x": area.left - _GAP, "y": y, "dy": "0.35em"}, text))
    return group("chart-grid", {}, *lines) + zero + group("chart-label", {"text-anchor": "end"}, *labels)


def kept_labels(labels: Sequence[str], spacing: float, size: ChartSize, grain: Grain = "other") -> range:
    """Return the indexes of the labels that fit.

    spacing: the pixels from one label to the next.
    """
    widest = max((text_width(_fitted(label, size), size.room) for label in labels), default=0) + _GAP
    steps = _STEPS[grain]
    step = next((step for step in steps if step * spacing >= widest), steps[-1])
    while step * spacing < widest and step < len(labels):
        step += steps[-1]
    return range(0, len(labels), step)


def label_row(labels: Sequence[str], places: Sequence[float], size: ChartSize, grain: Grain = "other") -> Markup:
    """Return the labels of the horizontal axis that fit, each centred at its place and inside the chart."""
    spacing = places[1] - places[0] if len(places) > 1 else size.width
    y = size.height - LABEL_BASE
    made = []
    for index in kept_labels(labels, spacing, size, grain):
        text, x = _fitted(labels[index], size), places[index]
        half = text_width(text, size.room) / 2
        inside: dict[str, str | float | None] = {"x": x, "y": y}
        if x + half > size.width:
            inside = {"x": size.width - 1, "y": y, "text-anchor": "end"}
        elif x - half < 0:
            inside = {"x": 1, "y": y, "text-anchor": "start"}
        made.append(element("text", inside, text))
    return group("chart-label", {"text-anchor": "middle"}, *made)


def _fitted(label: str, size: ChartSize) -> str:
    return fitting(label, size.width / (4 if size.narrow else 6), size.room)
