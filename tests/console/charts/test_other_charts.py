"""Heat maps, funnels, histograms, sparklines and bars in cells (docs/spec/console.md#charts)."""

import itertools

import pytest

from tests.console.charts.pictures import SVG, attributes, marks, parsed, texts
from trackyard.console.charts import (
    NARROW,
    CellBar,
    ChartWords,
    FunnelChart,
    FunnelStep,
    HeatMap,
    HistogramChart,
    Sparkline,
    TimeBucket,
    cell_bar,
    funnel_chart,
    heat_map,
    histogram_chart,
    sparkline,
    time_buckets,
)
from trackyard.console.charts.heat_maps import LEVELS, level
from trackyard.console.charts.histograms import duration_text
from trackyard.console.charts.numbers import Value
from trackyard.domain.statistics.health import TIME_BOUNDS

WEEK = tuple(tuple(day * 24 + hour for hour in range(24)) for day in range(7))


def test_heat_map_has_a_cell_for_each_hour_of_the_week() -> None:
    cells = marks(heat_map(HeatMap("Clicks", WEEK), "c"), "chart-point")
    found = {cell.attrib["data-label"]: cell.attrib["data-value"] for cell in cells}
    assert len(cells) == len(found) == 168
    assert [found["Mon 00:00"], found["Tue 01:00"], found["Sun 23:00"]] == ["0", "25", "167"]
    places = {cell.attrib["data-label"]: attributes(cell, "x", "y") for cell in cells}
    assert places["Mon 00:00"][0] == places["Sun 00:00"][0] < places["Mon 01:00"][0]
    assert places["Mon 00:00"][1] == places["Mon 23:00"][1] < places["Tue 00:00"][1]


@pytest.mark.parametrize(
    ("value", "largest", "reached"),
    [(0, 100, 0), (1, 100, 1), (19, 100, 1), (50, 100, 3), (100, 100, 5), (-100, 100, 5)],
)
def test_heat_level_grows_with_the_share_of_the_largest(value: float, largest: float, reached: int) -> None:
    assert level(value, largest) == reached
    assert level(0, 0) == 0


def test_heat_map_of_negative_values_marks_them_with_a_minus() -> None:
    chart = HeatMap("Margin", ((-9, -1, 9, 0, None),), rows=("Mon",), columns=tuple("abcde"), prefix="$")
    drawn = heat_map(chart, "c")
    assert [mark.attrib["d"].count("h6") for mark in marks(drawn, "chart-minus")] == [1]
    assert [mark.attrib["d"].count("h6") for mark in marks(drawn, "chart-minus-light")] == [1]
    cells = marks(drawn, "chart-point")
    classes = [cell.attrib["class"].removeprefix("chart-point ") for cell in cells]
    assert classes == ["chart-negative", "chart-negative", "chart-solid", "chart-well", "chart-grid"]
    assert [cell.get("data-value") for cell in cells] == ["−$9", "−$1", "$9", "$0", "no data"]
    assert [cell.get("fill-opacity") for cell in cells] == ["1", "0.14", "1", None, None]
    assert {"−$9", "$9"} <= {*texts(drawn)}


def test_heat_map_legend_shows_every_level() -> None:
    drawn = heat_map(HeatMap("Clicks", WEEK, suffix=" %"), "c")
    legend = [rect for rect in parsed(drawn).iter(f"{SVG}rect") if rect.get("data-label") is None]
    assert len(legend) == len(LEVELS) + 1
    assert texts(drawn)[-2:] == ["0 %", "167 %"]


@pytest.mark.parametrize("values", [(), ((1,),), ((1, 2), (3,))])
def test_heat_map_of_another_shape_is_refused(values: tuple[tuple[Value, ...], ...]) -> None:
    with pytest.raises(ValueError, match="2 rows of 2 values"):
        HeatMap("Clicks", values, rows=("Mon", "Tue"), columns=("1", "2"))
    with pytest.raises(ValueError, match="2 rows of 2 values"):
        HeatMap("Clicks", ((1, 2), (3, 4)), rows=("Mon", "Tue"), columns=("1", "2"), texts=(("1",),))


FUNNEL = FunnelChart(
    "Clicks to payment",
    (FunnelStep("Clicks", 2000), FunnelStep("Conversions", 50), FunnelStep("Confirmed", 40, "40 confirmed")),
)


def test_funnel_bars_are_shares_of_the_longest() -> None:
    drawn = funnel_chart(FUNNEL, "c")
    wells, bars = marks(drawn, "chart-well"), marks(drawn, "chart-solid")
    full = float(wells[0].attrib["width"])
    assert [float(bar.attrib["width"]) for bar in bars] == pytest.approx([full, full / 40, full / 50], abs=0.01)
    assert [bar.get("x") for bar in bars] == [well.get("x") for well in wells]


def test_funnel_shares_are_those_of_the_step_before() -> None:
    _, conversions, confirmed = marks(funnel_chart(FUNNEL, "c"), "chart-point")
    assert conversions.get("data-detail") == "2.5 % of \u2068Clicks\u2069"
    assert confirmed.get("data-detail") == "80 % of \u2068Conversions\u2069"
    assert confirmed.get("data-value") == "40 confirmed"


