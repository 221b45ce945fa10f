"""How a SQL queue is worked off: in batches, one by one when a batch fails, what cannot be done set aside."""

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final

from trackyard.store.engine.database import Database, TransactionFailure, classify_failure
from trackyard.store.engine.watch import CommitWatcher

MAX_CONFLICTS: Final = 5
"""Times a single row is tried again after losing against another transaction, before it is set aside."""


def process_queue(
    step: Callable[[], int], database: Database, stop: threading.Event, pause_seconds: float, log: logging.Logger
) -> None:
    """Calls `step`, which tells how much it did, until `stop` is set; waits for commits when it did nothing. Trouble
    is logged and waited out."""
    with closing(CommitWatcher(database)) as watch:
        while not stop.is_set():
            try:
                while step() and not stop.is_set():
                    pass
                watch.wait(stop, pause_seconds)
            except Exception as error:
                if classify_failure(error) is TransactionFailure.DEFECT:
                    log.exception("a queue cannot be worked off")
                else:
                    log.warning("the database cannot be written", extra={"error": str(error)})
                stop.wait(1)


def process_batch(
    process_some: Callable[[int], int], quarantine_first: Callable[[Exception], int], size: int, log: logging.Logger
) -> int:
    """Does up to `size` rows in one transaction, or one by one when that fails; how many left the queue.

    process_some: does at most so many rows in one transaction, how many · quarantine_first: takes the first row out
    of the way of the others. Raises when the database cannot be written just now.
    """
    try:
        return process_some(size)
    except Exception as error:
        if classify_failure(error) is TransactionFailure.UNAVAILABLE:
            raise
        log.info("a batch is done row by row", extra={"error": str(error)})
    return sum(_process_one(process_some, quarantine_first) for _ in range(size))


def _process_one(process_some: Callable[[int], int], quarantine_first: Callable[[Exception], int]) -> int:
    for _ in range(MAX_CONFLICTS):
        try:
            return process_some(1)
        except Exception as error:
            trouble, failure = classify_failure(error), error
            if trouble is TransactionFailure.UNAVAILABLE:
                raise
            if trouble is TransactionFailure.DEFECT:
                break
    return quarantine_first(failure)
