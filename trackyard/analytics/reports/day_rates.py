"""Money of each day at the rate of that day (docs/spec/statistics.md#amounts)."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from trackyard.analytics.engine.rollups import DAY_MS, PeriodPart, is_utc, time_bucket
from trackyard.analytics.engine.zones import local_seconds_sql
from trackyard.domain.money.exchange_rates import RATE_PRECISION, DayRates

_RATES_PER_LIST: Final = 4000
"""Rates in one list of a request, as a field of a request has at most 128 KiB."""
_PLACES: Final = -int(RATE_PRECISION.as_tuple().exponent)
_EPOCH: Final = date(1970, 1, 1)


def day_sql(rates: DayRates, piece: PeriodPart) -> str:
    """Return the SQL of the number of a row's day since 1970 in the zone of the rates."""
    if is_utc(rates.zone):
        return time_bucket(DAY_MS)
    grain = piece.grain
    seconds = "intDiv(time, 1000)" if grain is None else f"{time_bucket(grain)} * {grain // 1000}"
    return f"intDiv({local_seconds_sql(seconds, rates.zone, piece.since, piece.until)}, {DAY_MS // 1000})"


def rate_sql(rates: DayRates, day: str) -> str:
    """Return the SQL of the rate of a day. day: the SQL of its number since 1970."""
    lists = ", ".join(f"{{{name}:Array(Int64)}}" for name, _ in _lists(rates))
    units = f"arrayElement(arrayConcat({lists}), {day} - {(rates.first - _EPOCH).days - 1})"
    return f"(toDecimal128({units}, {_PLACES}) / {10**_PLACES})"


def rate_parameters(rates: DayRates | None) -> dict[str, Any]:
    """Return the parameters of `rate_sql`."""
    return {} if rates is None else dict(_lists(rates))


def _lists(rates: DayRates) -> Iterator[tuple[str, list[int]]]:
    """Yield the name of each list, and its rates as whole numbers."""
    units = [int(rate.scaleb(_PLACES)) for rate in rates.rates]
    for number, start in enumerate(range(0, len(units), _RATES_PER_LIST)):
        yield f"day_rates_{number}", units[start : start + _RATES_PER_LIST]
