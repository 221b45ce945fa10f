"""Rates of the bank among the rates of the platform: what staff say of a currency stays theirs
(docs/spec/money.md#exchange-rates)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sqlalchemy import Connection, func, insert, select

from trackyard.domain.money.exchange_rates import BankRate
from trackyard.store.money.exchange_rates import BANK
from trackyard.store.platform import settings
from trackyard.store.tables import currency_rate, rule_clock

_DAY_SETTING: Final = "quotes_day"
"""The newest day whose quotes were entered (ISO)."""
_ERROR_SETTING: Final = "quotes_fault"
"""Why the last refresh told nothing; "" = it did."""


@dataclass(frozen=True, slots=True)
class RateRefreshState:
    """How quotes stand. day: the newest that was entered (ISO), "" = none · fault: of the last refresh, "" = none."""

    day: str
    fault: str


def add_bank_rates(conn: Connection, quotes: Sequence[BankRate], newest: date) -> int:
    """Keeps the quotes that are not kept yet; how many. newest: the last day they are of.

    At first every currency without a rate gets its own. Later those alone whose newest rate is the bank's: a currency
    that staff removed, or gave a rate of theirs, is left alone.
    """
    conn.execute(select(rule_clock.c.version).with_for_update())  # several workers: one after the other
    before = settings.find_setting(conn, _DAY_SETTING)
    columns = currency_rate.c
    sources = _newest_sources(conn)
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
    """Says what became of the last refresh."""
    if (settings.find_setting(conn, _ERROR_SETTING) or "") != fault:
        settings.edit_setting(conn, _ERROR_SETTING, fault)


def get_refresh_state(conn: Connection) -> RateRefreshState:
    """How quotes stand."""
    return RateRefreshState(
        settings.find_setting(conn, _DAY_SETTING) or "", settings.find_setting(conn, _ERROR_SETTING) or ""
    )


def _follows_bank(source: str | None, before: str | None) -> bool:
    return before is None if source is None else source == BANK


def _newest_sources(conn: Connection) -> dict[str, str]:
    """Who set the newest rate of each currency."""
    columns = currency_rate.c
    newest = select(columns.currency, func.max(columns.from_at).label("at")).group_by(columns.currency).subquery()
    rows = conn.execute(
        select(columns.currency, columns.source).join(
            newest, (newest.c.currency == columns.currency) & (newest.c.at == columns.from_at)
        )
    )
    return {row.currency: row.source for row in rows}
