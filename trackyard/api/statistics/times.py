"""Days and hours of parameters as spans of UTC milliseconds.

See docs/spec/api-conventions.md#dates-and-durations.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.reports import data_span
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms, local_day

MINUTE_MS: Final = 60_000


def span(first: date, last: date, zone: ZoneInfo, *, hour: int | None = None, name: str = "date_to") -> tuple[int, int]:
    """Return the span of days, or of one hour of a single day, its end exclusive. Raises BadInput."""
    if last < first:
        raise BadInput({name: ["This day must not lie before the first."]})
    if hour is None:
        return day_start_ms(first, zone), day_end_ms(last, zone)
    if first != last:
        raise BadInput({"hour": ["An hour needs a period of a single day."]})
    return _hour_span(first, hour, zone)


def _hour_span(day: date, hour: int, zone: ZoneInfo) -> tuple[int, int]:
    """Return the minutes at which a clock shows an hour of a day.

    The two equal hours of a 25-hour day are one, a missing hour is empty. Each minute is looked at: clocks change in
    the middle of an hour too, and whole days are left out.
    """
    start, end = day_start_ms(day, zone), day_end_ms(day, zone)
    clock = ((at, datetime.fromtimestamp(at // 1000, zone)) for at in range(start, end, MINUTE_MS))
    found = [at for at, now in clock if now.hour == hour]
    return (found[0], found[-1] + MINUTE_MS) if found else (start, start)


def hour_start_ms(day: date, hour: int, zone: ZoneInfo) -> int:
    """Return the first moment of an hour of a day.

    It is for a missing hour the moment at which clocks leave it out.
    """
    return utc_ms(datetime(day.year, day.month, day.day, hour, tzinfo=zone), zone)


def hour_end_ms(day: date, hour: int, zone: ZoneInfo) -> int:
    """Return the end of an hour of a day (exclusive).

    It is for a missing hour the moment at which clocks leave it out.
    """
    start, end = _hour_span(day, hour, zone)
    return end if end > start else hour_start_ms(day, hour, zone)


def bounded_span(
    deps: Deps, first: date, last: date, zone: ZoneInfo, *, fine: bool, name: str = "date_to", hour: int | None = None
) -> tuple[int, int]:
    """Return the span of days, or of one hour of a day, within the bounds of its length.

    The length counts days that can have data: from the first traffic to today. A longer period loses the others.
    fine: at most 366 days instead of ten years (docs/spec/statistics.md#periods). Raises BadInput.
    """
    whole = span(first, last, zone, hour=hour, name=name)
    if _fault(first, last, fine=fine) is None:
        return whole
    known = data_span(deps)
    if known is None:
        return whole[0], whole[0]
    first, last = (max(first, local_day(known[0], zone)), min(last, local_day(known[1], zone)))
    if last < first:
        return whole[0], whole[0]
    if fault := _fault(first, last, fine=fine):
        raise BadInput({name: [fault]})
    return span(first, last, zone, name=name)


def _fault(first: date, last: date, *, fine: bool) -> str | None:
    """Return the error about the length of a period, if any."""
    if fine and last - first >= timedelta(days=366):
        return "The period may have at most 366 days with data here."
    if (last.year - 10, last.month, last.day) >= (first.year, first.month, first.day):
        return "The period may have at most 10 years with data."
    return None


def utc_ms(moment: datetime, zone: ZoneInfo) -> int:
    """Return a time of a zone as UTC milliseconds."""
    return int(moment.replace(tzinfo=zone).timestamp()) * 1000


def text_or_none(at_ms: int | None, zone: ZoneInfo) -> str | None:
    """Return a time as answers show it."""
    return None if at_ms is None else datetime_text(at_ms, zone)


At = Callable[[int | None], Any]
"""How the moments of a record are shown."""


def as_text(zone: ZoneInfo) -> At:
    """Return a function that shows times as text, for answers."""
    return lambda at_ms: text_or_none(at_ms, zone)


def unchanged(at_ms: int | None) -> int | None:
    """Return a time unchanged, for rows of a file: its format writes the text."""
    return at_ms
