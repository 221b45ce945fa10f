"""Failures of stores as answers to callers (docs/spec/api-conventions.md#errors).

Only defects of the program are a 500.
"""

import errno
import logging
from typing import Final

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import Conflict, RequestError, Unavailable
from trackyard.store.engine.database import (
    TransactionFailure,
    classify_failure,
    conflicting_columns,
    is_disk_full,
    is_rolled_back,
)
from trackyard.store.platform.file_storage import FilesUnavailable

FULL: Final = "The data cannot be written, as the disk is full: nothing was changed"
NO_FILES: Final = (
    "Files cannot be kept or read now, as the bucket of TRACKYARD_FILES_URL refuses or does not answer (the log says "
    "which): nothing was changed"
)
CONFLICTING_WRITE: Final = "Another change was made at the same moment, so this one was undone: send it again"

_FULL_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class LoggedFailures:
    """The failures of a thread that works without callers; each is logged."""

    def __init__(self, log: logging.Logger, work: str, pause_s: float) -> None:
        """Hold the words of the log, and how long the thread waits after a failure."""
        self._log, self._work, self._pause_s = log, work, pause_s

    def failed(self, error: Exception) -> float:
        """Log a failure; return the seconds to wait."""
        level = logging.ERROR if refusal_of(error) is None else logging.DEBUG
        self._log.log(level, f"{self._work} failed", exc_info=error)
        return self._pause_s

    def worked(self) -> None:
        """Do nothing: failures are logged one by one."""


def refusal_of(fault: Exception) -> RequestError | None:
    """Return the answer to a failure; None for a defect of the program. A taken value is a Conflict."""
    if isinstance(fault, FilesUnavailable):
        return Unavailable(NO_FILES, code=ErrorCode.FILES_UNREACHABLE)
    if is_disk_full(fault) or (isinstance(fault, OSError) and fault.errno in _FULL_DISK):
        return Unavailable(FULL, code=ErrorCode.DISK_FULL)
    if columns := conflicting_columns(fault):
        return Conflict({column: ["This value is taken."] for column in columns})
    trouble = classify_failure(fault)
    if trouble is TransactionFailure.UNAVAILABLE:
        return Unavailable()
    return Unavailable(CONFLICTING_WRITE, retry_after=1) if is_rolled_back(fault) else None
