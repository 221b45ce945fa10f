"""Charts as SVG, with escaped texts and without I/O (docs/spec/console.md#charts)."""

from trackyard.console.charts.axes import day_label, hour_label, month_label
from trackyard.console.charts.bars import CellBar, cell_bar
from trackyard.console.charts.changes import ChangeTone, change_text
from trackyard.console.charts.columns import ColumnChart, ColumnSeries, column_chart
from trackyard.console.charts.funnels import FunnelChart, FunnelStep, funnel_chart
from trackyard.console.charts.heat_maps import HeatMap, heat_map
from trackyard.console.charts.histograms import HistogramChart, TimeBucket, histogram_chart, time_buckets
from trackyard.console.charts.lines import LineChart, LinePoint, line_chart
from trackyard.console.charts.numbers import exact_number, nice_ticks, short_number
from trackyard.console.charts.sparklines import Sparkline, sparkline
from trackyard.console.charts.svg import NARROW, WIDE, ChartSize, chart_box
from trackyard.console.charts.tables import ChartTable, table_behind
from trackyard.console.charts.words import ENGLISH, ChartWords
from trackyard.domain.statistics.metrics import MetricDirection

__all__ = [
    "ENGLISH",
    "NARROW",
    "WIDE",
    "CellBar",
    "ChangeTone",
    "ChartSize",
    "ChartTable",
    "ChartWords",
    "ColumnChart",
    "ColumnSeries",
    "FunnelChart",
    "FunnelStep",
    "HeatMap",
    "HistogramChart",
    "LineChart",
    "LinePoint",
    "MetricDirection",
    "Sparkline",
    "TimeBucket",
    "cell_bar",
    "change_text",
    "chart_box",
    "column_chart",
    "day_label",
    "exact_number",
    "funnel_chart",
    "heat_map",
    "histogram_chart",
    "hour_label",
    "line_chart",
    "month_label",
    "nice_ticks",
    "short_number",
    "sparkline",
    "table_behind",
    "time_buckets",
]
