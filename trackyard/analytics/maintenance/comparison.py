"""The comparison of live tables with shadow tables after a rebuild (docs/decisions/0030).

Both are loaded during the comparison, one after the other: rows in flight do not count as differences.
"""

from collections.abc import Callable, Iterator, Mapping, Set, Sized
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import CLICK_ID_SECOND, TABLES
from trackyard.analytics.maintenance.rebuild import NEWER_LATE_EVENTS_SQL, RebuildCheckpoint
from trackyard.analytics.maintenance.shadow_tables import SHADOW_TABLES
from trackyard.base.money import ZERO
from trackyard.domain.conversions.sessions import DAY_MS

MAX_LISTED_ROWS: Final = 10_000
"""Differing rows of one period that are listed; the others are counted."""
_PERIOD_ROWS: Final = 2_000_000
"""Rows of both tables that are compared by one statement."""
_MAX_ATTEMPTS: Final = 6


class Sums(msgspec.Struct, array_like=True, frozen=True):
    """The sums of rows.

    hash: the sum of the rows' hashes modulo 2**64, over all columns that a reader sees.
    payout, charge: amounts in the platform currency.
    """

    rows: int = 0
    hash: int = 0
    payout: Decimal = ZERO
    charge: Decimal = ZERO

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, 0, self.payout + other.payout, self.charge + other.charge)


class _SumsPair(msgspec.Struct, array_like=True, frozen=True):
    key: str
    group: str
    old_rows: int
    old_hash: int
    old_payout: Decimal
    old_charge: Decimal
    new_rows: int
    new_hash: int
    new_payout: Decimal
    new_charge: Decimal

    @property
    def old(self) -> Sums:
        return Sums(self.old_rows, self.old_hash, self.old_payout, self.old_charge)

    @property
    def new(self) -> Sums:
        return Sums(self.new_rows, self.new_hash, self.new_payout, self.new_charge)


@dataclass(frozen=True, slots=True)
class TableComparison:
    """The comparison of one table, mostly in SQL expressions.

    what: the name of a row for messages.
    day: its length, milliseconds or seconds.
    start: the begin of a row's day.
    bucket: a number by which rows are summed first.
    key: the identity of a row or conversion.
    group: the groups of the totals.
    weight: the number that a row counts.
    hashed: the compared columns.
    hashed_by_row: the columns for single rows, where a slower comparison accepts several spellings of a text.
    amounts: whether it has money.
    """

    table: str
    what: str
    day: int
    start: str
    bucket: str
    key: str
    group: str = "''"
    weight: str = "1"
    hashed: tuple[str, ...] = ()
    hashed_by_row: tuple[str, ...] = ()
    amounts: bool = False

    def sources(self) -> tuple[str, str]:
        """Return the live table and the shadow table as sources of a SELECT."""
        twin = SHADOW_TABLES[self.table].name
        if self.table != "fact":
            return self.table, twin
        return self.table, f"(SELECT * FROM {twin} UNION ALL {NEWER_LATE_EVENTS_SQL})"


def _compare_by_position(table: str) -> TableComparison:
    return TableComparison(
        table,
        table,
        day=DAY_MS,
        start=f"time - positiveModulo(time, {DAY_MS})",
        bucket="intDiv(time, 60000)",
        key="concat(journal, ' at ', toString(position), ', id ', id)",
        hashed=TABLES[table].column_names,
    )


