"""A histogram of times in logarithmic buckets (docs/spec/console.md#charts)."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from trackyard.console.charts.axes import LABEL_BASE, PlotArea, kept_labels, plot_area, value_grid
from trackyard.console.charts.numbers import Value, exact_number, plain, short_number
from trackyard.console.charts.points import point_data
from trackyard.console.charts.svg import WIDE, ChartSize, element, empty_chart, frame, group, isolate
from trackyard.console.charts.tables import ChartTable
from trackyard.console.charts.words import ENGLISH, ChartWords
from trackyard.domain.statistics.health import TIME_BOUNDS

MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class TimeBucket:
    """How many times are at least `low` and below `high` seconds; `high` is None for the last bucket."""

    low: int
    high: int | None
    count: Value
    text: str = ""

    @property
    def count_text(self) -> str:
        """The count as people read it; empty for a gap."""
        return "" if plain(self.count) is None else self.text or exact_number(self.count)

    def name(self, words: ChartWords = ENGLISH) -> str:
        """Return the bucket in words: "3 min to 10 min"."""
        if self.high is None:
            return words.over.format(time=duration_text(self.low, words))
        if not self.low:
            return words.under.format(time=duration_text(self.high, words))
        return words.between.format(low=duration_text(self.low, words), high=duration_text(self.high, words))


@dataclass(frozen=True, slots=True)
class HistogramChart:
    """Counts in buckets that follow one another, such as times from click to conversion.

    description: a sentence; "" = a sentence about the fullest bucket.
    """

    title: str
    buckets: tuple[TimeBucket, ...]
    description: str = ""

    def share_text(self, bucket: TimeBucket, words: ChartWords) -> str:
        """Return the share of all counts that is in a bucket; empty where there is none."""
        counts = [value for each in self.buckets if (value := plain(each.count)) is not None]
        count = plain(bucket.count)
        if count is None or not sum(counts):
            return ""
        return words.percent.format(number=short_number(count / sum(counts) * 100))

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values as texts."""
        rows = tuple((each.name(words), each.count_text, self.share_text(each, words) or "–") for each in self.buckets)
        return ChartTable(self.title, (words.time, words.number, words.share), rows)


def time_buckets(seconds: Iterable[float], bounds: tuple[int, ...] = TIME_BOUNDS) -> tuple[TimeBucket, ...]:
    """Count times, in seconds, in buckets between ascending bounds.

    Negative times are in the first bucket.
    """
    counts = [0] * (len(bounds) + 1)
    for time in seconds:
        counts[bisect_right(bounds, time)] += 1
    edges = zip((0, *bounds), (*bounds, None), counts, strict=True)
    return tuple(TimeBucket(low, high, count) for low, high, count in edges)


def duration_text(seconds: int, words: ChartWords = ENGLISH) -> str:
    """Return a time in the largest unit that measures it without a rest: "30 s", "10 min", "8 h", "7 d"."""
    units = zip((DAY, HOUR, MINUTE, 1), reversed(words.durations), strict=True)
    size, form = next(pair for pair in units if (seconds >= pair[0] and seconds % pair[0] == 0) or pair[0] == 1)
    return form.format(number=seconds // size)


def histogram_chart(chart: HistogramChart, prefix: str, size: ChartSize = WIDE, words: ChartWords = ENGLISH) -> Markup:
    """Draw a histogram: buckets of equal width, their bounds below the edges. Ids begin with the prefix."""
    counts = [plain(each.count) for each in chart.buckets]
    if all(count is None for count in counts):
        return empty_chart("chart-histogram", prefix, size, chart.title, words.no_data)
    area = plot_area([each.count for each in chart.buckets], size)
    lefts = area.bands(len(chart.buckets))
    width = area.width / len(chart.buckets)
    columns = []
    for left, count in zip(lefts, counts, strict=True):
        if count:
            upper, lower = sorted((area.y(count), area.y(0)))
            columns.append(element("rect", {"x": left + 1, "y": upper, "width": width - 2, "height": lower - upper}))
    return frame(
        "chart-histogram",
        prefix,
        size,
        chart.title,
        chart.description or _fullest(chart, words),
        value_grid(area),
        group("chart-solid", {}, *columns),
        _bounds(chart, lefts, width, size, words),
        _hit_areas(chart, lefts, area, words),
    )


def _bounds(chart: HistogramChart, lefts: list[float], width: float, size: ChartSize, words: ChartWords) -> Markup:
    """Return the bounds that fit, each below the edge between its buckets."""
    labels = [duration_text(each.low, words) for each in chart.buckets][1:]
    kept = kept_labels(labels, width, size)
    texts = (element("text", {"x": lefts[index + 1], "y": size.height - LABEL_BASE}, labels[index]) for index in kept)
    return group("chart-label", {"text-anchor": "middle"}, *texts)


def _fullest(chart: HistogramChart, words: ChartWords) -> str:
    bucket = max(chart.buckets, key=lambda each: plain(each.count) or 0)
    return words.most_at.format(most=isolate(bucket.count_text), label=isolate(bucket.name(words)))


def _hit_areas(chart: HistogramChart, lefts: list[float], area: PlotArea, words: ChartWords) -> Markup:
    width = area.width / len(lefts)
    hits = []
    for left, bucket in zip(lefts, chart.buckets, strict=True):
        text, share = bucket.count_text or words.gap, chart.share_text(bucket, words)
        data = point_data(bucket.name(words), text, detail=share, at=(left + width / 2, None))
        hits.append(element("rect", {**data, "x": left, "y": area.top, "width": width, "height": area.height}))
    return group("chart-points", {}, *hits)
