"""JSON logs, one object a line, with the id of the request."""

import logging
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from pythonjsonlogger.json import JsonFormatter

_LIBRARY_LEVELS = {
    "alembic": logging.WARNING,
    "uvicorn": logging.WARNING,
    "urllib3": logging.ERROR,
    "clickhouse_connect": logging.ERROR,
    "python_multipart": logging.CRITICAL,
}
"""Libraries with the least level that is logged.

Below it they repeat our lines: each start, each failed attempt, and each malformed body as an error.
"""


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """Where a request of the API comes from; "" outside of one.

    id: ours, unique.
    client_id: the caller's own X-Request-Id, cut and cleaned.
    shown_id: the one that the answer has.
    address, user_agent: of the client.
    """

    id: str = ""
    client_id: str = ""
    shown_id: str = ""
    address: str = ""
    user_agent: str = ""


request_origin: ContextVar[RequestOrigin] = ContextVar("request_origin", default=RequestOrigin())  # noqa: B039
"""The origin of the request that this context serves."""


MAX_PATH: Final = 300
"""Characters of a path in a line. Anyone can send a path of 64 KB."""


EPISODE_END_S: Final = 60.0
"""Seconds after which something that happened no more has ended."""


class _FieldFilter(logging.Filter):
    """Adds the ids of the request to each line, and cuts its path."""

    def filter(self, record: logging.LogRecord) -> bool:
        origin = request_origin.get()
        record.request_id = origin.id
        if origin.client_id:
            record.client_request_id = origin.client_id
        path = getattr(record, "path", None)
        if isinstance(path, str) and len(path) > MAX_PATH:
            record.path = path[:MAX_PATH] + "…"
        return True


def log_to_stderr(role: str, level: str = "INFO") -> None:
    """Send every logger of this process to standard error as JSON.

    A line has time, level, role, logger, message, request_id, client_request_id where the caller sent one, and the
    fields of `extra`; a long path is cut.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter(
            "%(asctime)s %(levelname)s %(name)s %(message)s %(request_id)s",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
            static_fields={"role": role},
        )
    )
    handler.addFilter(_FieldFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library, least in _LIBRARY_LEVELS.items():
        logging.getLogger(library).setLevel(max(least, root.level))


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
