"""Rates of the bank among the rates of the platform (docs/spec/money.md#exchange-rates)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sqlalchemy import Connection, insert, select

from trackyard.domain.money.exchange_rates import BankRate
from trackyard.store.money.exchange_rates import BANK, newest_sources
from trackyard.store.platform import settings
from trackyard.store.tables import currency_rate, rule_clock

_DAY_SETTING: Final = "quotes_day"
"""The newest day with stored rates (ISO)."""
_ERROR_SETTING: Final = "quotes_fault"
"""The error of the last refresh; "" is none."""


@dataclass(frozen=True, slots=True)
class RateRefreshState:
    """The state of exchange rates.

    day: the newest day that was entered (ISO), "" is none.
    fault: of the last refresh, "" is none.
    """

    day: str
    fault: str


def add_bank_rates(conn: Connection, quotes: Sequence[BankRate], newest: date) -> int:
    """Store the rates that are not stored yet and return their number.

    newest: the last day of these rates.

    At first every currency without a rate gets its own. Later only those with a newest rate of the bank: a currency
    that staff removed, or gave a rate, is left alone.
    """
    conn.execute(select(rule_clock.c.version).with_for_update())  # several workers: one after the other
    before = settings.find_setting(conn, _DAY_SETTING)
    columns = currency_rate.c
    sources = newest_sources(conn)
    known: dict[str, set[int]] = defaultdict(set)
    for row in conn.execute(
        select(columns.currency, columns.from_at).where(columns.from_at >= min(quote.from_at for quote in quotes))
    ):
        known[row.currency].add(row.from_at)
    rows = [
        {"currency": quote.currency, "from_at": quote.from_at, "rate": quote.rate, "source": BANK}
        for quote in quotes
        if quote.from_at not in known[quote.currency] and _follows_bank(sources.get(quote.currency), before)
    ]
    if rows:
        conn.execute(insert(currency_rate), rows)
    if before is None or newest.isoformat() > before:
        settings.edit_setting(conn, _DAY_SETTING, newest.isoformat())
    return len(rows)


def set_refresh_error(conn: Connection, fault: str) -> None:
    """Store the error of the last refresh, "" for none."""
    if (settings.find_setting(conn, _ERROR_SETTING) or "") != fault:
        settings.edit_setting(conn, _ERROR_SETTING, fault)


def get_refresh_state(conn: Connection) -> RateRefreshState:
    """Return the state of exchange rates."""
    return RateRefreshState(
        settings.find_setting(conn, _DAY_SETTING) or "", settings.find_setting(conn, _ERROR_SETTING) or ""
    )


def _follows_bank(source: str | None, before: str | None) -> bool:
    return before is None if source is None else source == BANK
