"""Retention: how long things are kept (docs/retention.md). Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trackyard.domain.conversions.sessions import DAY_MS, click_retention_ms

MIN_JOURNAL_DAYS: Final = 7
"""The least days of the journal.

A postback waits up to 3 days for its click, edges look back 1 day, and a person needs time to act.
"""


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """The days that things are kept.

    journals: after they are loaded.
    clicks: at least (`click_period_ms`), with impressions and the look-up of clicks.
    logs: of inbound postbacks and of deliveries.
    personal: personal data in all stores.
    """

    journals: int = 35
    clicks: int = 400
    logs: int = 90
    personal: int = 400

    def click_period_ms(self, sessions: Iterable[str]) -> int:
        """Return how long clicks are kept, in milliseconds. sessions: the click_session of every offer."""
        return click_retention_ms(sessions, self.clicks * DAY_MS)

    def log_cutoff_ms(self, now_ms: int) -> int:
        """Return the time (UTC milliseconds) before which logs may be removed."""
        return now_ms - self.logs * DAY_MS

    def personal_cutoff_ms(self, now_ms: int) -> int:
        """Return the time (UTC milliseconds) before which personal data is emptied.

        It is the start of a day, so it changes once a day.
        """
        return (now_ms - self.personal * DAY_MS) // DAY_MS * DAY_MS


DEFAULT_RETENTION: Final = RetentionPolicy()
