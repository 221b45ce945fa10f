"""Reference rates of the European Central Bank, and the rates of the platform.

A rate is valid from the day after its publication, in the platform's zone. So a day has one rate, and days without a
rate (weekends) have the previous one (docs/spec/money.md#exchange-rates).
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.money import find_decimal
from trackyard.base.zones import day_end_ms
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.platform.tables.grids import program_rows

RATE_PRECISION: Final = Decimal("0.0000000001")
_MAX_RATE: Final = Decimal(10) ** 8
_EURO: Final = "EUR"
_CUBE: Final = re.compile(
    r"""<Cube\s+(?:time=['"](?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})['"]|currency=['"](?P<code>[A-Z]{3})['"]\s+rate=['"](?P<rate>[0-9.]+)['"])"""
)

RatesByDay = dict[date, dict[str, Decimal]]
"""Day to currency to units of it for one euro; the euro itself is 1."""


@dataclass(frozen=True, slots=True)
class BankRate:
    """A rate of the platform.

    rate: units of the currency for one of the platform's, from `from_at` (UTC milliseconds) on.
    """

    currency: str
    from_at: int
    rate: Decimal


@dataclass(frozen=True, slots=True)
class RateRefreshState:
    """The state of the bank's exchange rates.

    day: the newest day that was entered (ISO), "" = none.
    fault: the error of the last refresh, "" = none.
    read_at: when the last refresh ended (UTC milliseconds), None = never.
    is_requested: staff requested a refresh that no worker began yet.
    """

    day: str
    fault: str
    read_at: int | None = None
    is_requested: bool = False


@dataclass(frozen=True, slots=True)
class DayRates:
    """The rate of each day of the platform's zone from a day on.

    zone: an IANA name.
    rates: units of the currency for one of the platform's.
    """

    currency: str
    zone: str
    first: date
    rates: tuple[Decimal, ...]


def first_rate_warning(currencies: Iterable[str]) -> str:
    """Return the sentence about amounts of days before the first known rate of their currency."""
    return f"{', '.join(sorted(set(currencies)))}: no rate is known on the day, the first known one was taken."


def rates_by_day(
    currency: str, steps: Sequence[tuple[int, Decimal]], zone: ZoneInfo, first: date, last: date
) -> DayRates:
    """Return the rate of each day: the last one that holds on it.

    Days before the first known rate have that one.
    steps: moments (UTC milliseconds) in order and the rates from them on, at least one.
    """
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    places = (bisect_left(steps, day_end_ms(day, zone), key=lambda step: step[0]) for day in days)
    return DayRates(currency, zone.key, first, tuple(steps[max(place - 1, 0)][1] for place in places))


def parse_rate_table(lines: Iterable[str], since: date, until: date) -> RatesByDay:
    """Return the days from `since` to `until` (exclusive) of the bank's table.

    lines: CSV with the columns Date, USD, JPY and so on; N/A = no rate on that day.
    """
    found: RatesByDay = {}
    rows = program_rows(lines)
    names = [name.strip() for name in next(rows, [])][1:]
    for row in rows:
        day = _day(row[0]) if row else None
        if day is not None and since <= day < until:
            found[day] = {_EURO: Decimal(1)} | _rates(zip(names, row[1:], strict=False))
    return found


def parse_rate_feed(text: str) -> RatesByDay:
    """Return the days of the bank's feed (XML). Other content is ignored."""
    found: RatesByDay = {}
    current: dict[str, Decimal] = {}
    for cube in _CUBE.finditer(text):
        if cube["day"]:
            day = _day(cube["day"])
            current = {_EURO: Decimal(1)}
            if day is not None:
                found[day] = current
        else:
            current |= _rates([(cube["code"], cube["rate"])])
    return {day: rates for day, rates in found.items() if len(rates) > 1}


def platform_rates(days: RatesByDay, platform: str, zone: ZoneInfo) -> list[BankRate]:
    """Return the rates of a platform with this currency. A day without a rate of the currency has none."""
    found = []
    for day, rates in sorted(days.items()):
        own = rates.get(platform)
        if own is None:
            continue
        from_at = day_end_ms(day, zone)
        for code, rate in sorted(rates.items()):
            rebased = (rate / own).quantize(RATE_PRECISION)
            if code != platform and 0 < rebased < _MAX_RATE:
                found.append(BankRate(code, from_at, rebased))
    return found


def _rates(pairs: Iterable[tuple[str, str]]) -> dict[str, Decimal]:
    found = {}
    for code, text in pairs:
        rate = find_decimal(text)
        if rate is not None and code in NUMBERS and rate.is_finite() and rate > 0:
            found[code] = rate
    return found


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None
