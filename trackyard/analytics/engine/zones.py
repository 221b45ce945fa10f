"""What clocks show, in SQL. The rules of zones are the program's own: those that an engine brings along may be older or
newer, and then a row would stand in another day than the list, the period and the answer's times say."""

import re
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import offsets_between

_LOCAL_TIME: Final = re.compile(r"toDateTime\((intDiv\([\w.]+, \d+\)(?: \* \d+)?), \{zone:String\}\)")
"""A moment of the asked zone, as statements are written before the zone is known: seconds, or steps of some."""


def resolve_local_times(sql: str, zone: str, since: int, until: int) -> str:
    """A statement in which each moment of the asked zone is what its clocks show, as a DateTime of UTC.

    zone: an IANA name · since, until: of all these moments, UTC ms, `until` exclusive. Raises ValueError for a
    statement that asks for the engine's own zones in another way.
    """
    resolved = _LOCAL_TIME.sub(lambda found: _local_time_sql(found[1], zone, since, until), sql)
    if "{zone:" in resolved:
        raise ValueError(f"a moment in a zone that is not known here: {resolved}")
    return resolved


def _local_time_sql(seconds: str, zone: str, since: int, until: int) -> str:
    (_, offset_now), *changes = offsets_between(ZoneInfo(zone), since, until)
    if not changes:
        return f"toDateTime({seconds} + {offset_now}, 'UTC')"
    steps = ""
    for at, offset in changes:
        steps += f"{seconds} < {at}, {offset_now}, "
        offset_now = offset
    return f"toDateTime({seconds} + multiIf({steps}{offset_now}), 'UTC')"
