"""What one object did in a period: figures with their change, and a chart."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, Final

from trackyard.base.errors import RequestCancelled, RequestError
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import BY_NAME, Figures, change_of, text_of, value_of
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.late.refused import refused_part, shorter_periods
from trackyard.console.late.together import ask_together

CHOSEN: Final = ("clicks", "conversions", "cr", "charge", "payout", "margin")


@dataclass(frozen=True, slots=True)
class FigureTile:
    """A figure of the period with its change. name: the value of `show` in the address."""

    name: str
    label: str
    text: str
    change: str
    tone: str


def late_results(
    request: PageRequest, filters: Sequence[Pair], usual: str = "30d", lists: Iterable[tuple[str, str]] = ()
) -> Callable[[], Html] | None:
    """Return what makes the card with the figures of a period and their chart.

    It is None without the right to statistics.
    filters: of the object. usual: the period of an address without one. lists: paths of lists of the object, with
    their filters, and how links to them are called; those that the person may not open are left out.
    """
    if not request.calls.may("stats.custom"):
        return None
    address = request.address
    if not address.get("period") and not address.get("from"):
        address = address.set("period", usual)
    period, fault = read_period(address, request.deps.clock.now_ms(), request.day_zone)
    opened = [
        (f"{path}&from={period.first}&to={period.last}", label)
        for path, label in lists
        if request.may_open(path.partition("?")[0])
    ]
    values = {"address": request.address, "period": period, "periods": CHOICES, "fault": fault, "lists": opened}
    return lambda: _card(request, period, filters, values)


def _card(request: PageRequest, period: DayPeriod, filters: Sequence[Pair], values: dict[str, Any]) -> Html:
    """Return the card; where the figures cannot be read, it says why, and the page around it is as ever."""
    show = request.address.get("show")
    chosen = BY_NAME[show if show in CHOSEN else "clicks"]
    try:
        (days, days_before), *lates = ask_together(
            request.calls,
            lambda calls: figures.by_day_of_both(calls, period, period.before, filters),
            *(
                partial(figures.late_hours, day=day, period=period, filters=filters)
                for day in figures.unfinished_days(period, period.before)
            ),
        )
        compared, before = figures.without_late_hours(period, days, period.before, days_before, lates)
    except RequestCancelled:
        raise
    except RequestError as refusal:
        part = refused_part(refusal, request.address, shorter_periods(request.address, period))
        return replace(part, status=200)
    days_before = figures.days_up_to_now(period, period.before, days_before, before)
    now, earlier = _each(period, days), _each(period.before, days_before)
    currency = request.deps.currency
    more = {
        "chosen": chosen,
        "tiles": _tiles(figures.total(days.values()), compared, before, currency),
        "chart": figure_chart(chosen, period, now, earlier, currency),
    }
    return Html("staff/results.html", values | more)


def _each(period: DayPeriod, days: Mapping[date, Figures]) -> list[Figures]:
    return [days.get(day, Figures()) for day in period.each_day()]


def _tiles(now: Figures, compared: Figures, before: Figures, currency: str) -> Sequence[FigureTile]:
    tiles = []
    for kind in (BY_NAME[name] for name in CHOSEN):
        change, tone = change_of(kind, compared, before)
        tiles.append(FigureTile(kind.name, kind.label, text_of(kind, value_of(kind, now), currency), change, tone))
    return tiles
