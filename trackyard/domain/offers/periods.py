"""Calendar periods of caps and tiers.

docs/spec/conversions.md#caps, docs/spec/conversions.md#commission-tiers
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Final, assert_never
from zoneinfo import ZoneInfo


class CapPeriod(StrEnum):
    """The length of a period. A week begins on Monday; ALL never ends."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ALL = "all"


_HOUR_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Period:
    """Moments from `start` to `end`, exclusive (UTC milliseconds); end None = it never ends."""

    start: int
    end: int | None


_ALL_TIME: Final = Period(0, None)


def period_at(kind: CapPeriod, at_ms: int, zone: ZoneInfo) -> Period:
    """Return the calendar period of `zone` around a moment (UTC milliseconds)."""
    local = datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone)
    day = local.date()
    match kind:
        case CapPeriod.ALL:
            return _ALL_TIME
        case CapPeriod.HOUR:
            # By the offset of the moment: on a long day the hour that occurs twice is two periods.
            shift = int((local.utcoffset() or timedelta()).total_seconds()) * 1000
            start = (at_ms + shift) // _HOUR_MS * _HOUR_MS - shift
            return Period(start, start + _HOUR_MS)
        case CapPeriod.DAY:
            first, following = day, day + timedelta(days=1)
        case CapPeriod.WEEK:
            first = day - timedelta(days=day.weekday())
            following = first + timedelta(days=7)
        case CapPeriod.MONTH:
            first = day.replace(day=1)
            following = (first + timedelta(days=32)).replace(day=1)
        case _:
            assert_never(kind)
    return Period(*(_utc_ms(datetime.combine(each, time(), zone)) for each in (first, following)))


def _utc_ms(local: datetime) -> int:
    """Return UTC milliseconds of a local time. A skipped time is the moment of the clock change."""
    return int(local.timestamp() * 1000)
