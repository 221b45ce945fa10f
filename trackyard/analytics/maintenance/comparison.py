"""Live tables beside those made again: what they hold, and which rows of them differ (docs/decisions/0030).

Both are loaded while they are compared, one after the other: what is on its way is no difference.
"""

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import TABLES
from trackyard.analytics.maintenance.rebuild import UNCOVERED, Places
from trackyard.analytics.maintenance.shadow_tables import TWINS
from trackyard.base.money import ZERO
from trackyard.domain.conversions.sessions import DAY_MS

NAMED: Final = 10_000
"""Rows of one span that are looked at one by one; the others are counted."""
_SPAN: Final = 2_000_000
"""Rows of both tables that are compared by one statement."""
_LOOKS: Final = 6


class Sums(msgspec.Struct, array_like=True, frozen=True):
    """Rows added up. hash: of all that a reader can see, modulo 2**64 · payout, charge: in the platform currency."""

    rows: int = 0
    hash: int = 0
    payout: Decimal = ZERO
    charge: Decimal = ZERO

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, 0, self.payout + other.payout, self.charge + other.charge)


class _Pair(msgspec.Struct, array_like=True, frozen=True):
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
class Compared:
    """How a table is compared, most of it expressions. what: a row in words · day: its length, ms or seconds · start:
    where that of a row begins · bucket: a number, by which rows are added up first · key: what tells one row, or one
    conversion, from the others · group: what figures are told by · weight: what a row counts · hashed: what counts ·
    closely: the same of single rows, where it takes longer and is more lenient (one text may be written in several
    ways) · amounts: whether it has money."""

    table: str
    what: str
    day: int
    start: str
    bucket: str
    key: str
    group: str = "''"
    weight: str = "1"
    hashed: tuple[str, ...] = ()
    closely: tuple[str, ...] = ()
    amounts: bool = False

    def sides(self) -> tuple[str, str]:
        """What the live table and the one made again are, as sources of a SELECT."""
        twin = TWINS[self.table].name
        if self.table != "fact":
            return self.table, twin
        return self.table, f"(SELECT * FROM {twin} UNION ALL {UNCOVERED})"


def _by_place(table: str) -> Compared:
    return Compared(
        table,
        table,
        day=DAY_MS,
        start=f"time - positiveModulo(time, {DAY_MS})",
        bucket="intDiv(time, 60000)",
        key="concat(journal, ' at ', toString(position), ', id ', id)",
        hashed=TABLES[table].column_names,
    )


_SECOND: Final = "reinterpretAsUInt32(reverse(substring(id, 1, 4)))"

