"""The figures of pages, from the statistics of the API (docs/spec/console.md#figures)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.statistics import reports
from trackyard.api.statistics.rows import WITHOUT_CLICK, ActionView, StatsRowView, Value
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.charts.changes import ChangeTone, change_text
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.periods import MOST_DAYS, DayPeriod
from trackyard.console.frame.slice_keys import Keys, day_in, id_in, row_key
from trackyard.domain.statistics.metrics import (
    CLICKLESS,
    COUNTED,
    Metric,
    MetricSums,
    Unit,
)
from trackyard.wire.local_calls import LocalCalls

_SHOWN_TYPES: Final = tuple(("conversionTypes[]", kind) for kind in (*COUNTED, "declined"))
_FIELDS: Final = ("views", WITHOUT_CLICK)
_FIELDS_OF_STAFF: Final = ("cost",)
"""The fields of rows that figures are computed from. Pages name them, so that no compatibility switch hides them."""
LARGE_AMOUNT: Final = 10_000
"""Amounts from here on are written without cents."""
_PAGE: Final = 1000
_MOST_DAY_ROWS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """A row of statistics. keys: the slices of the API, such as {"offer": {"id": 7, "title": "..."}}."""

    keys: Keys
    figures: MetricSums

    def id_of(self, slice_: str) -> int | str:
        """Return the value of a slice; of an object its id."""
        return id_in(self.keys, slice_)

    @property
    def day(self) -> date:
        """Return the day of a row by days."""
        return day_in(self.keys)


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a report.

    total: the number of all rows. warnings: sentences of the API about what they lack.
    """

    rows: list[Row]
    total: int
    currency: str
    warnings: tuple[str, ...] = ()


def span(period: DayPeriod) -> list[Pair]:
    """Return the filters of a period."""
    return [("filter[date_from]", period.first.isoformat()), ("filter[date_to]", period.last.isoformat())]


def report(
    calls: LocalCalls[Deps],
    period: DayPeriod,
    slices: Iterable[str],
    *,
    order: str = "",
    limit: int = _PAGE,
    page: int = 1,
    filters: Iterable[Pair] = (),
) -> Page:
    """Return rows by slices, the largest of `order` first. Raises RequestError."""
    return read_report(calls, request_of(period, slices, order=order, limit=limit, page=page, filters=filters))


def read_report(calls: LocalCalls[Deps], sent: Sequence[Pair]) -> Page:
    """Return the rows that parameters of the API ask for. Raises RequestError."""
    fields = [*_FIELDS, *(_FIELDS_OF_STAFF if calls.is_staff else ())]
    answer = calls.ask(reports.custom, [*sent, *_SHOWN_TYPES, *(("fields[]", name) for name in fields)])
    by_offer = ("slice[]", "offer") in sent
    rows = [Row(_keys(row, by_offer=by_offer), _figures(row, is_staff=calls.is_staff)) for row in answer.stats]
    return Page(rows, answer.pagination.total_count, answer.currency, tuple(answer.warnings or ()))


def _keys(row: StatsRowView, *, by_offer: bool) -> Keys:
    """Return the keys of a row, with the titles of landing and transit pages.

    by_offer: whether the row shows its offer too; otherwise the title of a page contains it.
    """
    keys: dict[str, Value] = dict(row.slice)
    offer = keys.get("offer")
    for name in ("landing", "prelanding"):
        if name in keys and isinstance(offer, dict):
            number = str(keys[name])
            page = (row.landings_info or {}).get(number)
            title = page.title if page else number if number != "0" else _without_page(name)
            shown = title if by_offer else f"{title} · {offer.get('title') or id_in(keys, 'offer')}"
            keys[name] = {"id": f"{id_in(keys, 'offer')}/{number}", "title": shown}
    return keys


def _without_page(name: str) -> str:
    return gettext("The offer's own page") if name == "landing" else gettext("No transit page")


