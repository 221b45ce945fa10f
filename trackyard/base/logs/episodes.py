"""Events that are logged when they begin and end, however often they happen in between."""

import logging
from typing import Final

EPISODE_END_S: Final = 60.0
"""Seconds after which something that happened no more has ended."""


class EpisodeLog:
    """Logs the begin and the end of an episode, however often it happens in between.

    begun, ended: the messages.
    """

    def __init__(self, log: logging.Logger, begun: str, ended: str) -> None:
        self._log = log
        self._begun, self._ended = begun, ended
        self._count = 0
        self._last_at = 0.0

    @property
    def is_open(self) -> bool:
        """Return whether it began and has not ended."""
        return self._count > 0

    def update(self, count: int, now: float) -> None:
        """Take how often it happened since the last call. now: seconds that never decrease."""
        if count:
            if not self._count:
                self._log.warning(self._begun, extra={"count": count})
            self._count += count
            self._last_at = now
        elif self._count and now - self._last_at >= EPISODE_END_S:
            self._log.info(self._ended, extra={"count": self._count})
            self._count = 0
