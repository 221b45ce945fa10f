"""A sparkline: the course of a figure in the space of a word (docs/spec/console.md#charts)."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from markupsafe import Markup

from trackyard.console.charts.lines import path
from trackyard.console.charts.numbers import Value, exact_number, plain
from trackyard.console.charts.svg import ChartSize, element, frame, group, mark
from trackyard.console.charts.tables import ChartTable
from trackyard.console.charts.words import ENGLISH, ChartWords

SPARK: Final = ChartSize(96, 24, 10, 10)
_EDGE: Final = 3.0


@dataclass(frozen=True, slots=True)
class Sparkline:
    """The values of a figure in order, from the oldest.

    description: a sentence; without it the first and the last value.
    """

    title: str
    values: tuple[Value, ...]
    description: str = ""

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values as texts, numbered from 1."""
        rows = tuple((str(number), exact_number(value)) for number, value in enumerate(self.values, 1))
        return ChartTable(self.title, (words.number, self.title), rows)


def sparkline(line: Sparkline, prefix: str, size: ChartSize = SPARK, words: ChartWords = ENGLISH) -> Markup:
    """Draw a sparkline, from the least to the largest value. Ids begin with the prefix."""
    values = [plain(value) for value in line.values]
    drawn = [value for value in values if value is not None]
    if not drawn:
        return frame("chart-spark", prefix, size, line.title, words.no_data, points=False)
    pairs = zip(_across(len(values), size), values, strict=True)
    runs = [[*run] for there, run in groupby(pairs, key=lambda pair: pair[1] is not None) if there]
    placed = [
        [(x, _height(value, min(drawn), max(drawn), size)) for x, value in run if value is not None] for run in runs
    ]
    data = "".join(path(run) for run in placed if len(run) > 1)
    ends = [placed[-1][-1], *(run[0] for run in placed[:-1] if len(run) == 1)]
    return frame(
        "chart-spark",
        prefix,
        size,
        line.title,
        line.description or words.between.format(low=exact_number(drawn[0]), high=exact_number(drawn[-1])),
        mark("path", "chart-line", {"d": data, "stroke-width": 1.5}) if data else "",
        group("chart-dot", {}, *(element("circle", {"cx": x, "cy": y, "r": 2}) for x, y in ends)),
        points=False,
    )


def _across(count: int, size: ChartSize) -> list[float]:
    if count == 1:
        return [size.width / 2]
    return [_EDGE + (size.width - 2 * _EDGE) * index / (count - 1) for index in range(count)]


def _height(value: float, low: float, high: float, size: ChartSize) -> float:
    """Return the vertical place of a value. Equal values are in the middle, zeros at the bottom."""
    part = (value / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.5 if high else 0.0
    return size.height - _EDGE - part * (size.height - 2 * _EDGE)
