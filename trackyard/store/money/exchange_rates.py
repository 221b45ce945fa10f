"""Exchange rates: units of a currency for one of the platform's, from a moment on."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, and_, delete, func, insert, or_, select

from trackyard.store.tables import currency_rate

STAFF: Final = "staff"
BANK: Final = "bank"
"""The source of a rate."""


@dataclass(frozen=True, slots=True)
class ExchangeRates:
    """Rates of some currencies over a period; the platform's own is 1."""

    platform_currency: str
    history: Mapping[str, Sequence[tuple[int, Decimal]]]

    def at(self, moment: int) -> dict[str, Decimal]:
        """Return the rates in force at a moment (UTC milliseconds), before the first known one that one.

        Currencies without any rate are absent.
        """
        current = {self.platform_currency: Decimal(1)}
        for currency, steps in self.history.items():
            if currency != self.platform_currency:
                index = bisect_right(steps, moment, key=lambda step: step[0])
                current[currency] = steps[max(index - 1, 0)][1]
        return current

    def is_before_first(self, currency: str, moment: int) -> bool:
        """Return whether the first known rate of a currency is a later one (UTC milliseconds)."""
        steps = self.history.get(currency, ())
        return bool(steps) and steps[0][0] > moment


def get_rates(
    conn: Connection, platform_currency: str, currencies: Collection[str], first: int, last: int
) -> ExchangeRates:
    """Return the rates of these currencies in force from `first` to `last` (UTC milliseconds).

    A currency without one by then has its first known rate.
    """
    foreign = sorted(set(currencies) - {platform_currency})
    if not foreign:
        return ExchangeRates(platform_currency, {})
    columns = currency_rate.c
    begin = (
        select(columns.currency, func.max(columns.from_at).label("from_at"))
        .where(columns.currency.in_(foreign), columns.from_at <= first)
        .group_by(columns.currency)
        .subquery()
    )
    rows = conn.execute(
        select(columns.currency, columns.from_at, columns.rate)
        .outerjoin(begin, begin.c.currency == columns.currency)
        .where(columns.currency.in_(foreign), columns.from_at <= last)
        .where(columns.from_at >= func.coalesce(begin.c.from_at, 0))
        .order_by(columns.currency, columns.from_at)
    )
    history: dict[str, list[tuple[int, Decimal]]] = defaultdict(list)
    for row in rows:
        history[row.currency].append((row.from_at, row.rate))
    if missing := [code for code in foreign if code not in history]:
        history |= _first_rates(conn, missing)
    return ExchangeRates(platform_currency, history)


def _first_rates(conn: Connection, currencies: Collection[str]) -> dict[str, list[tuple[int, Decimal]]]:
    """Return the first known rate of each currency that has one."""
    columns = currency_rate.c
    first = (
        select(columns.currency, func.min(columns.from_at).label("from_at"))
        .where(columns.currency.in_(currencies))
        .group_by(columns.currency)
        .subquery()
    )
    same = and_(first.c.currency == columns.currency, first.c.from_at == columns.from_at)
    rows = conn.execute(select(columns.currency, columns.from_at, columns.rate).join(first, same))
    return {row.currency: [(row.from_at, row.rate)] for row in rows}


def rate_steps(conn: Connection, currency: str, first: int, last: int) -> list[tuple[int, Decimal]]:
    """Return the moments and rates of a currency in force from `first` to `last` (UTC milliseconds).

    A span before the first known rate has that first rate. A currency without rates has none.
    """
    return list(get_rates(conn, "", (currency,), first, last).history.get(currency, ()))


def add_rate(conn: Connection, currency: str, from_at: int, rate: Decimal) -> None:
    """Set the rate of a currency by hand from a moment on.

    The rate replaces a rate of the same moment and all later rates of the bank.
    """
    columns = currency_rate.c
    later = and_(columns.from_at > from_at, columns.source == BANK)
    conn.execute(delete(currency_rate).where(columns.currency == currency, or_(columns.from_at == from_at, later)))
    conn.execute(insert(currency_rate).values(currency=currency, from_at=from_at, rate=rate, source=STAFF))


def current_rates(conn: Connection, now_ms: int) -> dict[str, Decimal]:
    """Return the rate in force at `now_ms` (UTC) of every currency that has one."""
    columns = currency_rate.c
    return _newest(conn, columns.rate, columns.from_at <= now_ms)


def newest_sources(conn: Connection) -> dict[str, str]:
    """Return the source of the newest rate of each currency."""
    return _newest(conn, currency_rate.c.source)


def _newest(conn: Connection, value: Column[Any], *conditions: ColumnElement[bool]) -> dict[str, Any]:
    """Return a column of the newest rates that meet the conditions, by currency."""
    columns = currency_rate.c
    newest = select(columns.currency, func.max(columns.from_at).label("from_at")).where(*conditions)
    found = newest.group_by(columns.currency).subquery()
    same = and_(found.c.currency == columns.currency, found.c.from_at == columns.from_at)
    return dict(conn.execute(select(columns.currency, value).join(found, same)).all())


def remove_rates(conn: Connection, currency: str) -> None:
    """Remove every rate of a currency."""
    conn.execute(delete(currency_rate).where(currency_rate.c.currency == currency))
