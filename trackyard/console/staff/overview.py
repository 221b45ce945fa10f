"""The first page of staff users (docs/spec/console.md#overview)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from trackyard.actions.deps import Deps
from trackyard.base.errors import RequestCancelled, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.charts.changes import ChangeTone, MetricDirection, change_text
from trackyard.console.frame import figures, shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import BY_NAME, FigureKind, Figures, Page, Row, text_of, value_of
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, COMPARISONS, Compare, DayPeriod, read_comparison, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.late.refused import refused_part, shorter_periods
from trackyard.console.late.together import ask_together
from trackyard.console.reports_shown.counted import CountedRows
from trackyard.console.staff.cards import Arrangement, read_arrangement
from trackyard.console.staff.first_steps import find_steps
from trackyard.console.staff.traffic.reasons import rejection_label
from trackyard.console.staff.work import WorkItem, find_work
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

TOP: Final = 5
"""Rows of each table."""
CHOSEN: Final = ("clicks", "conversions", "charge", "payout", "margin")
"""The figures on top, with the share of rejected clicks."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure with its change.

    name: the value of `show` in the address, "" when the chart cannot show it.
    """

    name: str
    label: str
    text: str
    change: str
    tone: str


@dataclass(frozen=True, slots=True)
class TopRow:
    """A row of a table.

    share: of the largest row, 0 to 1. clicks, conversions: the lists that the figures count.
    """

    title: str
    link: str
    figures: Figures
    share: float
    clicks: str
    conversions: str


@dataclass(frozen=True, slots=True)
class Tab:
    """A slice that a table may have. one: the name of a row. title, link, value: of a row, from its keys."""

    slice: str
    label: str
    one: str
    title: Callable[[Mapping[str, Any]], str]
    link: Callable[[Mapping[str, Any]], str] = lambda _keys: ""

    def value(self, keys: Mapping[str, Any]) -> str:
        """Return the value of a row by which lists are filtered."""
        found = keys[self.slice]
        return str(found["id"] if isinstance(found, dict) else found)


def _entity(key: str) -> Callable[[Mapping[str, Any]], str]:
    """Return what names an object of a slice: its title, or its login where it has none."""

    def title(keys: Mapping[str, Any]) -> str:
        found = keys[key]
        if not isinstance(found, dict):
            return str(found)
        return str(found.get("title") or found.get("name") or found.get("login") or found.get("id", ""))

    return title


def _page_of(key: str) -> Callable[[Mapping[str, Any]], str]:
    """Return what leads to the page of an object of a slice."""

    def link(keys: Mapping[str, Any]) -> str:
        found = keys[key]
        return f"/console/{key}s/{found['id']}" if isinstance(found, dict) else ""

    return link


PROGRAMS: Final = (
    Tab("offer", lazy_gettext("Offers"), lazy_gettext("Offer"), _entity("offer"), _page_of("offer")),
    Tab(
        "advertiser",
        lazy_gettext("Advertisers"),
        lazy_gettext("Advertiser"),
        _entity("advertiser"),
        _page_of("advertiser"),
    ),
    Tab(
        "country",
        lazy_gettext("Countries"),
        lazy_gettext("Country"),
        lambda keys: str(keys["country"]) or gettext("Unknown"),
    ),
)
PEOPLE: Final = (
    Tab(
        "affiliate", lazy_gettext("Affiliates"), lazy_gettext("Affiliate"), _entity("affiliate"), _page_of("affiliate")
    ),
    Tab("sub1", lazy_gettext("Sub 1"), lazy_gettext("Sub 1"), lambda keys: str(keys["sub1"]) or gettext("Empty")),
)

TABLES: Final = {"by": PROGRAMS, "who": PEOPLE}
"""The tables by what chooses their slice in the address."""


@dataclass(frozen=True, slots=True)
class OverviewFigures:
    """What the reports of the page say.

    days, days_before: of each day. compared, before: the sums of both periods up to the last full hour.
    reasons, reasons_before: rejected clicks by reason. tops: the rows of each table.
    """

    days: Mapping[date, Figures]
    days_before: Mapping[date, Figures]
    compared: Figures
    before: Figures
    reasons: Mapping[str, int]
    reasons_before: Mapping[str, int]
    tops: Sequence[Page]


@pages.get("/console/", needs=("stats.custom",))
def overview(request: PageRequest) -> PageAnswer:
    """Show what happened in a period, what changed, and what needs a person."""
    period, fault = read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
    cards = read_arrangement(request)
    values = {
        "period": period,
        "periods": CHOICES,
        "before_text": period.compared_text(_compare(request)),
        "comparisons": _comparisons(request, period),
        "fault": fault,
        "now": request.deps.clock.now_ms(),
        "cards": cards,
        "state": urlencode(request.address.pairs),
    }
    return Html("staff/overview.html", values, late=lambda: _late(request, period, cards))


def _comparisons(request: PageRequest, period: DayPeriod) -> list[tuple[str, PageAddress, bool]]:
    """Return the periods that the figures can be compared with, and the address of each."""
    return [
        (text, request.address.set("compare", name), name == _compare(request))
        for name in COMPARISONS
        if (text := period.compared_text(name))
    ]


def _compare(request: PageRequest) -> Compare:
    """Return what the address compares with, the period before where it names none."""
    chosen = read_comparison(request.address)
    return COMPARISONS[0] if chosen == "none" else chosen


def _compared_period(request: PageRequest, period: DayPeriod) -> DayPeriod:
    """Return the period that the figures are compared with."""
    return period.compared_with(_compare(request)) or period.before


def _late(request: PageRequest, period: DayPeriod, cards: Arrangement) -> Html:
    """Return the part of the page that waits for reports; without them it has the work alone."""
    tabs = [_chosen(request, parameter, known) for parameter, known in TABLES.items() if parameter in cards.tables]
    work: list[WorkItem] = []
    try:
        found = _read(request, period, tabs, work)
    except RequestCancelled:
        raise
    except RequestError as refusal:
        refused = refused_part(refusal, request.address, shorter_periods(request.address, period))
        return Html("staff/overview_refused.html", {**refused.values, "work": find_work(request)}, refused.status)
    kind = BY_NAME[request.address.get("show")] if request.address.get("show") in CHOSEN else BY_NAME["clicks"]
    now = figures.total(found.days.values())
    values = {
        "period": period,
        "before_text": period.compared_text(_compare(request)),
        "tiles": [*_tiles(request, now, found.compared, found.before), _rejected_tile(found, now)],
        "chosen": kind,
        "chart": _chart(request, kind, period, found),
        "bands": cards.bands,
        "tables": _tables(request, period, zip(tabs, found.tops, strict=True)),
        "reasons": _labelled(found.reasons, CountedRows.of(request, period.first, period.last)),
        "rejected": sum(found.reasons.values()),
        "steps": [] if now.conversions or found.before.conversions else find_steps(request),
        "work": work,
    }
    return Html("staff/overview_parts.html", values)


def _read(request: PageRequest, period: DayPeriod, tabs: Iterable[Tab], work: list[WorkItem]) -> OverviewFigures:
    """Ask all at once, and add what waits to `work`. Raises RequestError."""
    earlier = _compared_period(request, period)
    late_days = figures.unfinished_days(period, earlier)
    (days, days_before), (reasons, reasons_before), *rest, _ = ask_together(
        request.calls,
        lambda calls: figures.by_day_of_both(calls, period, earlier),
        lambda calls: (_rejected(calls, period), _rejected(calls, earlier)),
        *(partial(figures.late_hours, day=day, period=period) for day in late_days),
        *(partial(figures.report, period=period, slices=[tab.slice], order="raw", limit=TOP) for tab in tabs),
        lambda _calls: work.extend(find_work(request)),
    )
    lates, tops = rest[: len(late_days)], rest[len(late_days) :]
    compared, before = figures.without_late_hours(period, days, earlier, days_before, lates)
    return OverviewFigures(days, days_before, compared, before, reasons, reasons_before, tops)


def _tiles(request: PageRequest, now: Figures, compared: Figures, before: Figures) -> list[Tile]:
    tiles = []
    for name in CHOSEN:
        kind = BY_NAME[name]
        value = value_of(kind, now)
        change, tone = change_text(value_of(kind, compared), value_of(kind, before), kind.direction)
        label = f"{kind.label} · {shown.percent(now.margin_share)}" if name == "margin" else kind.label
        tiles.append(Tile(name, label, text_of(kind, value, request.deps.currency), change, tone))
    return tiles


def _rejected_tile(found: OverviewFigures, now: Figures) -> Tile:
    share = _share(found.reasons, now)
    share_before = _share(found.reasons_before, figures.total(found.days_before.values()))
    change, tone = ("", ChangeTone.NEUTRAL)
    if share is not None and share_before is not None:
        change, tone = change_text(share * 100, share_before * 100, MetricDirection.DOWN, points=True)
    return Tile("", gettext("Rejected"), shown.percent(share), change, tone)


def _share(reasons: Mapping[str, int], accepted: Figures) -> Decimal | None:
    rejected = sum(reasons.values())
    return Decimal(rejected) / (rejected + accepted.clicks) if rejected + accepted.clicks else None


def _rejected(calls: LocalCalls[Deps], period: DayPeriod) -> dict[str, int]:
    """Return the number of rejected clicks by reason; nothing where the person may not see it."""
    if not calls.may("stats.getbytrafficback"):
        return {}
    answer = calls.call("stats.getbytrafficback", figures.span(period))
    return {row["slice"]["trafficback_reason"]: row["trafficback"] for row in answer["stats"]}


def _labelled(reasons: Mapping[str, int], counted: CountedRows) -> list[tuple[str, int, str]]:
    """Return the most frequent reasons by their labels, and the list of each."""
    most = sorted(reasons.items(), key=lambda item: -item[1])[:TOP]
    return [(rejection_label(reason), count, counted.to("rejected", [("reason", reason)])) for reason, count in most]


def _chosen(request: PageRequest, parameter: str, tabs: tuple[Tab, ...]) -> Tab:
    return next((tab for tab in tabs if tab.slice == request.address.get(parameter)), tabs[0])


def _tables(request: PageRequest, period: DayPeriod, found: Iterable[tuple[Tab, Page]]) -> dict[str, dict[str, Any]]:
    """Return the tables by what chooses their slice."""
    tables = (_table(request, period, tab, page) for tab, page in found)
    return {table["parameter"]: table for table in tables}


def _table(request: PageRequest, period: DayPeriod, chosen: Tab, found: Page) -> dict[str, Any]:
    parameter, tabs = next((name, known) for name, known in TABLES.items() if chosen in known)
    most = max((row.figures.clicks for row in found.rows), default=0)
    rows = [_top_row(request, period, chosen, row, most) for row in found.rows]
    return {"parameter": parameter, "tabs": tabs, "chosen": chosen, "rows": rows, "currency": found.currency}


def _top_row(request: PageRequest, period: DayPeriod, tab: Tab, row: Row, most: int) -> TopRow:
    link = tab.link(row.keys)
    share = row.figures.clicks / most if most else 0.0
    counted, chosen = CountedRows.of(request, period.first, period.last), [(tab.slice, tab.value(row.keys))]
    return TopRow(
        title=tab.title(row.keys),
        link=link if link and request.may_open(link) else "",
        figures=row.figures,
        share=share,
        clicks=counted.to("clicks", chosen),
        conversions=counted.to("conversions", chosen),
    )


def _chart(request: PageRequest, kind: FigureKind, period: DayPeriod, found: OverviewFigures) -> Any:
    before, text = _compared_period(request, period), period.compared_text(_compare(request))
    days_before = figures.days_up_to_now(period, before, found.days_before, found.before)
    earlier = figures.on_each_day(before, days_before, period.days)
    return figure_chart(
        kind,
        period,
        [found.days.get(day, Figures()) for day in period.each_day()],
        earlier,
        request.deps.currency,
        text,
    )
