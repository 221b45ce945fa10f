"""Stacked columns (docs/spec/console.md#charts)."""

from decimal import Decimal
from typing import get_args
from xml.etree import ElementTree

import pytest

from tests.console.charts.pictures import SVG, attributes, marks, parsed, texts
from trackyard.console.charts import NARROW, WIDE, ColumnChart, ColumnSeries, column_chart
from trackyard.console.charts.columns import SeriesTone
from trackyard.console.charts.numbers import Value


def chart(*series: tuple[Value, ...]) -> ColumnChart:
    labels = tuple(f"{day} Nov" for day in range(1, len(series[0]) + 1))
    made = (ColumnSeries(f"Series {number}", values) for number, values in enumerate(series))
    return ColumnChart("Conversions", labels, tuple(made))


def parts(drawn: ElementTree.Element) -> list[tuple[float, ...]]:
    """Return the parts of columns as x, y, width, height, without the swatches of the legend."""
    groups = [group for group in drawn.iter(f"{SVG}g") if group.get("class") == "chart-accent"]
    found = [tuple(attributes(rect, "x", "y", "width", "height")) for group in groups for rect in group]
    return [part for part in found if part[2:] != (10, 10)]


def zero_of(drawn: ElementTree.Element) -> float:
    """Return the vertical place of the tick 0."""
    (tick,) = (text for text in drawn.iter(f"{SVG}text") if text.text == "0")
    return float(tick.attrib["y"])


def test_columns_stack_upwards_from_zero() -> None:
    drawn = parsed(column_chart(chart((50, 100), (50, 0)), "c"))
    zero = zero_of(drawn)
    (x1, y1, width, height), (x2, y2, _, whole), (x3, y3, _, upper) = parts(drawn)
    assert x1 == x3 < x2 and width <= 48
    assert y1 + height == pytest.approx(zero, abs=0.02) and y2 + whole == pytest.approx(zero, abs=0.02)
    assert height == pytest.approx(whole / 2, abs=0.02)
    assert y3 == pytest.approx(y2, abs=0.02) and y3 + upper == pytest.approx(y1 - 1, abs=0.02)


def test_columns_of_negative_values_hang_below_zero() -> None:
    drawn = parsed(column_chart(chart((Decimal(-30),), (60,), (-30,)), "c"))
    zero = zero_of(drawn)
    (_, below, _, height), (_, above, _, positive), (_, lowest, _, _) = parts(drawn)
    assert below == pytest.approx(zero, abs=0.02) and above + positive == pytest.approx(zero, abs=0.02)
    assert lowest >= below + height
    assert len([line for line in drawn.iter(f"{SVG}line") if line.get("class") == "chart-zero"]) == 1


def test_columns_of_zeros_and_gaps_have_no_parts() -> None:
    drawn = column_chart(chart((0, None), (0, None)), "c")
    assert parts(parsed(drawn)) == []
    assert [point.get("data-value") for point in marks(drawn, "chart-point")] == ["0", "no data"]


def test_columns_without_values_say_that_there_is_no_data() -> None:
    assert texts(column_chart(chart((None, None)), "c")) == ["No data in this period"]
    assert texts(column_chart(ColumnChart("Conversions", (), ()), "c")) == ["No data in this period"]


def test_column_points_name_every_part() -> None:
    (first, _) = marks(column_chart(chart((1000, 2), (Decimal("0.5"), 3)), "c"), "chart-point")
    assert first.get("data-detail") == "Series 0 1,000 · Series 1 0.5"
    assert [first.get("data-label"), first.get("data-value")] == ["1 Nov", "1,000.5"]


def test_column_texts_have_the_unit_of_the_chart() -> None:
    series = (ColumnSeries("Own", (Decimal("-1.50"),)), ColumnSeries("Sold", (Decimal(4),), texts=("4 dollars",)))
    made = ColumnChart("Margin", ("1 Nov",), series, prefix="$")
    (point,) = marks(column_chart(made, "c"), "chart-point")
    assert [point.get("data-value"), point.get("data-detail")] == ["$2.50", "Own −$1.50 · Sold 4 dollars"]
    assert made.table().rows == (("1 Nov", "−$1.50", "4 dollars", "$2.50"),)


def test_column_total_adds_floats_to_other_numbers() -> None:
    made = chart((1, 2), (Decimal("0.5"), 0.25), (None, Decimal(1)))
    assert [made.total(0), made.total(1)] == [Decimal("1.5"), 3.25]


def test_column_series_of_statuses_have_a_pattern() -> None:
    tones = get_args(SeriesTone)
    made = ColumnChart("All", ("1 Nov",), tuple(ColumnSeries(tone, (5,), tone) for tone in tones))
    drawn = parsed(column_chart(made, "c"))
    patterns = {pattern.attrib["id"] for pattern in drawn.iter(f"{SVG}pattern")}
    assert patterns == {"c-pending", "c-hold", "c-declined"}
    filled = [group.get("fill", "") for group in drawn.iter(f"{SVG}g") if (group.get("fill") or "").startswith("url")]
    assert {fill.removeprefix("url(#").removesuffix(")") for fill in filled} == patterns


def test_column_legend_wraps_in_a_narrow_chart() -> None:
    made = ColumnChart("All", ("1",), tuple(ColumnSeries(f"Longer name {number}", (1,)) for number in range(5)))
    for size, rows in ((WIDE, 1), (NARROW, 3)):
        legend = [t for t in parsed(column_chart(made, "c", size)).iter(f"{SVG}text") if "name" in (t.text or "")]
        assert len({text.get("y") for text in legend}) == rows
        assert all(float(text.attrib["x"]) < size.width - 100 for text in legend)


@pytest.mark.parametrize(
    "series", [(ColumnSeries("a", (1, 2)),), (ColumnSeries("a", (1,), texts=("1", "2")),), (ColumnSeries("a", ()),)]
)
def test_column_series_of_another_length_is_refused(series: tuple[ColumnSeries, ...]) -> None:
    with pytest.raises(ValueError, match="one value for each of 1 labels"):
        ColumnChart("a", ("1 Nov",), series)
    with pytest.raises(ValueError, match="one text for each of 1 labels"):
        ColumnChart("a", ("1 Nov",), (), totals=("1", "2"))
