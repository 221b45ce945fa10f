"""The first page of staff users (docs/spec/console.md#overview)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Final
from urllib.parse import urlencode

from markupsafe import Markup

from trackyard.actions.deps import Deps
from trackyard.api.statistics import reports
from trackyard.base.errors import RequestCancelled, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.charts.changes import ChangeTone, change_text
from trackyard.console.deferred.refused import refused_part, shorter_periods
from trackyard.console.deferred.together import ask_together
from trackyard.console.frame import figures, shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import apart_text, change_up_to, figure_text
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, COMPARISONS, Compare, DayPeriod, read_comparison, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.money.currencies import without_currency
from trackyard.console.reports_shown.chips import address_of_form, chips_of, form_of, menu_of_filters
from trackyard.console.reports_shown.counted import CountedRows
from trackyard.console.reports_shown.query import ReportQuery, read_query
from trackyard.console.staff.cards import Arrangement, read_arrangement
from trackyard.console.staff.first_steps import find_steps
from trackyard.console.staff.tops.ranks import TOP, RankedRows, read_ranked
from trackyard.console.staff.tops.tables import TABLES, ShownTable, chosen_table, table_values
from trackyard.console.staff.traffic.reasons import rejection_label
from trackyard.console.staff.work import WorkItem, find_work
from trackyard.console.system.health import QueueRow, find_slowest
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, Metric, MetricDirection, MetricSums
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

CHOSEN: Final = ("clicks", "conversions", "charge", "payout", "margin")
"""The figures on top, with the share of rejected clicks."""
MORE: Final = ("confirmed", "pending", "hold", "declined", "cr", "epc")
"""The figures below them: conversions by status, and what a click brings."""
FILTERS: Final = ("offer", "affiliate", "advertiser", "country", "offer_tag", "affiliate_tag", "advertiser_tag")
"""Filters of the page, which rejected clicks have as well."""
_REASON: Final = "trafficback_reason"


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
class Work:
    """The work that needs a person.

    slowest: the queue with the longest delay; None where the person may not see it."""

    todo: list[WorkItem]
    slowest: QueueRow | None


@dataclass(frozen=True, slots=True)
class OverviewFigures:
    """The figures from the reports of the page.

    days, days_before: the figures of each day. compared, before: the sums of both periods up to the last full hour.
    reasons: rejected clicks by reason. rejected: the rejected clicks of both periods up to the last full hour.
    tops: the rows of each table.
    """

    days: Mapping[date, MetricSums]
    days_before: Mapping[date, MetricSums]
    compared: MetricSums
    before: MetricSums
    reasons: Mapping[str, int]
    rejected: tuple[MetricSums, MetricSums]
    tops: Sequence[RankedRows]


@pages.get("/console/", needs=(reports.custom,))
def overview(request: PageRequest) -> PageAnswer:
    """Show what happened in a period, what changed, and what needs a person."""
    wanted = address_of_form(request.address)
    if wanted is not None:
        return Redirect(str(wanted))
    period, fault = read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
    query = _filter_query(request)
    cards = read_arrangement(request)
    values = {
        "period": period,
        "periods": CHOICES,
        "before_text": period.against(period.compared_text(_compare(request))),
        "comparisons": _comparisons(request, period),
        "fault": fault or query.money.fault,
        "currency": query.money.shown,
        "currencies": query.money.menu(request.address),
        "now": request.deps.clock.now_ms(),
        "cards": cards,
        "state": urlencode(request.address.pairs),
        "chips": chips_of(request, query),
        "filters": menu_of_filters(query),
        "api_request_path": request.calls.address(
            reports.custom, [("slice[]", "day"), *figures.span(period), *query.filters]
        ),
    }
    return Html("staff/overview.html", values, late=lambda: _late(request, period, cards, query))


def _filter_query(request: PageRequest) -> ReportQuery:
    """Return the filters of the address as a report's filters; only filters that every figure can have."""
    query = read_query(request)
    return replace(
        query,
        address=request.address,
        filter_kinds=tuple(kind for kind in query.filter_kinds if kind.name in FILTERS),
        conditions=tuple(each for each in query.conditions if each.kind.name in FILTERS),
    )


