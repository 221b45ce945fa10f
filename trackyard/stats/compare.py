"""Live tables beside those made again: what they hold, and which rows of them differ (docs/decisions/0030).

Both are loaded while they are compared, one after the other: what differs is looked at until it stays.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from trackyard.base.money import ZERO
from trackyard.domain.sessions import DAY_MS
from trackyard.stats.beside import TWINS
from trackyard.stats.engine import Analytics
from trackyard.stats.rebuild import UNCOVERED
from trackyard.stats.schema import TABLES

NAMED: Final = 10_000
"""Rows of one slice that are looked at again; above it there is more to tell than what came just now."""
_LOOKS: Final = 3


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
    """How a table is compared. what: a row in words · start: where its day begins, an expression · bucket: what rows
    are added up by first · key: what tells one row, or one conversion, from the others · group: what figures are told
    by · weight: what a row counts · hashed: the columns that count · amounts: whether it has money."""

    table: str
    what: str
    start: str
    bucket: str
    key: str
    group: str = "''"
    weight: str = "1"
    hashed: tuple[str, ...] = ()
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
        start=f"time - positiveModulo(time, {DAY_MS})",
        bucket="concat(journal, '/', toString(intDiv(position, 4194304)))",
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
        start=f"toInt64({_SECOND} - {_SECOND} % 86400)",
        bucket="hex(substring(id, 1, 3))",
        key="lower(hex(id))",
        hashed=("id", "record"),
    ),
    Compared(  # what is left of a conversion when its -1 and +1 are added up is its state
        "fact",
        "conversion of statistics",
        start=f"time - positiveModulo(time, {DAY_MS})",
        bucket="toString(intDiv(time, 900000))",
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


def days_of(analytics: Analytics, compared: Compared) -> list[int]:
    """Where the days of both tables begin."""
    each = " UNION DISTINCT ".join(
        f"SELECT DISTINCT {compared.start} AS day FROM {name}" for name in (compared.table, TWINS[compared.table].name)
    )
    return [day for (day,) in analytics.rows(f"SELECT day FROM ({each}) ORDER BY day", {}, tuple[int])]


def compare_day(
    analytics: Analytics, compared: Compared, day: int, wait: Callable[[int], None]
) -> tuple[Mapping[str, tuple[Sums, Sums]], list[Unlike]]:
    """By group what both tables hold of a day (old, new), and what differs. wait: is called with 1, 2, … before what
    differs is looked at again. Raises TooHeavy, and whatever `wait` raises."""
    within = _within(compared, day)
    pairs = analytics.rows(_sql(compared, compared.bucket, within), {}, _Pair)
    figures: dict[str, tuple[Sums, Sums]] = {}
    for pair in pairs:
        old, new = figures.get(pair.group, (Sums(), Sums()))
        figures[pair.group] = (old + pair.old, new + pair.new)
    unlike = sorted({pair.key for pair in pairs if pair.old != pair.new})
    if not unlike:
        return figures, []
    named = f"{within} AND {compared.bucket} IN ({', '.join(repr(bucket) for bucket in unlike)})"
    return figures, list(_staying(analytics, compared, named, wait))


def _staying(analytics: Analytics, compared: Compared, within: str, wait: Callable[[int], None]) -> Iterator[Unlike]:
    sql = _sql(compared, compared.key, within, differing=True, grouped=False)
    found: dict[str, _Pair] = {}
    for look in range(_LOOKS):
        if look:
            wait(look)
        pairs = {pair.key: pair for pair in analytics.rows(f"{sql} LIMIT {NAMED}", {}, _Pair)}
        found = pairs if not look else {key: pair for key, pair in pairs.items() if found.get(key) == pair}
        if not pairs:
            return
        if len(pairs) == NAMED:
            [(count,)] = analytics.rows(f"SELECT count() FROM ({sql})", {}, tuple[int])
            found = pairs
            yield Unlike("", Sums(), Sums(), more=count - NAMED)
            break
    for key, pair in sorted(found.items()):
        yield Unlike(key, pair.old, pair.new)


def _within(compared: Compared, day: int) -> str:
    if compared.table != "click_lookup":
        return f"time >= {day} AND time < {day + DAY_MS}"
    ends = (f"toFixedString(unhex('{at:08x}{'00' * 8}'), 12)" for at in (day, day + 86_400) if at < 2**32)
    return " AND ".join(f"id {sign} {end}" for sign, end in zip((">=", "<"), ends, strict=False))


def _sql(compared: Compared, key: str, within: str, *, differing: bool = False, grouped: bool = True) -> str:
    """What both tables hold by key, and by group; `differing`: where it is not the same."""
    weight = compared.weight
    hashed = f"reinterpretAsInt64(cityHash64({', '.join(f'`{name}`' for name in compared.hashed)})) * {weight}"
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
    return (
        f"SELECT k, g, {summed} FROM (\n{' UNION ALL '.join(branches)}\n) GROUP BY k, g HAVING {having} ORDER BY k, g"
    )