TABLE_COMPARISONS: Final[tuple[TableComparison, ...]] = (
    _compare_by_position("click"),
    _compare_by_position("view"),
    TableComparison(
        "click_lookup",
        "click to be looked up",
        day=86_400,
        start=f"toInt64({CLICK_ID_SECOND} - {CLICK_ID_SECOND} % 86400)",
        bucket=f"intDiv({CLICK_ID_SECOND}, 60)",
        key="lower(hex(id))",
        hashed=("id", "record"),
        hashed_by_row=("id", "JSONExtractArrayRaw(record)"),
    ),
    TableComparison(  # the sum of the -1 and +1 of a conversion is its state
        "fact",
        "conversion of statistics",
        day=DAY_MS,
        start=f"time - positiveModulo(time, {DAY_MS})",
        bucket="intDiv(time, 900000)",
        key="conversion_id",
        group="toString(status)",
        weight="sign",
        hashed=tuple(name for name in TABLES["fact"].column_names if name not in ("sign", "version")),
        amounts=True,
    ),
)
"""The comparisons in their order."""


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that differs, or the number of further ones (`more`)."""

    key: str
    old: Sums
    new: Sums
    more: int = 0


def split_into_periods(analytics: Analytics, compared: TableComparison) -> list[tuple[int, int]]:
    """Split the time of both tables into periods of whole days (the end exclusive).

    A period has at most _PERIOD_ROWS rows, unless one day has more.
    """
    each = " UNION ALL ".join(
        f"SELECT {compared.start} AS day, count() AS rows FROM {name} GROUP BY day"
        for name in (compared.table, SHADOW_TABLES[compared.table].name)
    )
    days = analytics.rows(f"SELECT day, sum(rows) FROM ({each}) GROUP BY day ORDER BY day", {}, tuple[int, int])
    spans: list[tuple[int, int]] = []
    held = 0
    for day, rows in days:
        since, held = (spans.pop()[0], held + rows) if spans and held + rows <= _PERIOD_ROWS else (day, rows)
        spans.append((since, day + compared.day))
    return spans


@dataclass(frozen=True, slots=True)
class InFlight:
    """The rows that may be in only one of both tables.

    checkpoint: rows before it are in both tables.
    conversions: the conversions with events that may be missing in one table.
    """

    checkpoint: RebuildCheckpoint
    conversions: Set[str]


def compare_period(
    analytics: Analytics, compared: TableComparison, span: tuple[int, int], find_in_flight: Callable[[], InFlight]
) -> tuple[Mapping[str, tuple[Sums, Sums]], list[RowDifference]]:
    """Return the sums of a period in both tables (old, new) by group, and the differing rows.

    find_in_flight: returns the current rows in flight; it may wait first.
    Raises ReportTooHeavy, and the errors of `find_in_flight`.
    """
    period_condition = _period_condition(compared, span)
    pairs = analytics.rows(_comparison_sql(compared, compared.bucket, period_condition), {}, _SumsPair)
    totals: dict[str, tuple[Sums, Sums]] = {}
    for pair in pairs:
        old, new = totals.get(pair.group, (Sums(), Sums()))
        totals[pair.group] = (old + pair.old, new + pair.new)
    differing_buckets = sorted({pair.key for pair in pairs if pair.old != pair.new})
    if not differing_buckets:
        return totals, []
    bucket_condition = f"{period_condition} AND {compared.bucket} IN ({', '.join(differing_buckets)})"
    find = _find_conversions if compared.table == "fact" else _find_rows
    return totals, list(find(analytics, compared, bucket_condition, span, find_in_flight))


def _find_rows(
    analytics: Analytics,
    compared: TableComparison,
    bucket_condition: str,
    span: tuple[int, int],
    find_in_flight: Callable[[], InFlight],
) -> Iterator[RowDifference]:
    """Yield the differing clicks, impressions or look-ups, without rows in flight."""
    loaded_condition = find_in_flight().checkpoint.loaded_condition()
    if compared.table == "click_lookup":
        nearby = f"time >= {(span[0] - compared.day) * 1000} AND time < {(span[1] + compared.day) * 1000}"
        loaded_condition = (
            f"id NOT IN (SELECT toFixedString(unhex(id), 12) FROM click WHERE {nearby} AND NOT ({loaded_condition}))"
        )
    sql = _comparison_sql(
        compared, compared.key, f"{bucket_condition} AND {loaded_condition}", differing=True, grouped=False
    )
    pairs = _list_pairs(analytics, sql)
    yield from (RowDifference(pair.key, pair.old, pair.new) for pair in pairs)
    yield from _count_further(analytics, sql, pairs)


def _find_conversions(
    analytics: Analytics,
    compared: TableComparison,
    bucket_condition: str,
    _span: tuple[int, int],
    find_in_flight: Callable[[], InFlight],
) -> Iterator[RowDifference]:
    """Yield the conversions that differ in the same way twice and are not in flight."""
    sql = _comparison_sql(compared, compared.key, bucket_condition, differing=True, grouped=False)
    before: dict[str, _SumsPair] = {}
    for _ in range(_MAX_ATTEMPTS):
        in_flight = find_in_flight().conversions
        pairs = {pair.key: pair for pair in _list_pairs(analytics, sql)}
        found = {key: pair for key, pair in pairs.items() if before.get(key) == pair and key not in in_flight}
        if len(found) == len(pairs):
            break
        before = pairs
    yield from (RowDifference(key, pair.old, pair.new) for key, pair in sorted(found.items()))
    yield from _count_further(analytics, sql, pairs)


def _list_pairs(analytics: Analytics, sql: str) -> list[_SumsPair]:
    return analytics.rows(f"{sql} LIMIT {MAX_LISTED_ROWS}", {}, _SumsPair)


def _count_further(analytics: Analytics, sql: str, listed: Sized) -> Iterator[RowDifference]:
    """Yield the number of differing rows in addition to the listed ones, if any."""
    if len(listed) == MAX_LISTED_ROWS:
        [(count,)] = analytics.rows(f"SELECT count() FROM ({sql})", {}, tuple[int])
        yield RowDifference("", Sums(), Sums(), more=count - MAX_LISTED_ROWS)


def _period_condition(compared: TableComparison, span: tuple[int, int]) -> str:
    if compared.table != "click_lookup":
        return f"time >= {span[0]} AND time < {span[1]}"
    ends = (f"toFixedString(unhex('{at:08x}{'00' * 8}'), 12)" for at in span if at < 2**32)
    return " AND ".join(f"id {sign} {end}" for sign, end in zip((">=", "<"), ends, strict=False))


def _comparison_sql(
    compared: TableComparison, key: str, period_condition: str, *, differing: bool = False, grouped: bool = True
) -> str:
    """Return the statement for the sums of both tables by key and group.

    differing: of differing keys alone.
    """
    weight = compared.weight
    counted = (differing and compared.hashed_by_row) or compared.hashed
    hashed = f"reinterpretAsInt64(cityHash64({', '.join(counted)})) * {weight}"
    money = ("payout_base", "charge_base") if compared.amounts else ("0", "0")
    sums = [f"toInt64(sum({weight}))", f"sum({hashed})"]
    sums += [f"toDecimal128(sum({weight} * {amount}), 4)" for amount in money]
    none = ["toInt64(0)", "toInt64(0)", "toDecimal128(0, 4)", "toDecimal128(0, 4)"]
    names = _SumsPair.__struct_fields__[2:]
    group = compared.group if grouped else "''"
    branches = []
    for place, source in enumerate(compared.sources()):
        columns = [*sums, *none] if place == 0 else [*none, *sums]
        listed = ", ".join(f"{column} AS {name}" for column, name in zip(columns, names, strict=True))
        branches.append(
            f"SELECT {key} AS k, {group} AS g, {listed} FROM {source} WHERE {period_condition} GROUP BY k, g"
        )
    summed = ", ".join(f"sum({name}) AS all_{name}" for name in names)
    having = " OR ".join(f"all_old_{name} != all_new_{name}" for name in ("rows", "hash")) if differing else "1"
    both = " UNION ALL ".join(branches)
    return f"SELECT toString(k), g, {summed} FROM (\n{both}\n) GROUP BY k, g HAVING {having} ORDER BY k, g"
