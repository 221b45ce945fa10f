"""What one object did in a period: figures with their change, and a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.charts.changes import change_text
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import BY_NAME, Figures, text_of, value_of
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest

CHOSEN: Final = ("clicks", "conversions", "cr", "charge", "payout", "margin")


@dataclass(frozen=True, slots=True)
class FigureTile:
    """A figure of the period with its change. name: the value of `show` in the address."""

    name: str
    label: str
    text: str
    change: str
    tone: str


def find_results(request: PageRequest, filters: Sequence[Pair], usual: str = "30d") -> dict[str, Any]:
    """Return the figures of a period with their chart.

    Without the right to statistics there are no tiles. filters: of the object. usual: the period of an address
    without one.
    """
    address = request.address
    if not address.get("period") and not address.get("from"):
        address = address.set("period", usual)
    period, fault = read_period(address, request.deps.clock.now_ms(), request.day_zone)
    result: dict[str, Any] = {"period": period, "periods": CHOICES, "fault": fault, "tiles": [], "chart": ""}
    if not request.calls.may("stats.custom"):
        return result
    show = request.address.get("show")
    result["chosen"] = chosen = BY_NAME[show if show in CHOSEN else "clicks"]
    try:
        days, days_before = figures.by_day_of_both(request.calls, period, period.before, filters)
        compared, before = figures.up_to_now(request.calls, period, days, period.before, days_before, filters)
    except RequestError as refusal:
        return result | {"fault": gettext("The figures cannot be read now. %(text)s.", text=refusal.text)}
    result["tiles"] = _tiles(figures.total(days.values()), compared, before, request.deps.currency)
    now, earlier = _each(period, days), _each(period.before, days_before)
    return result | {"chart": figure_chart(chosen, period, now, earlier, request.deps.currency)}


def _each(period: DayPeriod, days: dict[date, Figures]) -> list[Figures]:
    return [days.get(day, Figures()) for day in period.each_day()]


def _tiles(now: Figures, compared: Figures, before: Figures, currency: str) -> Sequence[FigureTile]:
    tiles = []
    for kind in (BY_NAME[name] for name in CHOSEN):
        value, latest, earlier = (value_of(kind, of) for of in (now, compared, before))
        points = kind.unit == "share"
        change, tone = change_text(_percent(latest, points), _percent(earlier, points), kind.direction, points=points)
        tiles.append(FigureTile(kind.name, kind.label, text_of(kind, value, currency), change, tone))
    return tiles


def _percent(value: Decimal | int | None, is_share: bool) -> Decimal | int | None:
    return value * 100 if is_share and value is not None else value
