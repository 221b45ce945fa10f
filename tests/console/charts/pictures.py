"""Charts of each kind with values that tests give, and the parsed picture."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from trackyard.console.charts import (
    CellBar,
    ColumnChart,
    ColumnSeries,
    FunnelChart,
    FunnelStep,
    HeatMap,
    HistogramChart,
    LineChart,
    LinePoint,
    Sparkline,
    TimeBucket,
    cell_bar,
    column_chart,
    funnel_chart,
    heat_map,
    histogram_chart,
    line_chart,
    sparkline,
)
from trackyard.console.charts.numbers import Value

SVG = "{http://www.w3.org/2000/svg}"


def parsed(markup: Markup) -> ElementTree.Element:
    """Parse markup as XML, which is stricter than HTML."""
    return ElementTree.fromstring(markup.encode("utf-8"))


def marks(markup: Markup, css_class: str, name: str = "*") -> list[ElementTree.Element]:
    """Return the elements of a class, and those inside a group of the class."""
    found = []
    for element in parsed(markup).iter():
        if css_class in (element.get("class") or "").split():
            found += [*element.iter(f"{SVG}{name}")] if element.tag == f"{SVG}g" else [element]
    return [element for element in found if name == "*" or element.tag == f"{SVG}{name}"]


def texts(markup: Markup) -> list[str]:
    """Return the texts that a picture shows."""
    return [element.text or "" for element in parsed(markup).iter(f"{SVG}text")]


def attributes(element: ElementTree.Element, *names: str) -> list[float]:
    """Return attributes of an element as numbers."""
    return [float(element.attrib[name]) for name in names]


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart: how it is drawn, and how it is made of a label and four values."""

    draw: Callable[..., Markup]
    make: Callable[[str, list[Value]], Any]


def _line(label: str, values: list[Value]) -> LineChart:
    points = tuple(LinePoint(label, value, value, name=label, change=label) for value in values)
    return LineChart(label, points, before_name=label, prefix=label[:3], suffix=label[:3])


def _columns(label: str, values: list[Value]) -> ColumnChart:
    return ColumnChart(label, (label,) * len(values), (ColumnSeries(label, tuple(values), "pending"),) * 2)


def _heat(label: str, values: list[Value]) -> HeatMap:
    return HeatMap(label, (tuple(values),) * 2, rows=(label, label), columns=(label,) * len(values))


def _funnel(label: str, values: list[Value]) -> FunnelChart:
    return FunnelChart(label, tuple(FunnelStep(label, value) for value in values))


def _histogram(label: str, values: list[Value]) -> HistogramChart:
    buckets = (TimeBucket(index, index + 1, value, label) for index, value in enumerate(values))
    return HistogramChart(label, tuple(buckets))


def _bar(label: str, values: list[Value]) -> CellBar:
    return CellBar(values[0] if values else None, label, label)


KINDS = {
    "line": ChartKind(line_chart, _line),
    "columns": ChartKind(column_chart, _columns),
    "heat map": ChartKind(heat_map, _heat),
    "funnel": ChartKind(funnel_chart, _funnel),
    "histogram": ChartKind(histogram_chart, _histogram),
    "sparkline": ChartKind(sparkline, lambda label, values: Sparkline(label, tuple(values))),
    "bar": ChartKind(cell_bar, _bar),
}
SIZED = {name: kind for name, kind in KINDS.items() if name not in ("bar", "sparkline")}
