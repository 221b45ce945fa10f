"""The rows of a report: read, compared, ordered, and their sum (docs/spec/console.md#reports)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import zip_longest
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.console.deferred.together import ask_together
from trackyard.console.frame import figures
from trackyard.console.frame.figures import Page, Row, value_of
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.slice_keys import Key, Keys
from trackyard.console.reports_shown.query import ReportQuery, api_order_of
from trackyard.console.reports_shown.slices import compared_key, is_time, order_key
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, MetricSums
from trackyard.domain.statistics.slices import SLICES
from trackyard.wire.local_calls import LocalCalls

MOST_ROWS: Final = 2000
"""Rows that the page reads, so that it orders and compares them itself. The API orders longer reports."""
PAGE_ROWS: Final = 30
"""Rows of one page."""

Days = Mapping[date, MetricSums]
Calls = LocalCalls[Deps]


@dataclass(frozen=True, slots=True)
class Compared:
    """The figures of now and of the period before that can be compared. whole: of all rows."""

    now: Mapping[Key, MetricSums]
    before: Mapping[Key, MetricSums]


@dataclass(frozen=True, slots=True)
class ReportRows:
    """The rows of one page of a report.

    most: the largest value of the sorted figure, of which the bars are shares.
    now, before: the sums that are compared; None without a comparison.
    compared: of rows; None where they are too many, or no comparison is asked for.
    """

    rows: list[Row]
    count: int
    total: MetricSums
    most: Decimal
    currency: str
    warnings: tuple[str, ...]
    is_whole: bool
    days: Days
    days_before: Days
    now: MetricSums | None = None
    before: MetricSums | None = None
    compared: Compared | None = None

    @property
    def pages(self) -> int:
        """Return the number of pages, at least 1."""
        return max(-(-self.count // PAGE_ROWS), 1)


def read_rows(calls: Calls, query: ReportQuery, page_rows: int = PAGE_ROWS) -> ReportRows:
    """Return the rows of a report's page, their sum and what they are compared with. Raises RequestError."""
    read = _read(calls, query, page_rows)
    found, days, days_before = read.rows, read.days, read.days_before
    is_whole = found.total <= MOST_ROWS
    if is_whole:
        count = len(found.rows)
        ordered = sorted_rows(query, found.rows)
        page = min(query.page, max(-(-count // page_rows), 1))
        rows = ordered[(page - 1) * page_rows : page * page_rows]
        total, measured = figures.total(row.figures for row in ordered), ordered
    else:
        count, total = found.total, figures.total(days.values())
        measured = rows = (
            read.page or _page_of_api(calls, query, min(query.page, -(-count // page_rows)), page_rows)
        ).rows
    compared = _compared(calls, query, read) if is_whole else None
    now, before = _sums(calls, query, compared, days, days_before)
    return ReportRows(
        rows=rows,
        count=count,
        total=total,
        most=_most(query, measured),
        currency=found.currency,
        warnings=found.warnings,
        is_whole=is_whole,
        days=days,
        days_before=days_before,
        now=now,
        before=before,
        compared=compared,
    )


def sorted_rows(query: ReportQuery, rows: list[Row]) -> list[Row]:
    """Return rows in the order of a report; rows without a value come last, equal ones by their keys."""
    ordered = sorted(rows, key=lambda row: [order_key(name, row.keys) for name in query.by])
    if query.sort in query.by:
        return sorted(ordered, key=lambda row: order_key(query.sort, row.keys), reverse=query.descending)
    kind = METRIC_BY_NAME[query.sort]
    valued = [(value, row) for row in ordered if (value := value_of(kind, row.figures)) is not None]
    valued.sort(key=lambda pair: pair[0], reverse=query.descending)
    return [row for _, row in valued] + [row for row in ordered if value_of(kind, row.figures) is None]


def _page_of_api(calls: Calls, query: ReportQuery, page: int, page_rows: int) -> Page:
    """Return a page of a report with more rows than are read, as the API orders them."""
    order = api_order_of(query.long_sort, query.by)
    descending = query.descending if query.api_order else order not in query.by
    sent = figures.request_of(query.period, query.by, limit=page_rows, page=page, filters=query.filters)
    return figures.read_report(calls, [*sent, ("order[]", order), ("orderType", "desc" if descending else "asc")])


@dataclass(frozen=True, slots=True)
class _Read:
    """The rows and figures of the first requests.

    rows: the rows of the period. earlier: the rows of the period before, where they are read already.
    page: the page's rows in the API's order, where there are more rows than are read.
    """

    rows: Page
    days: Days
    days_before: Days
    earlier: list[Row] | None = None
    page: Page | None = None


def _read(calls: Calls, query: ReportQuery, page_rows: int) -> _Read:
    """Return the rows of the period, and the figures of each day of it and of the one before.

    Rows by day are the figures of each day: one report has them all.
    """
    if query.by == ("day",) and query.before is not None and figures.is_one_report(query.period, query.before):
        both = figures.joined(query.period, query.before)
        found = figures.all_rows(calls, both, query.by, MOST_ROWS, query.filters)
        rows, earlier = (
            [row for row in found.rows if each.first <= row.day <= each.last] for each in (query.period, query.before)
        )
        days, days_before = ({row.day: row.figures for row in each} for each in (rows, earlier))
        return _Read(replace(found, rows=rows, total=len(rows)), days, days_before, earlier)
    (found, page), (days, days_before) = ask_together(
        calls, lambda own: _rows(own, query, page_rows), lambda own: _days(own, query)
    )
    return _Read(found, days, days_before, page=page)


def _rows(calls: Calls, query: ReportQuery, page_rows: int) -> tuple[Page, Page | None]:
    """Return the rows of the period, and its page where there are more rows than are read.

    A report that may be long is asked for its page first, so that it is asked once.
    """
    if _may_be_long(query):
        page = _page_of_api(calls, query, query.page, page_rows)
        if page.total > MOST_ROWS and page.rows:
            return page, page
    return figures.all_rows(calls, query.period, query.by, MOST_ROWS, query.filters), None


def _may_be_long(query: ReportQuery) -> bool:
    """Return whether a report may have more rows than are read.

    That is one by a text of clicks, or by two slices of them.
    """
    of_clicks = [SLICES[name] for name in query.by if not is_time(name)]
    return len(of_clicks) > 1 or any(each.has_many_values for each in of_clicks)


def _days(calls: Calls, query: ReportQuery) -> tuple[Days, Days]:
    """Return the figures of each day of the period and of the one before."""
    period, before = query.period, query.before
    if before is None:
        return figures.by_day(calls, period, query.filters, query.extra_slices), {}
    return figures.by_day_of_both(calls, period, before, query.filters, query.extra_slices)


def _most(query: ReportQuery, rows: list[Row]) -> Decimal:
    values = (value_of(query.compared_kind, row.figures) for row in rows)
    return max((Decimal(value).copy_abs() for value in values if value is not None), default=Decimal(0))


def _compared(calls: Calls, query: ReportQuery, read: _Read) -> Compared | None:
    """Return rows of now and before by what they have in common; None where there are too many."""
    before = query.before
    if before is None:
        return None
    now = _by_key(query, read.rows.rows, 0)
    if not query.period.is_open:
        return _with_before(query, now, _rows_before(calls, query, before, read))
    if query.period.first > query.period.today:
        return Compared({}, {})
    return _with_finished_hours(calls, query, now, before, read)


def _rows_before(calls: Calls, query: ReportQuery, before: DayPeriod, read: _Read) -> list[Row] | None:
    """Return the rows of the period before, or of its first days; None where there are too many."""
    if read.earlier is not None:
        return [row for row in read.earlier if row.day <= before.last]
    found = figures.all_rows(calls, before, query.by, MOST_ROWS, query.filters)
    return found.rows if found.total <= MOST_ROWS else None


def _with_before(query: ReportQuery, now: dict[Key, MetricSums], earlier: list[Row] | None) -> Compared | None:
    if earlier is None or query.before is None:
        return None
    return Compared(now, _by_key(query, earlier, (query.period.first - query.before.first).days))


def _with_finished_hours(
    calls: Calls, query: ReportQuery, now: dict[Key, MetricSums], before: DayPeriod, read: _Read
) -> Compared | None:
    """Compare an unfinished period up to its last full hour."""
    days = [query.period.today] if read.earlier is None else figures.unfinished_days(query.period, before)
    earlier, *found = ask_together(
        calls,
        lambda own: _finished_rows_before(own, query, before, read),
        *(
            partial(
                figures.late_hours,
                day=day,
                period=query.period,
                slices=query.by,
                filters=query.filters,
                most=MOST_ROWS,
            )
            for day in days
        ),
    )
    compared = _with_before(query, now, earlier)
    if compared is None or any(late.total > MOST_ROWS for late in found):
        return None
    lates = [_by_key(query, late.rows, (query.period.today - day).days) for late, day in zip(found, days, strict=True)]
    now, then = (
        {key: sum_ - late.get(key, MetricSums()) for key, sum_ in each.items()}
        for each, late in zip_longest((compared.now, compared.before), lates, fillvalue=dict[Key, MetricSums]())
    )
    return Compared(now, then)


def _finished_rows_before(calls: Calls, query: ReportQuery, before: DayPeriod, read: _Read) -> list[Row] | None:
    """Return the rows before up to the hour of now, or of whole days where these are read already."""
    if read.earlier is not None:
        until = replace(before, last=min(before.last, query.period.same_day_in(before)))
        return _rows_before(calls, query, until, read)
    found = figures.finished_hours(calls, query.period, before, query.by, MOST_ROWS, query.filters)
    return found.rows if found.total <= MOST_ROWS else None


def _by_key(query: ReportQuery, rows: list[Row], days: int) -> dict[Key, MetricSums]:
    found = defaultdict[Key, MetricSums](MetricSums)
    for row in rows:
        key = compared_key(query.by, row.keys, days)
        if key is not None:
            found[key] += row.figures
    return dict(found)


def _sums(
    calls: Calls, query: ReportQuery, compared: Compared | None, days: Days, days_before: Days
) -> tuple[MetricSums | None, MetricSums | None]:
    """Return the sums of now and before that can be compared."""
    if query.before is None:
        return None, None
    if compared is not None and compared.now:
        return figures.total(compared.now.values()), figures.total(compared.before.values())
    return figures.up_to_now(calls, query.period, days, query.before, days_before, query.filters, query.extra_slices)


def change_of(query: ReportQuery, found: ReportRows, keys: Keys) -> tuple[MetricSums, MetricSums] | None:
    """Return the figures of a row that are compared, now and before; None without a comparison."""
    key = compared_key(query.by, keys, 0)
    if found.compared is None or key is None:
        return None
    now, before = found.compared.now.get(key, MetricSums()), found.compared.before.get(key, MetricSums())
    return now, before
