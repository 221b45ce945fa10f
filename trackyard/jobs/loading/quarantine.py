"""Records that cannot be loaded: kept in a file of their own, reported with their place, out of the way."""

import logging
from pathlib import Path

from trackyard.base.metrics import RECORDS_QUARANTINED
from trackyard.journal.durable import write_durably

log = logging.getLogger("trackyard.projector")


def quarantine(directory: Path, queue: str, place: str, payload: bytes, error: str) -> None:
    """Keeps `payload` as `damaged/{place}.record` in the journal directory. A second time changes nothing."""
    path = directory / "damaged" / f"{place}.record"
    if path.exists():
        return
    path.parent.mkdir(exist_ok=True)
    write_durably(path, payload)
    RECORDS_QUARANTINED.labels(queue).inc()
    log.error("record kept aside", extra={"queue": queue, "place": place, "error": error, "kept": path.name})
