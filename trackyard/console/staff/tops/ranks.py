"""The first rows of a slice by clicks, by the margin, or by the change of the margin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.figures import Row
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.shown import number
from trackyard.console.frame.slice_keys import Key, Keys, row_key
from trackyard.domain.statistics.metrics import MetricSums
from trackyard.wire.local_calls import LocalCalls

TOP: Final = 5
"""Rows of each table."""
MOST_ROWS: Final = 2000
"""Rows that are read to be ranked by what the API does not order by."""

RANKS: Final = (
    ("clicks", lazy_gettext("most clicks")),
    ("margin", lazy_gettext("highest margin")),
    ("least", lazy_gettext("lowest margin")),
    ("up", lazy_gettext("greatest rise of the margin")),
    ("down", lazy_gettext("greatest fall of the margin")),
)
"""The order of a table: its value in the address, and what it is called; the first one is the usual one."""
_CHANGES: Final = ("up", "down")


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row of a table.

    change: the change of the margin against the period before; None where the table has no changes.
    """

    keys: Keys
    figures: MetricSums
    change: Decimal | None = None


@dataclass(frozen=True, slots=True)
class RankedRows:
    """The first rows. hint: why there are none."""

    rows: Sequence[RankedRow]
    currency: str
    hint: str = ""


def read_ranked(
    calls: LocalCalls[Deps], slice_: str, rank: str, period: DayPeriod, earlier: DayPeriod, filters: Sequence[Pair]
) -> RankedRows:
    """Return the first rows of a slice in the order of `rank`. Raises RequestError."""
    if rank == RANKS[0][0]:
        page = figures.report(calls, period, [slice_], order="raw", limit=TOP, filters=filters)
        return RankedRows([RankedRow(row.keys, row.figures) for row in page.rows], page.currency)
    found = figures.all_rows(calls, period, [slice_], MOST_ROWS, filters)
    if found.total > MOST_ROWS:
        return RankedRows((), found.currency, _too_many(found.total))
    if rank not in _CHANGES:
        falls = rank == "margin"
        ordered = sorted(found.rows, key=lambda row: _margin(row.figures), reverse=falls)
        return RankedRows([RankedRow(row.keys, row.figures) for row in ordered[:TOP]], found.currency)
    before = figures.finished_hours(calls, period, earlier, [slice_], MOST_ROWS, filters)
    if before.total > MOST_ROWS:
        return RankedRows((), found.currency, _too_many(before.total))
    late = _late(calls, slice_, period, filters)
    changed = _with_changes(found.rows, before.rows, late)
    rising = rank == "up"
    wanted = [row for row in changed if row.change and (row.change > 0) == rising]
    wanted.sort(key=lambda row: row.change or 0, reverse=rising)
    return RankedRows(wanted[:TOP], found.currency)


def _late(calls: LocalCalls[Deps], slice_: str, period: DayPeriod, filters: Sequence[Pair]) -> Mapping[Key, MetricSums]:
    """Return the figures of today's hour that is not over, by the keys of their rows."""
    if not period.is_open or period.first > period.today:
        return {}
    late = figures.late_hours(calls, period.today, period, [slice_], filters, MOST_ROWS)
    return {row_key(row.keys): row.figures for row in late.rows}


def _with_changes(now: Sequence[Row], before: Sequence[Row], late: Mapping[Key, MetricSums]) -> list[RankedRow]:
    """Return every row of two periods with the change of its margin, up to the last full hour."""
    earlier = {row_key(row.keys): row for row in before}
    rows = []
    for row in now:
        key = row_key(row.keys)
        then = earlier.pop(key, Row(row.keys, MetricSums())).figures
        rows.append(RankedRow(row.keys, row.figures, _margin(row.figures - late.get(key, MetricSums()) - then)))
    return rows + [RankedRow(row.keys, MetricSums(), -_margin(row.figures)) for row in earlier.values()]


def _margin(figures: MetricSums) -> Decimal:
    return figures.charge - figures.payout


def _too_many(total: int) -> str:
    return gettext(
        "There are %(total)s rows, and at most %(most)s are compared: narrow the page with a filter.",
        total=number(total),
        most=number(MOST_ROWS),
    )
