"""Lines over time (docs/spec/console.md#charts)."""

import itertools
from datetime import date, time
from decimal import Decimal

import pytest

from tests.console.charts.pictures import SVG, attributes, marks, parsed, texts
from trackyard.base.texts.languages import language, speaking
from trackyard.console.charts import (
    NARROW,
    WIDE,
    ChangeTone,
    ChartSize,
    ChartWords,
    LineChart,
    LinePoint,
    day_label,
    hour_label,
    line_chart,
    month_label,
)
from trackyard.console.charts.axes import kept_labels, plot_area
from trackyard.console.charts.numbers import Value


def line(*values: Value, before: tuple[Value, ...] = ()) -> LineChart:
    pairs = zip(values, before or (None,) * len(values), strict=True)
    points = (LinePoint(f"{day} Nov", value, old) for day, (value, old) in enumerate(pairs, 1))
    return LineChart("Clicks", tuple(points), before_name="Before" if before else "")


def places(data: str) -> list[list[tuple[float, float]]]:
    """Return the stretches of a path as places."""
    runs = [run.rstrip("Z").split("L") for run in data.split("M")[1:]]
    return [[(float(place.split()[0]), float(place.split()[1])) for place in run] for run in runs]


def test_line_of_three_values_is_at_their_places() -> None:
    chart = line(0, 50, 100)
    area = plot_area([0, 50, 100], WIDE)
    (path,) = marks(line_chart(chart, "c"), "chart-line")
    middle, centre = (area.left + area.right) / 2, (area.top + area.bottom) / 2
    (run,) = places(path.attrib["d"])
    expected = [(area.left, area.bottom), (middle, centre), (area.right, area.top)]
    assert run == [pytest.approx(place, abs=0.01) for place in expected]
    assert [tick for tick, _ in area.ticks] == [0, 50, 100]


def test_line_area_reaches_down_to_zero() -> None:
    (path,) = marks(line_chart(line(-100, 100), "c"), "chart-area")
    (grid_zero,) = marks(line_chart(line(-100, 100), "c"), "chart-zero")
    (run,) = places(path.attrib["d"])
    assert [y for _, y in run[2:]] == attributes(grid_zero, "y1", "y2")
    assert run[0][1] > run[2][1] > run[1][1]


def test_line_before_is_dashed_on_the_same_scale() -> None:
    drawn = line_chart(line(10, 20, before=(20, 10)), "c")
    (now,), (before,) = marks(drawn, "chart-line"), marks(drawn, "chart-before")
    assert before.get("stroke-dasharray")
    assert [y for _, y in places(now.attrib["d"])[0]] == [y for _, y in places(before.attrib["d"])[0]][::-1]


def test_line_before_without_a_name_is_left_out() -> None:
    points = (LinePoint("1 Nov", 1, 1000, change="↓ 99 %"), LinePoint("2 Nov", 2, 1000))
    drawn = line_chart(LineChart("Clicks", points), "c")
    assert not marks(drawn, "chart-before") and "data-before" not in drawn and "data-change" not in drawn
    assert "1k" not in texts(drawn)


def test_line_with_gaps_is_broken_there() -> None:
    drawn = line_chart(line(1, 2, None, 3, None, 4, 5), "c")
    (path,) = marks(drawn, "chart-line")
    assert [len(run) for run in places(path.attrib["d"])] == [2, 2]
    assert len(marks(drawn, "chart-dot", "circle")) == 1
    points = marks(drawn, "chart-point")
    assert [point.get("data-value") for point in points] == ["1", "2", "no data", "3", "no data", "4", "5"]
    assert [point.get("data-y") is None for point in points] == [False, False, True, False, True, False, False]


def test_line_of_a_single_point_is_a_dot_in_the_middle() -> None:
    drawn = line_chart(line(42), "c")
    (dot,) = marks(drawn, "chart-dot", "circle")
    (point,) = marks(drawn, "chart-point")
    assert attributes(dot, "cx", "cy") == attributes(point, "data-x", "data-y")
    area = plot_area([42], WIDE)
    assert attributes(point, "x", "width", "data-x") == pytest.approx(
        [area.left, area.width, area.left + area.width / 2], abs=0.01
    )
    assert not marks(drawn, "chart-line") and "1 Nov" in texts(drawn)


@pytest.mark.parametrize("values", [(), (None, None), (float("nan"),)])
def test_line_without_values_says_that_there_is_no_data(values: tuple[Value, ...]) -> None:
    drawn = line_chart(line(*values), "c", NARROW, ChartWords(no_data="Sin datos"))
    assert texts(drawn) == ["Sin datos"]
    assert parsed(drawn).get("tabindex") is None


