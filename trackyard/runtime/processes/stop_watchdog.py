"""The end of a process that should stop, or lost its parent, and hangs (docs/spec/engine.md#a-stop)."""

import faulthandler
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

STOP_S: Final = 40.0
"""Seconds in which an ordered stop must be done."""
_LAST_S: Final = 3.0
"""Seconds after them in which the reason is logged. Then the process ends without Python."""
EXIT_STATUS: Final = 1

log = logging.getLogger("trackyard.runtime.stop")


class StopWatchdog:
    """Ends this process when a stop takes too long, whatever its threads wait for.

    It counts on the monotonic clock, in a thread of its own. Behind it a timer of the interpreter ends the process also
    where no Python code can run or the log cannot be written.

    before_exit: the last thing to do, such as ending child processes.
    """

    def __init__(self, seconds: float = STOP_S, before_exit: Callable[[], None] = lambda: None) -> None:
        self._seconds = seconds
        self._before_exit = before_exit
        self._is_armed = False

    def arm(self) -> None:
        """Count from now on. A second call changes nothing; a handler of signals may call it."""
        if self._is_armed:
            return
        self._is_armed = True
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)  # a full pipe must not stop the timer
        faulthandler.dump_traceback_later(self._seconds + _LAST_S, exit=True, file=nowhere)
        threading.Thread(target=self._end_late, name="stop watchdog", daemon=True).start()

    def _end_late(self) -> None:
        time.sleep(self._seconds)  # of the monotonic clock
        self._before_exit()
        log.error("ended by force: the stop took too long", extra={"seconds": self._seconds, "threads": _threads()})
        os._exit(EXIT_STATUS)


def stop_with_parent(lifeline: int, watchdog: StopWatchdog) -> None:
    """Stop this process when the other end of a pipe is closed, which its parent alone has."""

    def watch() -> None:
        with suppress(OSError):
            os.read(lifeline, 1)
        watchdog.arm()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def _threads() -> dict[str, str]:
    """Return where each thread is that this process waits for."""
    frames = sys._current_frames()
    found = {}
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0)
        if thread.daemon or frame is None:
            continue
        last = traceback.extract_stack(frame, limit=4)
        found[thread.name] = " < ".join(f"{Path(at.filename).name}:{at.lineno}" for at in reversed(last))
    return found
