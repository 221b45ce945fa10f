"""Time zones: IANA names, and the bounds of days in UTC milliseconds."""

from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DATETIME_FORMAT = "%Y-%m-%d %H:%M:%S"
_DAY = 86_400
_REGIONS = frozenset(
    ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
)


@lru_cache(maxsize=1024)
def find_zone(name: str) -> ZoneInfo | None:
    """Return the zone of an IANA name, or None."""
    # Machines have further zones, such as right/UTC with leap seconds, that the analytic store lacks.
    if name not in _names():
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zone_names() -> list[str]:
    """Return the zones that belong to places, and UTC, in order."""
    return ["UTC", *sorted(name for name in _names() if name.partition("/")[0] in _REGIONS)]


@cache
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text().split())


def day_start_ms(day: date, zone: ZoneInfo) -> int:
    """Return the first millisecond of `day` in `zone`, as UTC milliseconds.

    When summer time skips midnight, this is the first moment that exists.
    """
    local = datetime(day.year, day.month, day.day, tzinfo=zone)
    return int(local.timestamp()) * 1000


def day_end_ms(day: date, zone: ZoneInfo) -> int:
    """Return the first millisecond after `day` in `zone` (an exclusive end), as UTC milliseconds."""
    return day_start_ms(day + timedelta(days=1), zone)


def datetime_text(at_ms: int, zone: ZoneInfo) -> str:
    """Return a moment in `zone` as `YYYY-MM-DD HH:MM:SS`, the form of answers.

    docs/spec/api-conventions.md#dates-and-durations
    """
    return datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone).strftime(DATETIME_FORMAT)


def local_day(at_ms: int, zone: ZoneInfo) -> date:
    """Return the calendar day of a moment in `zone`."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone).date()


def offsets_between(zone: ZoneInfo, since_ms: int, until_ms: int) -> list[tuple[int, int]]:
    """Return the offsets of a zone from UTC in a period: (UTC seconds, seconds ahead), in order.

    The first has `since_ms`; the others begin after it and before `until_ms` (exclusive).
    """
    first, last = (datetime.fromtimestamp(at_ms // 1000, UTC).year for at_ms in (since_ms, max(since_ms, until_ms - 1)))
    changes = [change for year in range(first, last + 1) for change in _changes(zone.key, year)]
    before = [(since_ms // 1000, _utc_offset(zone, since_ms // 1000))]
    return before + [change for change in changes if since_ms < change[0] * 1000 < until_ms]


@lru_cache(maxsize=4096)
def _changes(name: str, year: int) -> tuple[tuple[int, int], ...]:
    """Return the moments of a year (UTC) at which a zone changes its offset, with the new offset.

    Each day is examined: no zone changes its offset twice a day.
    """
    zone, start = ZoneInfo(name), int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
    days = range(start, int(datetime(year + 1, 1, 1, tzinfo=UTC).timestamp()), _DAY)
    return tuple(_change(zone, day) for day in days if _utc_offset(zone, day - 1) != _utc_offset(zone, day + _DAY - 1))


def _change(zone: ZoneInfo, day: int) -> tuple[int, int]:
    """Return the second of a day (UTC) at which the offset changes, and the new offset."""
    before = _utc_offset(zone, day - 1)
    second = bisect_left(range(day, day + _DAY), True, key=lambda at: _utc_offset(zone, at) != before)
    return day + second, _utc_offset(zone, day + second)


def _utc_offset(zone: ZoneInfo, at: int) -> int:
    offset = datetime.fromtimestamp(at, UTC).astimezone(zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())