COMPARED: Final[tuple[Compared, ...]] = (
    _by_place("click"),
    _by_place("view"),
    Compared(
        "click_lookup",
        "click to be looked up",
        day=86_400,
        start=f"toInt64({_SECOND} - {_SECOND} % 86400)",
        bucket=f"intDiv({_SECOND}, 60)",
        key="lower(hex(id))",
        hashed=("id", "record"),
        closely=("id", "JSONExtractArrayRaw(record)"),
    ),
    Compared(  # what is left of a conversion when its -1 and +1 are added up is its state
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
"""What is compared, in this order."""


@dataclass(frozen=True, slots=True)
class Unlike:
    """A row that is not the same in both, or a number of them that nobody looks at one by one (`more`)."""

    key: str
    old: Sums
    new: Sums
    more: int = 0


def spans_of(analytics: Analytics, compared: Compared) -> list[tuple[int, int]]:
    """The time of both tables in whole days (the end exclusive), not many rows in each, unless one day has them."""
    each = " UNION ALL ".join(
        f"SELECT {compared.start} AS day, count() AS rows FROM {name} GROUP BY day"
        for name in (compared.table, TWINS[compared.table].name)
    )
    days = analytics.rows(f"SELECT day, sum(rows) FROM ({each}) GROUP BY day ORDER BY day", {}, tuple[int, int])
    spans: list[tuple[int, int]] = []
    held = 0
    for day, rows in days:
        since, held = (spans.pop()[0], held + rows) if spans and held + rows <= _SPAN else (day, rows)
        spans.append((since, day + compared.day))
    return spans


@dataclass(frozen=True, slots=True)
class Underway:
    """What is being loaded at most. places: what came before these is in both tables · conversions: whose facts may be
    in the one and not yet in the other."""

    places: Places
    conversions: Set[str]


def compare_span(
    analytics: Analytics, compared: Compared, span: tuple[int, int], underway: Callable[[], Underway]
) -> tuple[Mapping[str, tuple[Sums, Sums]], list[Unlike]]:
    """By group what both tables hold of a span (old, new), and what differs. underway: says it as it is now, and may
    wait a little first. Raises TooHeavy, and whatever `underway` raises."""
    within = _within(compared, span)
    pairs = analytics.rows(_sql(compared, compared.bucket, within), {}, _Pair)
    figures: dict[str, tuple[Sums, Sums]] = {}
    for pair in pairs:
        old, new = figures.get(pair.group, (Sums(), Sums()))
        figures[pair.group] = (old + pair.old, new + pair.new)
    unlike = sorted({pair.key for pair in pairs if pair.old != pair.new})
    if not unlike:
        return figures, []
    named = f"{within} AND {compared.bucket} IN ({', '.join(unlike)})"
    find = _find_conversions if compared.table == "fact" else _find_rows
    return figures, list(find(analytics, compared, named, span, underway))


def _find_rows(
    analytics: Analytics, compared: Compared, named: str, span: tuple[int, int], underway: Callable[[], Underway]
) -> Iterator[Unlike]:
    """What differs of clicks and views, and of their look-up, but what is being loaded just now."""
    loaded = underway().places.loaded()
    if compared.table == "click_lookup":
        around = f"time >= {(span[0] - compared.day) * 1000} AND time < {(span[1] + compared.day) * 1000}"
        loaded = f"id NOT IN (SELECT toFixedString(unhex(id), 12) FROM click WHERE {around} AND NOT ({loaded}))"
    sql = _sql(compared, compared.key, f"{named} AND {loaded}", differing=True, grouped=False)
    pairs = analytics.rows(f"{sql} LIMIT {NAMED}", {}, _Pair)
    yield from (Unlike(pair.key, pair.old, pair.new) for pair in pairs)
    if len(pairs) == NAMED:
        [(count,)] = analytics.rows(f"SELECT count() FROM ({sql})", {}, tuple[int])
        yield Unlike("", Sums(), Sums(), more=count - NAMED)


def _find_conversions(
    analytics: Analytics, compared: Compared, named: str, _span: tuple[int, int], underway: Callable[[], Underway]
) -> Iterator[Unlike]:
    """Which conversions differ, and are the same and not on their way when they are looked at again."""
    sql = _sql(compared, compared.key, named, differing=True, grouped=False)
    before: dict[str, _Pair] = {}
    for _ in range(_LOOKS):
        moving = underway().conversions
        pairs = {pair.key: pair for pair in analytics.rows(f"{sql} LIMIT {NAMED}", {}, _Pair)}
        found = {key: pair for key, pair in pairs.items() if before.get(key) == pair and key not in moving}
        if len(found) == len(pairs):
            break
        before = pairs
    yield from (Unlike(key, pair.old, pair.new) for key, pair in sorted(found.items()))
    if len(pairs) == NAMED:
        [(count,)] = analytics.rows(f"SELECT count() FROM ({sql})", {}, tuple[int])
        yield Unlike("", Sums(), Sums(), more=count - NAMED)


def _within(compared: Compared, span: tuple[int, int]) -> str:
    if compared.table != "click_lookup":
        return f"time >= {span[0]} AND time < {span[1]}"
    ends = (f"toFixedString(unhex('{at:08x}{'00' * 8}'), 12)" for at in span if at < 2**32)
    return " AND ".join(f"id {sign} {end}" for sign, end in zip((">=", "<"), ends, strict=False))


def _sql(compared: Compared, key: str, within: str, *, differing: bool = False, grouped: bool = True) -> str:
    """What both tables hold by key, and by group; `differing`: where it is not the same."""
    weight = compared.weight
    counted = (differing and compared.closely) or compared.hashed
    hashed = f"reinterpretAsInt64(cityHash64({', '.join(counted)})) * {weight}"
    money = ("payout_base", "charge_base") if compared.amounts else ("0", "0")
    sums = [f"toInt64(sum({weight}))", f"sum({hashed})"]
    sums += [f"toDecimal128(sum({weight} * {amount}), 4)" for amount in money]
    none = ["toInt64(0)", "toInt64(0)", "toDecimal128(0, 4)", "toDecimal128(0, 4)"]
    names = ["old_rows", "old_hash", "old_payout", "old_charge", "new_rows", "new_hash", "new_payout", "new_charge"]
    group = compared.group if grouped else "''"
    branches = []
    for place, source in enumerate(compared.sides()):
        columns = [*sums, *none] if place == 0 else [*none, *sums]
        listed = ", ".join(f"{column} AS {name}" for column, name in zip(columns, names, strict=True))
        branches.append(f"SELECT {key} AS k, {group} AS g, {listed} FROM {source} WHERE {within} GROUP BY k, g")
    summed = ", ".join(f"sum({name}) AS all_{name}" for name in names)
    having = " OR ".join(f"all_old_{name} != all_new_{name}" for name in ("rows", "hash")) if differing else "1"
    both = " UNION ALL ".join(branches)
    return f"SELECT toString(k), g, {summed} FROM (\n{both}\n) GROUP BY k, g HAVING {having} ORDER BY k, g"
