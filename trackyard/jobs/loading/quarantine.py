"""Quarantine records that cannot be loaded, each in its own file."""

import logging
from pathlib import Path

from trackyard.base.metrics import RECORDS_QUARANTINED
from trackyard.journal.durable import write_durably

log = logging.getLogger("trackyard.projector")


def quarantine(directory: Path, queue: str, place: str, payload: bytes, error: str) -> None:
    """Keep `payload` as `damaged/{place}.record` in the journal directory. A repeat changes nothing."""
    path = directory / "damaged" / f"{place}.record"
    if path.exists():
        return
    path.parent.mkdir(exist_ok=True)
    write_durably(path, payload)
    RECORDS_QUARANTINED.labels(queue).inc()
    log.error("record quarantined", extra={"queue": queue, "place": place, "error": error, "kept": path.name})