def _comparisons(request: PageRequest, period: DayPeriod) -> list[tuple[str, PageAddress, bool]]:
    """Return the periods that the figures can be compared with, and the address of each."""
    return [
        (text, request.address.set("compare", name), name == _compare(request))
        for name in COMPARISONS
        if (text := period.compared_text(name))
    ]


def _compare(request: PageRequest) -> Compare:
    """Return the comparison in the address; by default with the period before."""
    chosen = read_comparison(request.address)
    return COMPARISONS[0] if chosen == "none" else chosen


def _compared_period(request: PageRequest, period: DayPeriod) -> DayPeriod:
    """Return the period that the figures are compared with."""
    return period.compared_with(_compare(request)) or period.before


def _late(request: PageRequest, period: DayPeriod, cards: Arrangement, query: ReportQuery) -> Html:
    """Return the part of the page that waits for reports; without them it has the work alone."""
    tables = [chosen_table(request.address, parameter) for parameter in TABLES if parameter in cards.tables]
    work: list[Work] = []
    try:
        form = form_of(request, query)
        found = _read(request, period, tables, query.filters, work)
    except RequestCancelled:
        raise
    except RequestError as refusal:
        refused = refused_part(refusal, request.address, shorter_periods(request.address, period))
        return Html("staff/overview_refused.html", {**refused.values, "work": _work(request)}, refused.status)
    show = request.address.get("show")
    kind = METRIC_BY_NAME[show if show in CHOSEN + MORE else "clicks"]
    now = figures.total(found.days.values())
    listed, counted = _listed(query), CountedRows.of(request, period.first, period.last)
    values = {
        "period": period,
        "query": query,
        "form": form,
        "before_text": period.compared_text(_compare(request)),
        "tiles": [*_tiles(query, CHOSEN, now, found), _rejected_tile(period, found, now)],
        "more_tiles": _tiles(query, MORE, now, found),
        "apart": apart_text((METRIC_BY_NAME[name] for name in MORE), now),
        "chosen": kind,
        "chart": _chart(request, kind, period, query, found),
        "bands": cards.bands,
        "tables": {
            table.parameter: table_values(request, period, table, rows, listed)
            for table, rows in zip(tables, found.tops, strict=True)
        },
        "reasons": _labelled(found.reasons, counted, listed),
        "rejected_link": counted.to("rejected", listed),
        "rejected": sum(found.reasons.values()),
        "steps": [] if query.conditions or now.conversions or found.before.conversions else find_steps(request),
        "work": work[0],
    }
    return Html("staff/overview_parts.html", values)


def _work(request: PageRequest) -> Work:
    return Work(find_work(request), find_slowest(request))


def _listed(query: ReportQuery) -> list[Pair]:
    """Return the filters as lists have them; an empty value is one that no list has."""
    return [
        (each.kind.name, value)
        for each in query.conditions
        for value in (each.values if not each.without and not each.has_empty else ("",))
    ]


def _read(
    request: PageRequest,
    period: DayPeriod,
    tables: Iterable[ShownTable],
    filters: Sequence[Pair],
    work: list[Work],
) -> OverviewFigures:
    """Ask all at once, and add what waits to `work`. Raises RequestError."""
    earlier = _compared_period(request, period)
    late_days = figures.unfinished_days(period, earlier)
    (days, days_before), reasons, rejected, *rest, _ = ask_together(
        request.calls,
        lambda calls: figures.by_day_of_both(calls, period, earlier, filters),
        lambda calls: _rejected(calls, period, without_currency(filters)),
        lambda calls: _rejected_up_to_now(calls, period, earlier, without_currency(filters)),
        *(partial(figures.late_hours, day=day, period=period, filters=filters) for day in late_days),
        *(
            partial(
                read_ranked,
                slice_=table.tab.slice,
                rank=table.rank,
                period=period,
                earlier=earlier,
                filters=filters,
            )
            for table in tables
        ),
        lambda _calls: work.append(_work(request)),
    )
    lates, tops = rest[: len(late_days)], rest[len(late_days) :]
    compared, before = figures.without_late_hours(period, days, earlier, days_before, lates)
    return OverviewFigures(days, days_before, compared, before, reasons, rejected, tops)


