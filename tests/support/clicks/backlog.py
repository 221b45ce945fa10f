"""Clicks that edges journalled while nothing loaded them."""

import json
import multiprocessing
import os
import time
from pathlib import Path

from tests.support.models.events import new_click
from trackyard.base.clock import SystemClock
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter

_AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile"
_PUT = 1_000


def journal_clicks(data: Path, number: int, *, offer: int, affiliate: int, age_ms: int = 0) -> None:
    """Writes clicks to the journal of the first edge of a killed program, as an edge that is killed later.

    data: its data directory. age_ms: of the clicks.
    """
    edge = json.loads((data / "edges.json").read_text())[0]
    arguments = (data / "journal", edge, number, offer, affiliate, age_ms)
    writer = multiprocessing.get_context("spawn").Process(target=_write, args=arguments)
    writer.start()
    writer.join()
    assert writer.exitcode == 0


def _write(directory: Path, edge: int, number: int, offer: int, affiliate: int, age_ms: int) -> None:
    writer = JournalWriter(directory, edge, SystemClock())
    now = time.time_ns() // 1_000_000 - age_ms
    for first in range(0, number, _PUT):
        for place in range(first, min(first + _PUT, number)):
            click = new_click(
                place, time=now, offer=offer, affiliate=affiliate, ua=_AGENT, sub1=f"s{place % 1000}",
                ip=f"192.0.2.{place % 250}",
            )  # fmt: skip
            writer.put(RecordKind.CLICK, encode(click))
        writer.flush()
    writer.write_checkpoint(now)
    os._exit(0)  # without the end of the segment, as by kill -9
