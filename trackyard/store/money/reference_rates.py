"""Rates of the bank among the rates of the platform (docs/spec/money.md#exchange-rates)."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlalchemy import Connection, insert, select

from trackyard.domain.money.exchange_rates import BankRate, RateRefreshState
from trackyard.store.money.exchange_rates import BANK, newest_sources
from trackyard.store.platform import settings
from trackyard.store.tables import currency_rate, rule_clock

_DAY_SETTING: Final = "quotes_day"
"""The newest day with stored rates (ISO)."""
_ERROR_SETTING: Final = "quotes_fault"
"""The error of the last refresh; "" is none."""
_READ_SETTING: Final = "quotes_read_at"
"""When the last refresh ended (UTC milliseconds)."""
_REQUEST_SETTING: Final = "quotes_asked_at"
"""When staff last asked for a refresh (UTC milliseconds)."""
_TAKEN_SETTING: Final = "quotes_taken"
"""The request that a worker took, by its time."""


def add_bank_rates(conn: Connection, quotes: Sequence[BankRate], newest: date) -> int:
    """Store the rates that are not stored yet and return their number.

    newest: the last day of these rates.

    The first call stores the bank's rate of each currency without a rate. Later calls store rates of currencies only
    while their newest rate is the bank's: rates that staff set, and currencies that staff removed, stay as they are.
    """
    _wait_for_others(conn)
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


def end_refresh(conn: Connection, fault: str, now_ms: int) -> None:
    """Store the error of a refresh, "" for none, and when it ended."""
    if (settings.find_setting(conn, _ERROR_SETTING) or "") != fault:
        settings.edit_setting(conn, _ERROR_SETTING, fault)
    settings.edit_setting(conn, _READ_SETTING, now_ms)


def request_refresh(conn: Connection, now_ms: int, pause_ms: int) -> bool:
    """Ask a worker to read the rates.

    Return False when the last request or refresh is younger than `pause_ms`.
    """
    _wait_for_others(conn)
    before = (settings.find_setting(conn, name) for name in (_REQUEST_SETTING, _READ_SETTING))
    if any(moment is not None and now_ms - pause_ms < moment <= now_ms for moment in before):
        return False
    settings.edit_setting(conn, _REQUEST_SETTING, now_ms)
    return True


def has_request(conn: Connection) -> bool:
    """Return whether staff asked for a refresh that no worker began yet."""
    return bool(settings.find_setting(conn, _REQUEST_SETTING) != settings.find_setting(conn, _TAKEN_SETTING))


def take_request(conn: Connection) -> bool:
    """Take the request of staff; return False when there is none or another worker took it."""
    _wait_for_others(conn)
    is_there = has_request(conn)
    if is_there:
        settings.edit_setting(conn, _TAKEN_SETTING, settings.find_setting(conn, _REQUEST_SETTING))
    return is_there


def get_refresh_state(conn: Connection) -> RateRefreshState:
    """Return the state of exchange rates."""
    return RateRefreshState(
        settings.find_setting(conn, _DAY_SETTING) or "",
        settings.find_setting(conn, _ERROR_SETTING) or "",
        settings.find_setting(conn, _READ_SETTING),
        has_request(conn),
    )


def _wait_for_others(conn: Connection) -> None:
    """Wait until other machines wrote what they change here."""
    conn.execute(select(rule_clock.c.version).with_for_update())


def _follows_bank(source: str | None, before: str | None) -> bool:
    return before is None if source is None else source == BANK
