"""How a SQL queue is worked off: in batches, one by one when a batch fails, what cannot be done set aside."""

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final

from trackyard.store.engine.database import Database, Trouble, trouble_of
from trackyard.store.engine.watch import Watch

CONFLICTS: Final = 5
"""Times a single row is tried again after losing against another transaction, before it is set aside."""


def work_off(
    step: Callable[[], int], database: Database, stop: threading.Event, pause_seconds: float, log: logging.Logger
) -> None:
    """Calls `step`, which tells how much it did, until `stop` is set; waits for commits when it did nothing. Trouble
    is logged and waited out."""
    with closing(Watch(database)) as watch:
        while not stop.is_set():
            try:
                while step() and not stop.is_set():
                    pass
                watch.wait(stop, pause_seconds)
            except Exception as error:
                if trouble_of(error) is Trouble.DEFECT:
                    log.exception("a queue cannot be worked off")
                else:
                    log.warning("the database cannot be written", extra={"error": str(error)})
                stop.wait(1)


def do_batch(
    do_some: Callable[[int], int], set_aside: Callable[[Exception], int], size: int, log: logging.Logger
) -> int:
    """Does up to `size` rows in one transaction, or one by one when that fails; how many left the queue.

    do_some: does at most so many rows in one transaction, how many · set_aside: takes the first row out of the way
    of the others. Raises when the database cannot be written just now.
    """
    try:
        return do_some(size)
    except Exception as error:
        if trouble_of(error) is Trouble.UNAVAILABLE:
            raise
        log.info("a batch is done row by row", extra={"error": str(error)})
    return sum(_do_one(do_some, set_aside) for _ in range(size))


def _do_one(do_some: Callable[[int], int], set_aside: Callable[[Exception], int]) -> int:
    for _ in range(CONFLICTS):
        try:
            return do_some(1)
        except Exception as error:
            trouble, failure = trouble_of(error), error
            if trouble is Trouble.UNAVAILABLE:
                raise
            if trouble is Trouble.DEFECT:
                break
    return set_aside(failure)
