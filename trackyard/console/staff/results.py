"""What one object did in a period: figures with their change, and a chart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final
from urllib.parse import urlencode

from trackyard.api.statistics import reports
from trackyard.base.errors import RequestCancelled, RequestError
from trackyard.console.deferred.refused import refused_part, shorter_periods
from trackyard.console.deferred.together import ask_together
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import apart_text, change_up_to, figure_text
from trackyard.console.frame.periods import CHOICES, DayPeriod, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.currencies import CurrencyChoice, read_currency
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, MetricSums

CHOSEN: Final = ("clicks", "conversions", "cr", "charge", "payout", "margin")


@dataclass(frozen=True, slots=True)
class FigureTile:
    """A figure of the period with its change. name: the value of `show` in the address."""

    name: str
    label: str
    text: str
    change: str
    tone: str


def with_results(
    request: PageRequest,
    page: Html,
    filters: Sequence[Pair],
    usual: str = "30d",
    lists: Iterable[tuple[str, str]] = (),
) -> Html:
    """Return a page with the card of its results.

    It has the figures of a period and their chart, in the currency of the address. Without the right to statistics the
    page has no card.
    filters: the object's filters. usual: the period of an address without one. lists: paths of the object's lists with
    their filters, and the texts of their links; lists that the person may not open are left out.
    """
    if not request.calls.may(reports.custom):
        return page
    address, money = request.address, read_currency(request)
    if not address.get("period") and not address.get("from"):
        address = address.set("period", usual)
    period, fault = read_period(address, request.deps.clock.now_ms(), request.day_zone)
    span = (("from", period.first), ("to", period.last))
    opened = [
        (f"{path}&{urlencode([*span, *request.zone_pairs])}{_currency_of(path, money)}", label)
        for path, label in lists
        if request.may_open(path.partition("?")[0])
    ]
    values = {
        "address": request.address,
        "period": period,
        "periods": CHOICES,
        "fault": " ".join(filter(None, (fault, money.fault))),
        "lists": opened,
        "currency": money.shown,
        "currencies": money.menu(request.address),
    }
    chosen = [*filters, *money.pairs]
    return replace(
        page,
        late=lambda: _card(request, period, chosen, values),
        values={**page.values, "currency": money.shown},
    )


def _currency_of(path: str, money: CurrencyChoice) -> str:
    """Return the end of a link that keeps the currency.

    Reports alone have it, as other lists filter by it.
    """
    return f"&currency={money.code}" if money.code and path.partition("?")[0] == "/console/reports" else ""


def _card(request: PageRequest, period: DayPeriod, filters: Sequence[Pair], values: dict[str, object]) -> Html:
    """Return the card; where the figures cannot be read, it shows the reason, and the page stays the same."""
    show = request.address.get("show")
    chosen = METRIC_BY_NAME[show if show in CHOSEN else "clicks"]
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
    currency = str(values["currency"])
    more = {
        "chosen": chosen,
        "tiles": _tiles(period, sums := figures.total(days.values()), compared, before, currency),
        "apart": apart_text((METRIC_BY_NAME[name] for name in CHOSEN), sums),
        "chart": figure_chart(chosen, period, now, earlier, currency),
    }
    return Html("staff/results.html", values | more)


def _each(period: DayPeriod, days: Mapping[date, MetricSums]) -> list[MetricSums]:
    return [days.get(day, MetricSums()) for day in period.each_day()]


def _tiles(
    period: DayPeriod, now: MetricSums, compared: MetricSums, before: MetricSums, currency: str
) -> Sequence[FigureTile]:
    tiles = []
    for kind in (METRIC_BY_NAME[name] for name in CHOSEN):
        change, tone = change_up_to(period, kind, now, compared, before)
        tiles.append(FigureTile(kind.name, kind.label, figure_text(kind, now, currency, short=True), change, tone))
    return tiles