def test_line_of_zeros_is_at_the_bottom() -> None:
    drawn = line_chart(line(0, 0, 0), "c")
    (path,) = marks(drawn, "chart-line")
    bottom = round(plot_area([0], WIDE).bottom, 2)
    assert {y for run in places(path.attrib["d"]) for _, y in run} == {bottom}
    assert texts(drawn)[:2] == ["0", "1"]


@pytest.mark.parametrize("values", [(10**17, 10**18), (-1e299, 1e299), (Decimal("1e-200"), 0), (-5, -7)])
def test_line_of_extreme_values_stays_inside_the_picture(values: tuple[Value, ...]) -> None:
    for size in (WIDE, NARROW):
        (path,) = marks(line_chart(line(*values), "c", size), "chart-line")
        (run,) = places(path.attrib["d"])
        assert all(0 < x < size.width and 0 < y < size.height for x, y in run)
        assert len({y for _, y in run}) == 2


def test_line_points_carry_what_the_cross_hair_shows() -> None:
    point = LinePoint(
        "15 Nov",
        69_916,
        Decimal("58697"),
        name="Sunday 15 Nov",
        text="69,916 clicks",
        change="↑ 19 %",
        tone=ChangeTone.BETTER,
    )
    chart = LineChart("Clicks", (point, LinePoint("16 Nov", 1, 2)), before_name="3 weeks before")
    first, second = marks(line_chart(chart, "c"), "chart-point")
    shown = ("data-label", "data-value", "data-before", "data-change", "data-tone")
    assert [first.get(name) for name in shown] == ["Sunday 15 Nov", "69,916 clicks", "58,697", "↑ 19 %", "better"]
    assert [second.get(name) for name in shown] == ["16 Nov", "1", "2", None, None]


def test_line_hit_areas_cover_the_plot_without_gaps() -> None:
    points = marks(line_chart(line(*range(21)), "c"), "chart-point")
    edges = [attributes(point, "x", "width") for point in points]
    for (left, width), (following, _) in itertools.pairwise(edges):
        assert left + width == pytest.approx(following, abs=0.02)
    for point, (left, width) in zip(points, edges, strict=True):
        assert left - 0.01 <= float(point.attrib["data-x"]) <= left + width + 0.02


def test_line_axis_shows_round_ticks_with_their_unit() -> None:
    points = tuple(LinePoint("1 Nov", Decimal(value)) for value in (84_000, -30_000))
    drawn = line_chart(LineChart("Margin", points, prefix="$"), "c")
    assert texts(drawn)[:4] == ["−$50k", "$0", "$50k", "$100k"]
    assert [point.get("data-value") for point in marks(drawn, "chart-point")] == ["$84,000", "−$30,000"]


def test_line_description_names_the_extent() -> None:
    description = parsed(line_chart(line(5, 1412, 7), "c")).find(f"{SVG}desc")
    assert description is not None and description.text is not None
    said = description.text.replace("\u2068", "").replace("\u2069", "")
    assert said == "From 1 Nov to 3 Nov: lowest 5, highest 1,412."


@pytest.mark.parametrize("count", [1, 2, 7, 21, 24, 31, 90, 400])
@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_axis_labels_do_not_overlap_at_any_number(count: int, size: ChartSize) -> None:
    drawn = line_chart(line(*range(count)), "c", size)
    # The labels of days come after those of the axis of values.
    days = [text for text in parsed(drawn).iter(f"{SVG}text") if "Nov" in (text.text or "")]
    assert days and days[0].text == "1 Nov"
    ends = []
    for text in days:
        width = len(text.text or "") * 0.6 * size.text
        shift = {"start": 0.0, "end": width}.get(text.get("text-anchor", "middle"), width / 2)
        ends.append((float(text.attrib["x"]) - shift, float(text.attrib["x"]) - shift + width))
    assert all(left >= 0 and right <= size.width for left, right in ends)
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))


def test_axis_of_hours_keeps_steps_that_people_count() -> None:
    labels = [hour_label(hour) for hour in range(24)]
    assert kept_labels(labels, 36, WIDE, "hour").step == 2
    assert kept_labels(labels, 13, NARROW, "hour").step == 4
    assert kept_labels(["1 Nov"] * 90, 10, WIDE, "day").step == 7
    assert kept_labels(["1 Nov"] * 900, 1, WIDE, "day").step % 28 == 0
    assert kept_labels([], 1, WIDE) == range(0, 0, 1)


def test_axis_labels_of_times_are_short() -> None:
    assert day_label(date(2026, 11, 1)) == "1 Nov"
    with speaking(language("ru")):
        assert day_label(date(2026, 11, 1)) == "1 нояб."
    assert [hour_label(9), hour_label(time(14))] == ["09:00", "14:00"]
    assert month_label(date(2026, 1, 1)) == "Jan 2026"
