"""Time zones: IANA names, days and their edges in UTC milliseconds."""

from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DATETIME = "%Y-%m-%d %H:%M:%S"


@lru_cache(maxsize=1024)
def find_zone(name: str) -> ZoneInfo | None:
    """The zone of an IANA name, None when there is none of that name."""
    # Machines have more, such as right/UTC with its leap seconds, that the analytic store does not know.
    if name not in _names():
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@cache
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text().split())


def day_start_ms(day: date, zone: ZoneInfo) -> int:
    """The first millisecond of `day` in `zone`, as UTC milliseconds.

    On a day whose midnight is skipped by summer time this is the first moment that exists.
    """
    local = datetime(day.year, day.month, day.day, tzinfo=zone)
    return int(local.timestamp()) * 1000


def day_end_ms(day: date, zone: ZoneInfo) -> int:
    """The first millisecond after `day` in `zone` (an exclusive end), as UTC milliseconds."""
    return day_start_ms(day + timedelta(days=1), zone)


def datetime_text(at_ms: int, zone: ZoneInfo) -> str:
    """`YYYY-MM-DD HH:MM:SS` of a moment in `zone`, the form of answers (platform-api.md, Conventions 3)."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone).strftime(DATETIME)


def local_day(at_ms: int, zone: ZoneInfo) -> date:
    """The calendar day of a moment in `zone`."""
    return datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone).date()
