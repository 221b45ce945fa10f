"""The age of the click of a postback, and the facts in its id. Pure.

docs/spec/conversions.md#the-click-of-a-postback, docs/retention.md
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from trackyard.base.ids import find_click_id

DAY_MS: Final = 86_400_000
HOUR_MS: Final = 3_600_000

CLICK_LATENESS_MS: Final = 10_000
"""A click is recorded at most this long after its id is made; an id further in the future has its own rule."""

MAX_FUTURE_WAIT_MS: Final = 60_000
"""The least time that a postback waits for a click of the future."""

MAX_CLICK_WAIT_MS: Final = 72 * 3_600_000
"""The longest time that a postback waits for its click once all journals are loaded."""

MIN_CLICK_RETENTION_MS: Final = 400 * DAY_MS
"""The least time that clicks are kept."""

_RETENTION_MARGIN_MS: Final = 35 * DAY_MS
_UNITS: Final[Mapping[str, int]] = {
    "y": 365 * DAY_MS,
    "m": 30 * DAY_MS,
    "w": 7 * DAY_MS,
    "d": DAY_MS,
    "h": 3_600_000,
    "i": 60_000,
    "s": 1000,
}
_PART: Final = re.compile(r"([0-9]+)([ymwdhis])")


@lru_cache(maxsize=1024)
def duration_ms(text: str) -> int:
    """Return the milliseconds of a duration such as 1d12h: a year is 365 days, a month 30.

    docs/spec/api-conventions.md#dates-and-durations
    """
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def click_retention_ms(sessions: Iterable[str], least: int = MIN_CLICK_RETENTION_MS) -> int:
    """Return how long clicks are kept, in milliseconds.

    sessions: the click_session of every offer.
    least: the operator's minimum, milliseconds.
    """
    return max(least, max(map(duration_ms, sessions), default=0) + _RETENTION_MARGIN_MS)


def is_possible_click_id(click_id: str, edges: Collection[int]) -> bool:
    """Return whether an id has the form of a click's, and the number of a present or past edge (`edges`)."""
    parts = find_click_id(click_id)
    return parts is not None and parts.edge in edges


def is_click_expired(click_id: str, received_at: int, retention_ms: int, edges: Collection[int]) -> bool:
    """Return whether an id belongs to a click past its retention period when its postback comes."""
    return is_click_older(click_id, received_at, retention_ms) and is_possible_click_id(click_id, edges)


def is_click_older(click_id: str, received_at: int, span: int) -> bool:
    """Return whether an id was made more than `span` milliseconds before its postback."""
    parts = find_click_id(click_id)
    return parts is not None and received_at - parts.second * 1000 > span


def is_click_wait_over(
    click_id: str,
    received_at: int,
    now_ms: int,
    edges: Collection[int],
    loaded_until: Mapping[int, int],
    caught_up_at: int = 0,
) -> bool:
    """Return whether a click that is not found yet will never be loaded. Times are UTC milliseconds.

    An id is of the future when its second is after both the postback and the loaded journals of its edge. The clock of
    an edge may have been ahead, so that such a click exists: its postback waits until the edge's journals are loaded to
    a mark that was written after the postback came, however late the load of another machine is.

    received_at: when the postback was received.
    edges: the number of every edge, past and present.
    loaded_until: by edge, the end of its loaded journals, read before the click was searched. An end after `now_ms`
            comes from a clock that was set back since. It does not show which clicks came then.
    caught_up_at: when loading resumed after an outage, which does not count as waiting.
    """
    parts = find_click_id(click_id)
    waited = now_ms - max(received_at, caught_up_at)
    if parts is None or parts.edge not in edges or waited >= MAX_CLICK_WAIT_MS:
        return True
    reached, second_ms = loaded_until.get(parts.edge, 0), parts.second * 1000
    if second_ms > max(received_at, reached) + CLICK_LATENESS_MS:
        return waited >= MAX_FUTURE_WAIT_MS and reached >= received_at + CLICK_LATENESS_MS
    return second_ms + CLICK_LATENESS_MS < reached <= now_ms
