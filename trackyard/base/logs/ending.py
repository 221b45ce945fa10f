"""Errors that end a process or a part of it: one line with what to do, and the traceback at DEBUG."""

import logging
import sys
import threading
import traceback
from pathlib import PurePath
from typing import Final

from trackyard.base.logs.outages import first_line

_REPORT: Final = "report this line to the project, with the traceback that TRACKYARD_LOG_LEVEL=DEBUG adds"
ADVICE: Final = f"the server starts it again; if it ends again and again, {_REPORT}"
START_ADVICE: Final = f"the start ended; if the next one ends too, {_REPORT}"
_SHOWN_PLACES: Final = 3

_log = logging.getLogger("trackyard.log")


def log_ending(error: BaseException, advice: str = ADVICE, **fields: str) -> None:
    """Log the error that ends this process, or a part that `fields` name, in one line."""
    shown = {"error": f"{type(error).__name__}: {first_line(error)}", "at": _places(error)}
    _log.error("ended by an error", extra={**fields, **shown, "advice": advice})
    _log.debug("traceback of the error", exc_info=error)


def log_uncaught_errors(advice: str = ADVICE) -> None:
    """Log the errors that end this process and its threads, instead of printing their tracebacks."""
    sys.excepthook = lambda _kind, error, _trace: log_ending(error, advice)
    threading.excepthook = _log_thread_ending


def _log_thread_ending(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None:
        log_ending(ended.exc_value, thread="" if ended.thread is None else ended.thread.name)


def _places(error: BaseException) -> str:
    """Return where an error was raised: the innermost places first."""
    frames = traceback.extract_tb(error.__traceback__)[: -_SHOWN_PLACES - 1 : -1]
    return " < ".join(f"{'/'.join(PurePath(frame.filename).parts[-2:])}:{frame.lineno}" for frame in frames)
