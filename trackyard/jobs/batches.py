"""Process a SQL queue in batches.

A failed batch is processed row by row, and a row that fails is quarantined.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final

from trackyard.jobs.failures import JobFailures
from trackyard.store.engine.database import Database, TransactionFailure, classify_failure
from trackyard.store.engine.watch import MAX_CLOSED_SECONDS, CommitWatcher

_MAX_PAUSE_S: Final = 5.0
MAX_CONFLICTS: Final = 5
"""Attempts of a single row that conflicts with other transactions, before it is quarantined."""


def process_queue(
    job: str,
    step: Callable[[], int],
    database: Database,
    stop: threading.Event,
    pause_seconds: float,
    log: logging.Logger,
) -> None:
    """Call `step`, which returns how much it did, until `stop` is set, and wait for commits in between.

    Work for it comes with commits alone. Failures are logged and retried.
    """
    failures = JobFailures(log, "worker", job, most_s=_MAX_PAUSE_S)
    with closing(CommitWatcher(database)) as watch:
        while not stop.is_set():
            try:
                while step() and not stop.is_set():
                    pass
                failures.worked()
                watch.wait(stop, pause_seconds, MAX_CLOSED_SECONDS)
            except Exception as error:
                stop.wait(failures.failed(error))


def process_batch(
    process_some: Callable[[int], int], quarantine_first: Callable[[Exception], int], size: int, log: logging.Logger
) -> int:
    """Process up to `size` rows in one transaction, else one by one; return how many left the queue.

    process_some: processes at most this many rows in one transaction; returns how many.
    quarantine_first: quarantines the first row; returns how many.
    Raises when the database cannot be written just now.
    """
    try:
        return process_some(size)
    except Exception as error:
        if classify_failure(error) is TransactionFailure.UNAVAILABLE:
            raise
        log.info("batch processed row by row", extra={"error": str(error)})
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
