"""The bytes of clicks and visitors, and what loading a click costs, for bench/cluster.py."""

import re
import time
from pathlib import Path
from typing import Final

from redis import Redis

from bench.common import open_analytics, open_sqlite
from tests.support.processes.valkey import ValkeyProcess
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import SystemClock
from trackyard.base.ids import new_click_id
from trackyard.edge.state.shared_claims import visitor_key
from trackyard.jobs.loading.projector import Projector

_VISITORS: Final = 20_000


def merged_bytes(store: Analytics, *tables: str) -> int:
    """Return the bytes of tables on the disk after their parts are merged."""
    for table in tables:
        store.run(f"OPTIMIZE TABLE {table} FINAL")
    sql = "SELECT toInt64(sum(bytes_on_disk)) FROM system.parts WHERE active AND has({tables:Array(String)}, table)"
    [(found,)] = store.rows(sql, {"tables": list(tables)}, tuple[int])
    return found


def click_figures(home: Path, journal: Path) -> dict[str, float]:
    """Load what an edge recorded; return a click's bytes in journal and statistics, and processor time."""
    written = sum(file.stat().st_size for file in journal.rglob("*") if file.is_file())
    with open_sqlite(home) as database, open_analytics(home) as store:
        projector = Projector(database, store, journal, home / "rules", SystemClock())
        began, spent = time.monotonic(), time.process_time()
        projector.drain()
        took, spent = time.monotonic() - began, time.process_time() - spent
        [(clicks,)] = store.rows("SELECT toInt64(count()) FROM click", {}, tuple[int])
        merged = merged_bytes(store, "click", "click_lookup")
    return {
        "clicks_loaded": clicks,
        "click_load_rows_s": clicks / took,
        "click_projector_cpu_us": spent / clicks * 1e6,
        "click_journal_bytes": written / clicks,
        "click_statistics_bytes": merged / clicks,
    }


def visitor_bytes(valkey: ValkeyProcess) -> tuple[float, float]:
    """Return the bytes that a count and a visitor take in Valkey, by how much more it holds."""
    counts, before = _keys(valkey), _used(valkey)
    base = _used_when_empty(valkey)
    now_ms = SystemClock().now_ms()
    with Redis.from_url(valkey.url) as client, client.pipeline(transaction=False) as pipeline:
        for number in range(_VISITORS):
            pipeline.set(visitor_key(number % 100, 2**40 + number), new_click_id(now_ms, 1), ex=86_400)
        pipeline.execute()
        visitors = _used(valkey)
    return (before - base) / max(1, counts), (visitors - base) / _VISITORS


def _used_when_empty(valkey: ValkeyProcess) -> int:
    valkey.ask("FLUSHALL SYNC")
    return _used(valkey)


def _used(valkey: ValkeyProcess) -> int:
    return int(re.findall(rb"used_memory:(\d+)", valkey.ask("INFO memory"))[0])


def _keys(valkey: ValkeyProcess) -> int:
    return int(valkey.ask("DBSIZE").strip().lstrip(b":"))
