"""The first page of advertisers (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from markupsafe import Markup

from trackyard.api.people.advertiser_side import figures as figures_api
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.advertiser_portal.figures import METHOD, OwnFigures, by_day, days_of, total
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import figure_text
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.people.threads import unread_threads
from trackyard.console.portal.news import news_of_home
from trackyard.console.portal.words import STATUSES
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, Metric

pages = Pages()

DAYS: Final = 30
"""Days of the chart."""
LATEST: Final = 8
_SPANS: Final = (
    ("today", lazy_gettext("Today"), 1),
    ("7d", lazy_gettext("7 days"), 7),
    ("30d", lazy_gettext("30 days"), DAYS),
)
"""The columns of the table: the value of `period` in addresses, the heading, and the days."""
KINDS: Final[Mapping[str, Metric]] = {
    name: METRIC_BY_NAME[name] for name in ("confirmed_charge", "clicks", "conversions")
}
"""The figures of today, the chosen one of which is the chart's."""


@dataclass(frozen=True, slots=True)
class TodayTile:
    """A figure of today. name: the value of `show` in the address. detail: longer spans in words."""

    name: str
    label: str
    text: str
    detail: str


@dataclass(frozen=True, slots=True)
class StatusRow:
    """Conversions of a status, one number for each of the spans."""

    status: str
    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DueSum:
    """A sum of the charges of some conversions of this month.

    link: the page of these conversions. detail: how many they are.
    """

    label: str
    text: str
    detail: str
    link: PageAddress


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """The figures of the page. all_clicks, due, open: one for each of the spans.

    due: what the advertiser pays. open: what it may pay for pending and held conversions. month: both of this month.
    """

    month: Sequence[DueSum]
    tiles: Sequence[TodayTile]
    rows: Sequence[StatusRow]
    all_clicks: Sequence[int]
    due: Sequence[str]
    open: Sequence[str]
    chart: Markup


@pages.get("/advertiser/", audience="advertiser", needs=(METHOD,))
def home(request: PageRequest) -> PageAnswer:
    """Show what today and the last weeks brought, and the newest conversions."""
    chosen = KINDS.get(request.address.get("show"), KINDS["confirmed_charge"])
    figures, fault = _figures(request, chosen)
    return request.page(
        "advertiser/home.html",
        chosen=chosen,
        unread=unread_threads(request),
        news=news_of_home(request),
        fault=fault,
        spans=_SPANS,
        latest=_latest(request),
        days=DAYS,
        statuses=STATUSES,
        now=request.deps.clock.now_ms(),
        figures=figures,
    )


def today_of(request: PageRequest) -> datetime:
    """Return the present moment in the zone of days."""
    return datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC).astimezone(request.day_zone)


def _figures(request: PageRequest, chosen: Metric) -> tuple[HomeFigures | None, str]:
    """Return the tiles, the table and the chart, and why they cannot be read."""
    now = today_of(request)
    period = DayPeriod(now.date() - timedelta(days=DAYS - 1), now.date(), now.date(), now.hour)
    try:
        days, currency = by_day(request.calls, min(period.first, now.date().replace(day=1)), period.last)
    except RequestError as refusal:
        return None, gettext("The figures cannot be read now. %(text)s.", text=refusal.text)
    sums = [_last_days(days, period.last, count) for _, _, count in _SPANS]
    chart = figure_chart(
        chosen,
        period,
        [days.get(each, OwnFigures()).for_charts() for each in period.each_day()],
        [None] * DAYS,
        currency,
        "",
        selects=False,
    )
    found = HomeFigures(
        month=_month(_last_days(days, period.last, now.day), currency),
        tiles=[_tile(kind, sums, currency) for kind in KINDS.values()],
        rows=[
            StatusRow(status, label, tuple(each.of_status(status) for each in sums))
            for status, label in STATUSES.items()
        ],
        all_clicks=[each.clicks for each in sums],
        due=[shown.money(each.confirmed_charge, currency) for each in sums],
        open=[shown.money(each.open_charge, currency) for each in sums],
        chart=chart,
    )
    return found, ""


def _month(sums: OwnFigures, currency: str) -> list[DueSum]:
    """Return the confirmed charge of this month, and the charge that may come."""
    listed = PageAddress("/advertiser/conversions", (("period", "month"),))
    confirmed = ngettext("%(num)d confirmed conversion", "%(num)d confirmed conversions", sums.confirmed)
    waiting = ngettext(
        "%(num)d pending or held conversion", "%(num)d pending or held conversions", sums.pending + sums.hold
    )
    return [
        DueSum(
            gettext("You pay for this month"),
            shown.money(sums.confirmed_charge, currency),
            confirmed,
            listed.set("status", "confirmed"),
        ),
        DueSum(
            gettext("May come"),
            shown.money(sums.open_charge, currency),
            waiting,
            listed.set("status", "pending", "hold"),
        ),
    ]


def _last_days(days: Mapping[date, OwnFigures], last: date, count: int) -> OwnFigures:
    first = last - timedelta(days=count - 1)
    return total(figures for day, figures in days.items() if first <= day <= last)


def _tile(kind: Metric, sums: list[OwnFigures], currency: str) -> TodayTile:
    today, week, month = (figure_text(kind, each.for_charts(), currency, short=True) for each in sums)
    detail = gettext("7 days: %(week)s · 30 days: %(month)s", week=week, month=month)
    return TodayTile(kind.name, gettext("%(label)s today", label=kind.label), today, detail)


def _latest(request: PageRequest) -> list[figures_api.OwnConversionView] | None:
    """Return the newest conversions of the last weeks; None where the advertiser may not see any."""
    if not request.calls.may(figures_api.conversions):
        return None
    today = today_of(request).date()
    sent = [*days_of(today - timedelta(days=DAYS - 1), today), ("limit", str(LATEST))]
    return request.calls.ask(figures_api.conversions, sent).conversions
