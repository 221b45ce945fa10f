"""JSON logs, one object a line, with the id of the request."""

import logging
import sys
from contextvars import ContextVar
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

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that this context serves; "" outside of one."""


MAX_PATH: Final = 300
"""Characters of a path in a line. Anyone can send a path of 64 KB."""


class _FieldFilter(logging.Filter):
    """Adds the id of the request to each line, and cuts its path."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        path = getattr(record, "path", None)
        if isinstance(path, str) and len(path) > MAX_PATH:
            record.path = path[:MAX_PATH] + "…"
        return True


def log_to_stderr(role: str, level: str = "INFO") -> None:
    """Send every logger of this process to standard error as JSON.

    A line has time, level, role, logger, message, request_id and the fields of `extra`; a long path is cut.
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
