"""Local times in SQL, by the program's own rules of zones.

The rules of an engine may be older or newer; then a report would count a row in another day than the list shows.
"""

import re
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import offsets_between

_LOCAL_TIME: Final = re.compile(r"toDateTime\((intDiv\([\w.]+, \d+\)(?: \* \d+)?), \{zone:String\}\)")
"""A time of the requested zone in a statement before the zone is known: seconds, or steps of them."""


def resolve_local_times(sql: str, zone: str, since: int, until: int) -> str:
    """Return a statement with each time of the requested zone as its local time, a DateTime of UTC.

    zone: an IANA name.
    since, until: the limits of all these times, UTC milliseconds, `until` exclusive.
    Raises ValueError for a statement that uses the engine's zones in another way.
    """
    resolved = _LOCAL_TIME.sub(lambda found: _local_time_sql(found[1], zone, since, until), sql)
    if "{zone:" in resolved:
        raise ValueError(f"a time in a zone that is not resolved: {resolved}")
    return resolved


def _local_time_sql(seconds: str, zone: str, since: int, until: int) -> str:
    return f"toDateTime({local_seconds_sql(seconds, zone, since, until)}, 'UTC')"


def local_seconds_sql(seconds: str, zone: str, since: int, until: int) -> str:
    """Return the SQL of what a clock of a zone shows, in seconds since 1970.

    seconds: the SQL of the time. since, until: as of `resolve_local_times`.
    """
    (_, offset_now), *changes = offsets_between(ZoneInfo(zone), since, until)
    if not changes:
        return f"{seconds} + {offset_now}"
    steps = ""
    for at, offset in changes:
        steps += f"{seconds} < {at}, {offset_now}, "
        offset_now = offset
    return f"{seconds} + multiIf({steps}{offset_now})"
