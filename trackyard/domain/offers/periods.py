"""Calendar periods that caps and tiers count in (docs/spec/conversions.md#caps,
docs/spec/conversions.md#commission-tiers)."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

PERIODS: Final = ("hour", "day", "week", "month", "all")
"""Names of periods; a week begins on Monday, `all` never ends."""

_HOUR_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Period:
    """Moments from `start` up to `end`, exclusive (UTC ms); end None = it never ends."""

    start: int
    end: int | None


_ALL_TIME: Final = Period(0, None)


def period_at(name: str, at_ms: int, zone: ZoneInfo) -> Period:
    """The period `name` of the calendar of `zone` that the moment `at_ms` (UTC ms) lies in. Raises ValueError for a
    name that is none of PERIODS."""
    if name == "all":
        return _ALL_TIME
    if name == "hour":
        # By the offset of the moment, so that each of the two equal hours of a long day is one of its own.
        offset = datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone).utcoffset() or timedelta()
        shift = int(offset.total_seconds()) * 1000
        start = (at_ms + shift) // _HOUR_MS * _HOUR_MS - shift
        return Period(start, start + _HOUR_MS)
    day = datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone).date()
    match name:
        case "day":
            first, following = day, day + timedelta(days=1)
        case "week":
            first = day - timedelta(days=day.weekday())
            following = first + timedelta(days=7)
        case "month":
            first = day.replace(day=1)
            following = (first + timedelta(days=32)).replace(day=1)
        case _:
            raise ValueError(f"{name} is no period")
    return Period(*(_utc_ms(datetime.combine(each, time(), zone)) for each in (first, following)))


def _utc_ms(local: datetime) -> int:
    """UTC ms of a local time; one that a change of clocks skips is the moment of the change."""
    return int(local.timestamp() * 1000)
