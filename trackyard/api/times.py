"""Days and hours of parameters as spans of UTC milliseconds (behaviour.md §2, Dates)."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms


def span(first: date, last: date, zone: ZoneInfo, *, hour: int | None = None, name: str = "date_to") -> tuple[int, int]:
    """From the start of `first` to the end of `last` (exclusive), or one hour of a single day. Raises BadInput."""
    if last < first:
        raise BadInput({name: ["This day must not lie before the first."]})
    if hour is None:
        return day_start_ms(first, zone), day_end_ms(last, zone)
    if first != last:
        raise BadInput({"hour": ["An hour needs a period of a single day."]})
    until = day_end_ms(last, zone) if hour == 23 else hour_start_ms(first, hour + 1, zone)
    return hour_start_ms(first, hour, zone), until


def hour_start_ms(day: date, hour: int, zone: ZoneInfo) -> int:
    """The first moment of an hour of a day; the two equal hours of a 25-hour day are one, the missing is empty."""
    return int(datetime(day.year, day.month, day.day, hour, tzinfo=zone).timestamp()) * 1000


def check_length(first: date, last: date, *, fine: bool, name: str = "filter[date_to]") -> None:
    """Refuses more than 366 days of a fine slice, ten years of any (behaviour.md §7)."""
    most = 366 if fine else 3660
    if last - first >= timedelta(days=most):
        raise BadInput({name: [f"The period may have at most {most} days here."]})


def text_or_none(at_ms: int | None, zone: ZoneInfo) -> str | None:
    """A moment as answers show it."""
    return None if at_ms is None else datetime_text(at_ms, zone)


At = Callable[[int | None], Any]
"""How the moments of a record are shown."""


def as_text(zone: ZoneInfo) -> At:
    """As answers show them."""
    return lambda at_ms: text_or_none(at_ms, zone)


def unchanged(at_ms: int | None) -> int | None:
    """As rows of a file have them, whose format writes them."""
    return at_ms
