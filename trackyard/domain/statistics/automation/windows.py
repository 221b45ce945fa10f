"""The windows of rules: whole hours that end with the last one (docs/spec/automation.md#windows)."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

HOUR_MS: Final = 3_600_000
MOST_HOURS: Final = 720
"""The longest window: 30 days."""
WEEK_HOURS: Final = 168
WEEKS_BEFORE: Final = 4
"""How many weeks the same hours are compared with."""


class Window(NamedTuple):
    """A time from `since` to `until` (exclusive), UTC milliseconds, both at whole hours."""

    since: int
    until: int


def last_window(hours: int, now_ms: int) -> Window:
    """Return the window of so many hours that ends with the last whole hour."""
    until = now_ms - now_ms % HOUR_MS
    return Window(until - hours * HOUR_MS, until)


def same_hours_before(window: Window, zone: ZoneInfo) -> tuple[Window, ...]:
    """Return the same local hours of each of the weeks before, the last week first.

    Each is as long as the window, also where a day has 23 or 25 hours.
    """
    length = window.until - window.since
    begin = datetime.fromtimestamp(window.since / 1000, zone).replace(tzinfo=None)
    found = []
    for week in range(1, WEEKS_BEFORE + 1):
        local = (begin - timedelta(weeks=week)).replace(tzinfo=zone)
        since = round(local.timestamp() * 1000)
        since -= since % HOUR_MS
        found.append(Window(since, since + length))
    return tuple(found)