def request_of(
    period: DayPeriod,
    slices: Iterable[str],
    *,
    order: str = "",
    limit: int = _PAGE,
    page: int = 1,
    filters: Iterable[Pair] = (),
) -> list[Pair]:
    """Return the parameters of the report as the API reads them."""
    sent = [
        *span(period),
        *(("slice[]", name) for name in slices),
        *filters,
        ("limit", str(limit)),
        ("page", str(page)),
    ]
    return [*sent, ("order[]", order), ("orderType", "desc")] if order else sent


def all_rows(
    calls: LocalCalls[Deps], period: DayPeriod, slices: Sequence[str], most: int, filters: Iterable[Pair] = ()
) -> Page:
    """Return all rows of a report; its first ones where there are more than `most`. Raises RequestError."""
    found = report(calls, period, slices, filters=filters)
    rows = {row_key(row.keys): row for row in found.rows}
    if found.total <= most:
        for page in range(2, -(-found.total // _PAGE) + 1):
            # A row that moved to a later page meanwhile counts once.
            more = report(calls, period, slices, page=page, filters=filters)
            rows |= {row_key(row.keys): row for row in more.rows}
    return replace(found, rows=list(rows.values()))


def by_day(
    calls: LocalCalls[Deps], period: DayPeriod, filters: Iterable[Pair] = (), slices: Iterable[str] = ()
) -> dict[date, MetricSums]:
    """Return the figures of each day that has any.

    slices: what a filter needs, or what narrows the figures. Raises RequestError.
    """
    found = all_rows(calls, period, ["day", *slices], _MOST_DAY_ROWS, filters)
    if found.total > _MOST_DAY_ROWS:
        raise RequestError(
            gettext("This report has too many rows of days: choose a shorter period or narrow it with a filter.")
        )
    days = defaultdict[date, MetricSums](MetricSums)
    for row in found.rows:
        days[row.day] += row.figures
    return dict(days)


def is_one_report(period: DayPeriod, before: DayPeriod) -> bool:
    """Return whether one report may have a period and an earlier one."""
    return (period.last - before.first).days < MOST_DAYS


def joined(period: DayPeriod, before: DayPeriod) -> DayPeriod:
    """Return the period from the first day of an earlier one on."""
    return replace(period, first=before.first)


def by_day_of_both(
    calls: LocalCalls[Deps],
    period: DayPeriod,
    before: DayPeriod,
    filters: Sequence[Pair] = (),
    slices: Sequence[str] = (),
) -> tuple[dict[date, MetricSums], dict[date, MetricSums]]:
    """Return the figures of each day of a period and of an earlier one.

    They come from one report where it may be as long.
    """
    if not is_one_report(period, before):
        return by_day(calls, period, filters, slices), by_day(calls, before, filters, slices)
    days = by_day(calls, joined(period, before), filters, slices)
    now, earlier = (
        {day: found for day, found in days.items() if each.first <= day <= each.last} for each in (period, before)
    )
    return now, earlier


def late_hours(
    calls: LocalCalls[Deps],
    day: date,
    period: DayPeriod,
    slices: Iterable[str] = (),
    filters: Iterable[Pair] = (),
    most: int = _PAGE,
) -> Page:
    """Return the rows of a day from the hour of now on, which a comparison leaves out."""
    later = [*filters, ("filter[from_hour]", str(period.hour))]
    return all_rows(calls, replace(period, first=day, last=day), [*slices] or ["day"], most, later)


def finished_hours(
    calls: LocalCalls[Deps],
    period: DayPeriod,
    earlier: DayPeriod,
    slices: Sequence[str],
    most: int,
    filters: Iterable[Pair] = (),
) -> Page:
    """Return the rows of an earlier period up to the last full hour of now."""
    cut = period.same_day_in(earlier)
    if cut > earlier.last:
        return all_rows(calls, earlier, slices, most, filters)
    if period.hour:
        until = [*filters, ("filter[to_hour]", str(period.hour - 1))]
        return all_rows(calls, replace(earlier, last=cut), slices, most, until)
    if cut == earlier.first:
        return Page([], 0, "")
    return all_rows(calls, replace(earlier, last=cut - timedelta(days=1)), slices, most, filters)


def up_to_now(
    calls: LocalCalls[Deps],
    period: DayPeriod,
    days: Mapping[date, MetricSums],
    earlier: DayPeriod,
    days_before: Mapping[date, MetricSums],
    filters: Sequence[Pair] = (),
    slices: Sequence[str] = (),
) -> tuple[MetricSums, MetricSums]:
    """Return the figures of a period and of an earlier one that can be compared.

    Both end at the last full hour, so that an unfinished day is not a fall. days, days_before: the figures of each day.
    """
    lates = [late_hours(calls, day, period, slices, filters) for day in unfinished_days(period, earlier)]
    return without_late_hours(period, days, earlier, days_before, lates)


def unfinished_days(period: DayPeriod, earlier: DayPeriod) -> list[date]:
    """Return today, and the day of the earlier period that today is compared with, if the period has it.

    [] where today is not in the period.
    """
    if not period.is_open or period.first > period.today:
        return []
    cut = period.same_day_in(earlier)
    return [period.today, cut] if cut <= earlier.last else [period.today]


def without_late_hours(
    period: DayPeriod,
    days: Mapping[date, MetricSums],
    earlier: DayPeriod,
    days_before: Mapping[date, MetricSums],
    lates: Sequence[Page],
) -> tuple[MetricSums, MetricSums]:
    """Return the sums of two periods without the hours that are not over.

    lates: `late_hours` of `unfinished_days`.
    """
    if not period.is_open:
        return total(days.values()), total(days_before.values())
    if not lates:
        return MetricSums(), MetricSums()
    cut = period.same_day_in(earlier)
    late, late_before, *_ = (*(total(row.figures for row in each.rows) for each in lates), MetricSums())
    now = total(figures for day, figures in days.items() if day <= period.today)
    return now - late, total(figures for day, figures in days_before.items() if day <= cut) - late_before


def days_up_to_now(
    period: DayPeriod, earlier: DayPeriod, days_before: Mapping[date, MetricSums], before: MetricSums
) -> Mapping[date, MetricSums]:
    """Return the figures of each day of an earlier period, up to the last full hour of the compared day.

    before: the sum of that period up to this hour.
    """
    if not period.is_open or period.first > period.today:
        return days_before
    cut = period.same_day_in(earlier)
    if cut > earlier.last:
        return days_before
    return {**days_before, cut: before - total(figures for day, figures in days_before.items() if day < cut)}


def on_each_day(earlier: DayPeriod, days: Mapping[date, MetricSums], count: int) -> list[MetricSums | None]:
    """Return the figures of each day of an earlier period.

    count: how many days are returned. Days after the end of the earlier period are None.
    """
    found: list[MetricSums | None] = [days.get(day, MetricSums()) for day in earlier.each_day()]
    return found + [None] * (count - earlier.days)


def total(figures: Iterable[MetricSums]) -> MetricSums:
    """Return the sum."""
    result = MetricSums()
    for each in figures:
        result += each
    return result


def value_of(kind: Metric, of: MetricSums) -> Decimal | int | None:
    """Return a figure by its kind; a share is 1 for all."""
    return kind.value(of)


def figure_change(kind: Metric, shown: MetricSums, now: MetricSums, before: MetricSums) -> tuple[str, ChangeTone]:
    """Return the change of a figure in words, and its tone. Shares differ in points.

    shown: the sums of the shown figure. now: their part up to the last full hour, which is compared.
    """
    beside, new, old = (value_of(kind, each) for each in (shown, now, before))
    if kind.unit != "share":
        return change_text(new, old, kind.direction, shown=beside)
    if new is None or old is None:
        return "", ChangeTone.NEUTRAL
    return change_text(
        new * 100, old * 100, kind.direction, points=True, shown=None if beside is None else beside * 100
    )


def change_up_to(
    period: DayPeriod, kind: Metric, shown: MetricSums, now: MetricSums, before: MetricSums
) -> tuple[str, ChangeTone]:
    """Return the change of a figure of a period, with the hour up to which it counts.

    Before the first full hour is over there is no change.
    """
    if not period.has_full_hour:
        return "", ChangeTone.NEUTRAL
    change, tone = figure_change(kind, shown, now, before)
    return period.with_hour(change), tone


def apart_text(kinds: Iterable[Metric], of: MetricSums) -> str:
    """Return how many conversions without a click are in no CR and no EPC; "" where none are.

    kinds: the figures that are shown with the sentence. of: what they count.
    """
    if not of.clickless or not any(kind.per is not None and CLICKLESS in kind.reads for kind in kinds):
        return ""
    return ngettext(
        "CR and EPC leave out %(num)d conversion without a click.",
        "CR and EPC leave out %(num)d conversions without a click.",
        of.clickless,
    )


def figure_text(kind: Metric, of: MetricSums, currency: str, *, short: bool = False) -> str:
    """Return a figure as its text on pages.

    The difference of two figures is computed from their rounded values on the page.

    short: for a card, where large amounts have no cents.
    """
    value = value_of(kind, of)
    match kind.unit:
        case Unit.SHARE:
            return shown.percent(value)
        case Unit.RATE:
            return shown.rate(value, currency)
        case Unit.COUNT:
            return shown.number(value)
    largest = max(map(abs, (of.charge, of.payout, of.charge - of.payout, of.cost, of.declined_charge)))
    places = 0 if short and largest >= LARGE_AMOUNT else None
    if kind.less:
        first, *others = (getattr(of, name) for name in kind.less)
        return shown.together((first, *(-each for each in others)), currency, places)
    return shown.money(value, currency, places)


def _figures(row: StatsRowView, *, is_staff: bool) -> MetricSums:
    """Return the figures of a row of the API.

    The payout of staff is the charge less the margin: what `revenue` and `payouts` are depends on the compatibility
    switches of the person (docs/compatibility.md), `charge` and `earning` do not. An affiliate's own payout is
    `revenue`, and its charge and margin are 0.
    """
    actions: Mapping[str, ActionView] = row.actions if isinstance(row.actions, dict) else {}
    counts = {kind: each.count for kind, each in actions.items()}
    charges = {kind: each.charge for kind, each in actions.items()}
    payouts = {kind: each.charge - each.earning if is_staff else each.revenue for kind, each in actions.items()}
    counted = [kind for kind in COUNTED if kind in actions]
    clickless = {kind: each.without_click or 0 for kind, each in actions.items()}
    clickless_payouts = {kind: each.payouts_without_click or Decimal(0) for kind, each in actions.items()}
    return MetricSums(
        clicks=int(row.traffic.raw),
        unique=int(row.traffic.uniq),
        rejected=row.trafficback or 0,
        impressions=row.views or 0,
        conversions=sum(counts[kind] for kind in counted),
        declined=counts.get("declined", 0),
        charge=sum((charges[kind] for kind in counted), Decimal(0)),
        payout=sum((payouts[kind] for kind in counted), Decimal(0)),
        **{f"{kind}_charge": charges.get(kind, Decimal(0)) for kind in (*COUNTED, "declined")},
        **{f"{kind}_payout": payouts.get(kind, Decimal(0)) for kind in (*COUNTED, "declined")},
        confirmed=counts.get("confirmed", 0),
        pending=counts.get("pending", 0),
        hold=counts.get("hold", 0),
        cost=row.cost or Decimal(0),
        clickless=sum(clickless[kind] for kind in counted),
        clickless_payout=sum((clickless_payouts[kind] for kind in counted), Decimal(0)),
        clickless_confirmed=clickless.get("confirmed", 0),
        clickless_confirmed_payout=clickless_payouts.get("confirmed", Decimal(0)),
    )
