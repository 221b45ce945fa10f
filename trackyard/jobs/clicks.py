"""Which click an inbound call names: found, still to come, or none (behaviour.md §5)."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from trackyard.base.ids import find_click_id
from trackyard.stats.engine import Analytics
from trackyard.stats.lists import find_records

LATE_MS: Final = 10_000
"""A click is recorded at most this long after its id was made; and an id may be this far in the future."""

PATIENCE_MS: Final = 72 * 3_600_000
"""No call waits longer for its click."""


def is_settled(
    click_id: str, received_at: int, now_ms: int, edges: Collection[int], loaded_until: Mapping[int, int]
) -> bool:
    """Whether a click that is not found now never will be.

    received_at: of the call · edges: every number that was ever given out · loaded_until: by edge, the time up
    to which its journals are loaded, read before the click was looked for. Times are UTC milliseconds.
    """
    parts = find_click_id(click_id)
    if parts is None or parts.edge not in edges:
        return True
    made_at = parts.second * 1000
    if made_at > received_at + LATE_MS or now_ms - received_at >= PATIENCE_MS:
        return True
    return loaded_until.get(parts.edge, 0) > made_at + LATE_MS


class ClickFinder:
    """Clicks by id: the last ones loaded from memory, the others from the analytic store."""

    def __init__(self, analytics: Analytics, capacity: int = 20_000) -> None:
        self._analytics = analytics
        self._capacity = capacity
        self._newer: dict[str, bytes] = {}
        self._older: dict[str, bytes] = {}

    def remember(self, clicks: Iterable[tuple[str, bytes]]) -> None:
        """Keeps clicks that were just loaded, as (id, payload)."""
        for click_id, payload in clicks:
            if len(self._newer) >= self._capacity:
                self._older, self._newer = self._newer, {}
            self._newer[click_id] = payload

    def find(self, click_ids: Iterable[str]) -> dict[str, bytes]:
        """The payloads of the clicks that are loaded, by id; the others are absent."""
        found: dict[str, bytes] = {}
        missing: list[str] = []
        for click_id in click_ids:
            payload = self._newer.get(click_id) or self._older.get(click_id)
            if payload is None:
                missing.append(click_id)
            else:
                found[click_id] = payload
        return found | find_records(self._analytics, missing)