@pytest.mark.parametrize("size", [NARROW, None])
def test_funnel_is_as_high_as_its_steps_need(size: object) -> None:
    sized = {"size": NARROW} if size else {}
    heights = [
        float(parsed(funnel_chart(FunnelChart("F", FUNNEL.steps[:count]), "c", **sized)).attrib["height"])
        for count in (1, 2, 3)
    ]
    assert heights[1:] == [heights[0] * 2, heights[0] * 3]


def test_funnel_with_gaps_and_zeros_shows_no_shares() -> None:
    steps = (FunnelStep("Clicks", 0), FunnelStep("Conversions", None), FunnelStep("Confirmed", 3))
    drawn = funnel_chart(FunnelChart("F", steps), "c", NARROW)
    assert [point.get("data-value") for point in marks(drawn, "chart-point")] == ["0", "no data", "3"]
    assert "%" not in drawn and len(marks(drawn, "chart-solid")) == 1


def test_funnel_share_stays_inside_its_wells_when_a_later_step_is_larger() -> None:
    drawn = funnel_chart(FunnelChart("F", (FunnelStep("Clicks", 10), FunnelStep("Conversions", 25))), "c")
    well = float(marks(drawn, "chart-well")[0].attrib["width"])
    assert [float(bar.attrib["width"]) for bar in marks(drawn, "chart-solid")] == pytest.approx([well * 0.4, well])


def test_time_buckets_count_every_time_once() -> None:
    counted = time_buckets([0, 0.5, 1, 59.9, 60, 61, 10**9, -3])
    found = {bucket.name(): bucket.count for bucket in counted if bucket.count}
    assert found == {"under 1 s": 3, "1 s to 3 s": 1, "30 s to 1 min": 1, "1 min to 3 min": 2, "over 30 d": 1}
    assert [bucket.low for bucket in counted] == [0, *TIME_BOUNDS]
    assert [bucket.high for bucket in counted] == [*TIME_BOUNDS, None]


def test_time_bounds_grow_by_similar_factors() -> None:
    assert all(2 <= after / before <= 4.5 for before, after in itertools.pairwise(TIME_BOUNDS))


def test_histogram_columns_are_as_high_as_their_counts() -> None:
    chart = HistogramChart("Time to action", (TimeBucket(0, 1, 25), TimeBucket(1, 3, 0), TimeBucket(3, None, 75)))
    drawn = histogram_chart(chart, "c")
    first, last = (attributes(column, "x", "y", "height") for column in marks(drawn, "chart-solid", "rect"))
    assert last[2] == pytest.approx(first[2] * 3, abs=0.02) and first[0] < last[0]
    points = marks(drawn, "chart-point")
    assert [point.get("data-detail") for point in points] == ["25 %", "0 %", "75 %"]
    assert [text for text in texts(drawn) if text.endswith(" s")] == ["1 s", "3 s"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (30, "30 s"), (90, "90 s"), (600, "10 min"), (3600, "1 h"), (28800, "8 h"), (604800, "7 d")],
)
def test_duration_text_uses_the_largest_unit_without_a_rest(seconds: int, text: str) -> None:
    assert duration_text(seconds) == text


def test_duration_words_are_those_of_the_language() -> None:
    words = ChartWords(durations=("{number} с", "{number} мин", "{number} ч", "{number} д"), over="больше {time}")
    assert TimeBucket(86400, None, 1).name(words) == "больше 1 д"
    assert duration_text(60, words) == "1 мин"


def path_of(values: tuple[Value, ...]) -> list[list[float]]:
    (path,) = marks(sparkline(Sparkline("Clicks", values), "c"), "chart-line")
    return [[float(number) for number in place.split()] for place in path.attrib["d"].lstrip("M").split("L")]


def test_sparkline_goes_from_edge_to_edge() -> None:
    assert path_of((0, 5, 10)) == [[3, 21], [48, 12], [93, 3]]


def test_sparkline_of_equal_values_is_flat() -> None:
    assert {y for _, y in path_of((7, 7, 7))} == {12}
    assert {y for _, y in path_of((0, 0, 0))} == {21}


def test_sparkline_ends_in_a_dot_and_marks_lone_values() -> None:
    drawn = sparkline(Sparkline("Clicks", (1, None, 2, 3, None)), "c")
    dots = [attributes(dot, "cx", "cy") for dot in marks(drawn, "chart-dot", "circle")]
    assert dots == [[70.5, 3], [3, 21]]
    assert not marks(sparkline(Sparkline("Clicks", ()), "c"), "chart-dot")
    assert len(marks(sparkline(Sparkline("Clicks", (5,)), "c"), "chart-dot", "circle")) == 1


@pytest.mark.parametrize(
    ("share", "width", "css_class"),
    [
        (0.382, "38.2%", "chart-bar"),
        (1, "100%", "chart-bar"),
        (3, "100%", "chart-bar"),
        (-0.3, "30%", "chart-bar-negative"),
    ],
)
def test_cell_bar_is_as_wide_as_its_share(share: float, width: str, css_class: str) -> None:
    (bar,) = marks(cell_bar(CellBar(share)), css_class)
    assert bar.get("width") == width


@pytest.mark.parametrize("share", [0, None, float("nan")])
def test_cell_bar_without_a_share_is_empty(share: float | None) -> None:
    assert not marks(cell_bar(CellBar(share)), "chart-bar")


def test_cell_bar_without_a_title_is_decoration() -> None:
    bar = parsed(cell_bar(CellBar(0.5)))
    assert bar.get("aria-hidden") == "true" and bar.get("role") is None and bar.find(f"{SVG}title") is None
