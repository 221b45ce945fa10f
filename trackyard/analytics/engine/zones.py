"""What clocks show, in SQL. The rules of zones are the program's own: those that an engine brings along may be older or
newer, and then a row would stand in another day than the list, the period and the answer's times say."""

import re
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import offsets_between

_ON_A_CLOCK: Final = re.compile(r"toDateTime\((intDiv\([\w.]+, \d+\)(?: \* \d+)?), \{zone:String\}\)")
"""A moment of the asked zone, as statements are written before the zone is known: seconds, or steps of some."""


def with_clocks(sql: str, zone: str, since: int, until: int) -> str:
    """A statement in which each moment of the asked zone is what its clocks show, as a DateTime of UTC.

    zone: an IANA name · since, until: of all these moments, UTC ms, `until` exclusive. Raises ValueError for a
    statement that asks for the engine's own zones in another way.
    """
    told = _ON_A_CLOCK.sub(lambda found: _clock(found[1], zone, since, until), sql)
    if "{zone:" in told:
        raise ValueError(f"a moment in a zone that is not known here: {told}")
    return told


def _clock(seconds: str, zone: str, since: int, until: int) -> str:
    (_, ahead), *changes = offsets_between(ZoneInfo(zone), since, until)
    if not changes:
        return f"toDateTime({seconds} + {ahead}, 'UTC')"
    steps = ""
    for at, offset in changes:
        steps += f"{seconds} < {at}, {ahead}, "
        ahead = offset
    return f"toDateTime({seconds} + multiIf({steps}{ahead}), 'UTC')"
