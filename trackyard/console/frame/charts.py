"""The chart of a figure over the days of a period."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from markupsafe import Markup

from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import gettext
from trackyard.console.charts.changes import change_text
from trackyard.console.charts.lines import LineChart, LinePoint, line_chart
from trackyard.console.charts.svg import chart_box, element
from trackyard.console.charts.tables import table_behind
from trackyard.console.frame import shown
from trackyard.console.frame.figures import figure_text, value_of
from trackyard.console.frame.periods import DayPeriod
from trackyard.domain.money.written_amounts import SIGNS
from trackyard.domain.statistics.metrics import Metric, MetricSums


def figure_chart(
    kind: Metric,
    period: DayPeriod,
    days: Sequence[MetricSums],
    before: Sequence[MetricSums | None],
    currency: str,
    before_name: str | None = None,
    *,
    selects: bool = True,
) -> Markup:
    """Return the chart of a figure for wide and narrow windows, and the table behind it.

    days, before: the figures of each day of the period, and of the period before.
    before_name: the name of the earlier period; None = the period just before, "" = no comparison.
    selects: whether the page shows days that are selected in the chart (`from` and `to` in its address).
    """
    points = tuple(
        _point(kind, period, day, now if day <= period.today else None, earlier, currency)
        for day, now, earlier in zip(period.each_day(), days, before, strict=True)
    )
    sign, sign_last = SIGNS.get(currency, "") if kind.is_money else "", spoken().form.sign_last
    chart = LineChart(
        title=kind.label,
        points=points,
        grain="day",
        before_name=period.before_text if before_name is None else before_name,
        prefix=sign if not sign_last else "",
        suffix=" %" if kind.unit == "share" else f"\N{NO-BREAK SPACE}{sign}" if sign and sign_last else "",
    )
    drawn = chart_box(line_chart, chart, "chart")
    hint = gettext("Drag over days to see them alone; with keys: Shift and arrows, then Enter.")
    notes = {"data-span": hint if selects else None, "data-before-name": chart.before_name or None}
    return element("div", notes, drawn) + table_behind(chart)


def _point(
    kind: Metric, period: DayPeriod, day: date, now: MetricSums | None, before: MetricSums | None, currency: str
) -> LinePoint:
    """Return the point of a day: a gap before the day begins, without a change before it is over."""
    value, earlier = _plotted(kind, now), _plotted(kind, before)
    change, tone = change_text(
        value if day < period.today else None, earlier, kind.direction, points=kind.unit == "share"
    )
    return LinePoint(
        label=shown.day(day),
        value=value,
        before=earlier,
        name=f"{spoken().form.long_weekdays[day.weekday()]} {shown.day(day)}",
        text=_text(kind, now, currency),
        before_text=_text(kind, before, currency),
        change=change,
        tone=tone,
        day=day.isoformat(),
    )


def _text(kind: Metric, of: MetricSums | None, currency: str) -> str:
    return "" if of is None else figure_text(kind, of, currency)


def _plotted(kind: Metric, of: MetricSums | None) -> Decimal | int | None:
    """Return the value on the axis: shares are in percent there."""
    value = None if of is None else value_of(kind, of)
    return value * 100 if kind.unit == "share" and value is not None else value
