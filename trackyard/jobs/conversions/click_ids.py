"""The clicks that inbound postbacks name (docs/spec/conversions.md#the-click-of-a-postback)."""

from collections.abc import Iterable

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.clicks import find_records


class ClickFinder:
    """Find clicks by id: recently loaded ones in memory, others in the analytic store."""

    def __init__(self, analytics: Analytics, capacity: int = 20_000) -> None:
        self._analytics = analytics
        self._capacity = capacity
        self._newer: dict[str, bytes] = {}
        self._older: dict[str, bytes] = {}

    def remember(self, clicks: Iterable[tuple[str, bytes]]) -> None:
        """Keep clicks that were just loaded, as (id, payload)."""
        for click_id, payload in clicks:
            if len(self._newer) >= self._capacity:
                self._older, self._newer = self._newer, {}
            self._newer[click_id] = payload

    def find(self, click_ids: Iterable[str]) -> dict[str, bytes]:
        """Return the payloads of the clicks that are loaded, by id; others are absent."""
        found: dict[str, bytes] = {}
        missing: list[str] = []
        for click_id in click_ids:
            payload = self._newer.get(click_id) or self._older.get(click_id)
            if payload is None:
                missing.append(click_id)
            else:
                found[click_id] = payload
        return found | find_records(self._analytics, missing)
