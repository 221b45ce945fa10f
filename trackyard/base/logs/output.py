"""Where the log of a process goes: standard error."""

import logging
import sys
from typing import Final

from trackyard.base.logs.formats import formatter_for
from trackyard.base.logs.origin import request_origin

_LIBRARY_LEVELS = {
    "alembic": logging.WARNING,
    "uvicorn": logging.WARNING,
    "urllib3": logging.ERROR,
    "clickhouse_connect": logging.CRITICAL,
    "psycopg": logging.ERROR,
    "python_multipart": logging.CRITICAL,
}
"""Libraries with the least level that is logged.

Below it they repeat our lines: each start, each failed attempt, each lost connection, and each malformed body as an
error.
"""

MAX_PATH: Final = 300
"""Characters of a path in a line. Anyone can send a path of 64 KB."""


class FieldFilter(logging.Filter):
    """Adds the ids of the request, where there is one, and cuts its path."""

    def filter(self, record: logging.LogRecord) -> bool:
        origin = request_origin.get()
        if origin.id:
            record.request_id = origin.id
        if origin.client_id:
            record.client_request_id = origin.client_id
        path = getattr(record, "path", None)
        if isinstance(path, str) and len(path) > MAX_PATH:
            record.path = path[:MAX_PATH] + "…"
        return True


def log_to_stderr(role: str, level: str = "INFO", form: str = "auto") -> None:
    """Send every logger of this process to standard error.

    A line has time (UTC), level, role, logger, message, the fields of `extra`, and in a request its request_id, and
    client_request_id where the caller sent one. A long path is cut.
    form: text, json, or auto = text at a terminal, else json.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter_for(form, role, sys.stderr))
    handler.addFilter(FieldFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library, least in _LIBRARY_LEVELS.items():
        logging.getLogger(library).setLevel(max(least, root.level))
