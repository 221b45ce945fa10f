"""Records that cannot be loaded: kept in a file of their own, reported with their place, out of the way."""

import logging
from pathlib import Path

from trackyard.base.metrics import RECORDS_ASIDE
from trackyard.journal.durable import write_durably

log = logging.getLogger("trackyard.projector")


def keep_aside(directory: Path, queue: str, place: str, payload: bytes, error: str) -> None:
    """Keeps `payload` as `damaged/{place}.record` in the journal directory. A second time changes nothing."""
    kept = directory / "damaged" / f"{place}.record"
    if kept.exists():
        return
    kept.parent.mkdir(exist_ok=True)
    write_durably(kept, payload)
    RECORDS_ASIDE.labels(queue).inc()
    log.error("record kept aside", extra={"queue": queue, "place": place, "error": error, "kept": kept.name})
