"""A funnel: how many of the first step reach each further one (docs/spec/console.md#charts)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from markupsafe import Markup

from trackyard.console.charts.numbers import Value, exact_number, plain, short_number
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
)
from trackyard.console.charts.tables import ChartTable
from trackyard.console.charts.words import ENGLISH, ChartWords

_ROW_WIDE, _ROW_NARROW, _BAR_NARROW = 40, 44, 14
_LEAST_BAR = 2.0
_PARTS: Final = (0.19, 0.4, 0.13)
"""Parts of the width that names, bars and numbers take; shares take the rest."""


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """A step and how many reached it. text: the number as people read it; without it the exact number."""

    name: str
    value: Value
    text: str = ""

    @property
    def value_text(self) -> str:
        """The number as people read it; empty for a gap."""
        return "" if plain(self.value) is None else self.text or exact_number(self.value)


@dataclass(frozen=True, slots=True)
class FunnelChart:
    """Steps in order, such as clicks, conversions, confirmed conversions.

    description: a sentence; "" = a sentence about the share of the first step that reached the last.
    """

    title: str
    steps: tuple[FunnelStep, ...]
    description: str = ""

    def share_text(self, index: int, words: ChartWords) -> str:
        """Return the share of the step before that reached a step, in words; empty where there is none."""
        if not index:
            return ""
        share = _share(self.steps[index].value, self.steps[index - 1].value, words)
        return share and words.share_of.format(share=share, name=isolate(self.steps[index - 1].name))

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values as texts."""
        rows = tuple(
            (step.name, step.value_text, self.share_text(index, words) or "–") for index, step in enumerate(self.steps)
        )
        return ChartTable(self.title, (words.step, words.number, words.share), rows)


def funnel_chart(chart: FunnelChart, prefix: str, size: ChartSize = WIDE, words: ChartWords = ENGLISH) -> Markup:
    """Draw a funnel, as high as its steps need. Ids begin with the prefix."""
    values = [plain(step.value) for step in chart.steps]
    if all(value is None for value in values):
        return empty_chart("chart-funnel", prefix, size, chart.title, words.no_data)
    row = _ROW_NARROW if size.narrow else _ROW_WIDE
    size = replace(size, height=row * len(values))
    largest = max((abs(value) for value in values if value is not None), default=0)
    rows = _narrow_rows if size.narrow else _wide_rows
    return frame(
        "chart-funnel",
        prefix,
        size,
        chart.title,
        chart.description or _whole_way(chart, words),
        *rows(chart, [_part(value, largest) for value in values], size, words),
        group("chart-points", {}, *_hit_areas(chart, size, row, words)),
    )


def _share(value: Value, whole: Value, words: ChartWords) -> str:
    part, all_of_it = plain(value), plain(whole)
    if part is None or not all_of_it:
        return ""
    return words.percent.format(number=short_number(part / all_of_it * 100))


def _part(value: float | None, largest: float) -> float | None:
    """Return the length of a bar as a part of the longest, or None for a gap."""
    return None if value is None else abs(value) / largest if largest else 0.0


def _whole_way(chart: FunnelChart, words: ChartWords) -> str:
    first, last = chart.steps[0], chart.steps[-1]
    share = _share(last.value, first.value, words)
    name = isolate(last.name)
    return f"{name}: {words.share_of.format(share=share, name=isolate(first.name))}" if share else name


def _bar(x: float, y: float, width: float, height: float, part: float | None) -> Markup:
    """Return the bar of a step inside its well; a gap has the well only."""
    well = mark("rect", "chart-well", {"x": x, "y": y, "width": width, "height": height, "rx": 2})
    if not part:
        return well
    long = max(_LEAST_BAR, part * width)
    return well + mark("rect", "chart-solid", {"x": x, "y": y, "width": long, "height": height, "rx": 2})


def _wide_rows(chart: FunnelChart, parts: list[float | None], size: ChartSize, words: ChartWords) -> Iterator[Markup]:
    """Yield one line a step: its name, its bar, its number and its share."""
    left, bar, number = (part * size.width for part in _PARTS)
    numbers_end = left + bar + number
    for index, (step, part) in enumerate(zip(chart.steps, parts, strict=True)):
        y = index * _ROW_WIDE + _ROW_WIDE / 2
        base: Attributes = {"y": y, "dy": "0.35em"}
        yield mark("text", "chart-value", {**base, "x": 0}, fitting(step.name, left - 12, size.room))
        yield _bar(left, y - 12, bar, 24, part)
        text = fitting(step.value_text or words.gap, number - 12, size.room)
        yield mark("text", "chart-value", {**base, "x": numbers_end, "text-anchor": "end"}, text)
        if share := fitting(chart.share_text(index, words), size.width - numbers_end - 12, size.room):
            yield mark("text", "chart-label", {**base, "x": numbers_end + 12}, share)


def _narrow_rows(chart: FunnelChart, parts: list[float | None], size: ChartSize, words: ChartWords) -> Iterator[Markup]:
    """Yield two lines a step: its name, number and share above its bar."""
    for index, (step, part) in enumerate(zip(chart.steps, parts, strict=True)):
        y = index * _ROW_NARROW + 16
        share = _share(step.value, chart.steps[index - 1].value, words) if index else ""
        number = " · ".join(filter(None, (share, step.value_text or str(words.gap))))
        yield mark("text", "chart-value", {"x": 0, "y": y}, fitting(step.name, size.width * 0.5, size.room))
        ends: Attributes = {"x": size.width, "y": y, "text-anchor": "end"}
        yield mark("text", "chart-value", ends, fitting(number, size.width * 0.48, size.room))
        yield _bar(0, y + 7, size.width, _BAR_NARROW, part)


def _hit_areas(chart: FunnelChart, size: ChartSize, row: int, words: ChartWords) -> Iterator[Markup]:
    for index, step in enumerate(chart.steps):
        share = chart.share_text(index, words)
        data = point_data(step.name, step.value_text or words.gap, detail=share)
        yield element("rect", {**data, "x": 0, "y": index * row, "width": size.width, "height": row})