def _tiles(query: ReportQuery, names: Iterable[str], now: MetricSums, found: OverviewFigures) -> list[Tile]:
    tiles = []
    for name in names:
        kind = METRIC_BY_NAME[name]
        change, tone = change_up_to(query.period, kind, now, found.compared, found.before)
        label = f"{kind.label} · {shown.percent(now.metric('margin_share'))}" if name == "margin" else kind.label
        tiles.append(Tile(name, label, figure_text(kind, now, query.money.shown, short=True), change, tone))
    return tiles


def _rejected_tile(period: DayPeriod, found: OverviewFigures, now: MetricSums) -> Tile:
    share = _share(sum(found.reasons.values()), now)
    rejected, rejected_before = found.rejected
    compared, before = _share(rejected.rejected, found.compared), _share(rejected_before.rejected, found.before)
    change, tone = ("", ChangeTone.NEUTRAL)
    if share is not None and compared is not None and before is not None and period.has_full_hour:
        change, tone = change_text(compared * 100, before * 100, MetricDirection.DOWN, points=True, shown=share * 100)
    return Tile("", gettext("Rejected"), shown.percent(share), period.with_hour(change), tone)


def _share(rejected: int, accepted: MetricSums) -> Decimal | None:
    return Decimal(rejected) / (rejected + accepted.clicks) if rejected + accepted.clicks else None


def _rejected_up_to_now(
    calls: LocalCalls[Deps], period: DayPeriod, earlier: DayPeriod, filters: Sequence[Pair]
) -> tuple[MetricSums, MetricSums]:
    """Return the rejected clicks of both periods up to the last full hour, where the person may see them."""
    if not calls.may(reports.rejected_clicks):
        return MetricSums(), MetricSums()
    slices = [_REASON]
    days, before = figures.by_day_of_both(calls, period, earlier, filters, slices)
    return figures.up_to_now(calls, period, days, earlier, before, filters, slices)


def _rejected(calls: LocalCalls[Deps], period: DayPeriod, filters: Sequence[Pair]) -> dict[str, int]:
    """Return the number of rejected clicks by reason; nothing where the person may not see it."""
    if not calls.may(reports.rejected_clicks):
        return {}
    answer = calls.ask(reports.rejected_clicks, [*figures.span(period), *filters])
    return {str(row.slice[_REASON]): row.trafficback or 0 for row in answer.stats}


def _labelled(reasons: Mapping[str, int], counted: CountedRows, listed: Sequence[Pair]) -> list[tuple[str, int, str]]:
    """Return the most frequent reasons by their labels, and the list of each."""
    most = sorted(reasons.items(), key=lambda item: -item[1])[:TOP]
    return [
        (rejection_label(reason), count, counted.to("rejected", [*listed, ("reason", reason)]))
        for reason, count in most
    ]


def _chart(request: PageRequest, kind: Metric, period: DayPeriod, query: ReportQuery, found: OverviewFigures) -> Markup:
    before, text = _compared_period(request, period), period.compared_text(_compare(request))
    days_before = figures.days_up_to_now(period, before, found.days_before, found.before)
    earlier = figures.on_each_day(before, days_before, period.days)
    return figure_chart(
        kind,
        period,
        [found.days.get(day, MetricSums()) for day in period.each_day()],
        earlier,
        query.money.shown,
        text,
    )
