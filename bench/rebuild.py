"""`script/bench rebuild`: how fast clicks and facts are loaded, and rebuilt into shadow tables.

Clicks are in a journal, 10,000 a mark, conversions (one for 50 clicks) in SQLite; both are loaded as the projector
does, then rebuilt, compared and swapped. One process, a chDB of its own, nothing else running. Keys: load_rows_s and
rebuild_rows_s (clicks a second, with their look-up; rebuild: until the swap, everything included), load_cpu_s and
rebuild_cpu_s (processor seconds of this process, the engine's threads and merges included), fact_rows_s (conversions a
second of the rebuild's own step), paused_ms (nothing is loaded, for the swap), STEP_s and STEP_cpu_s of each step.
"""

import time
from pathlib import Path

from bench.common import data_directory, open_analytics, open_sqlite, options_of, print_figures
from tests.support.models.events import NOON, new_click
from tests.support.models.history import conversion_of
from tests.support.processes.program import poll_until
from trackyard.actions.platform.rebuild import Rebuilder
from trackyard.actions.platform.rebuild_status import RebuildMode, RebuildStatus, RebuildStep
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load
from trackyard.base.clock import ManualClock, SystemClock
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.events import event_lines
from trackyard.jobs.loading.journals import JournalLoader
from trackyard.journal.records import Click, RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Database
from trackyard.store.platform.rebuilds import RebuildStage
from trackyard.store.tracking import edges

_MARK = 10_000
_DAYS = 5
_AGENTS = [
    f"Mozilla/5.0 (Linux; Android 14; Pixel {number}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile"
    for number in range(500)
]
_OWNER = "d" * 24
_LOOK_S = 0.01


def _click(number: int, count: int) -> Click:
    return new_click(
        number,
        time=NOON + number * _DAYS * 86_400_000 // count,
        affiliate=number % 997,
        offer=number * 7 % 1999,
        ip=f"192.{number % 251}.{number // 251 % 251}.{number % 13}",
        ua=_AGENTS[number % 500],
        os="Android",
        os_version="14",
        device="mobile",
        browser="Chrome",
        browser_version="126.0",
        country=("DE", "FR", "US", "BR")[number % 4],
        referrer="https://publisher.example/page",
        sub1=f"campaign-{number % 1000}",
        sub2=f"{number:x}",
        reason="" if number % 20 else "bot",
    )


def _write(directory: Path, edge: int, count: int) -> None:
    clock = ManualClock(NOON)
    writer = JournalWriter(directory, edge, clock)
    for number in range(count):
        writer.append(RecordKind.CLICK, encode(_click(number, count)))
        if number % _MARK == _MARK - 1:
            clock.advance(1000)
            writer.write_checkpoint(clock.now_ms())
    writer.close()


def _convert(database: Database, analytics: Analytics, count: int) -> int:
    """Add a conversion of every 50th click, in SQL and as facts."""
    made = [conversion_of(_click(number, count), number) for number in range(0, count, 50)]
    for start in range(0, len(made), 1000):
        changes = [ConversionChange(None, each, "bench") for each in made[start : start + 1000]]
        with database.write() as conn:
            conversions.record_changes(conn, changes)
        load(analytics, "fact", [event_lines(change) for change in changes], f"facts {start}")
    return len(made)


def _rest(store: Analytics) -> None:
    """Wait for the merges of the loaded parts: they are not part of the work of the rebuild."""
    asked = "SELECT count() FROM system.merges WHERE database = currentDatabase()"
    poll_until(lambda: store.rows(asked, {}, tuple[int]) == [(0,)], seconds=300, what="merges that are done")


def _follow(rebuilder: Rebuilder) -> tuple[RebuildStatus, dict[RebuildStep, tuple[float, float]]]:
    """Return the status of a rebuild, with elapsed and processor seconds by step."""
    status, spent = rebuilder.start(RebuildMode.SWAP), dict.fromkeys(RebuildStep, (0.0, 0.0))
    seen, used = time.monotonic(), time.process_time()
    while status.ended_at is None:
        step = status.step
        time.sleep(_LOOK_S)
        now, cpu = time.monotonic(), time.process_time()
        spent[step] = (spent[step][0] + now - seen, spent[step][1] + cpu - used)
        seen, used = now, cpu
    return status, spent


def measure(count: int) -> dict[str, float]:
    """Return the figures; the time to make clicks is not counted.

    Raises AssertionError when the rebuild does not come out equal.
    """
    with data_directory() as home, open_sqlite(home) as database, open_analytics(home) as store:
        with database.write() as conn:
            edge = edges.claim_edge(conn, _OWNER, 0, NOON)
        _write(home / "journal", edge, count)
        facts = _convert(database, store, count)
        loader = JournalLoader(database, store, home / "journal", SystemClock())
        begun, cpu = time.monotonic(), time.process_time()
        while loader.load_next():
            pass
        loaded, load_cpu = time.monotonic() - begun, time.process_time() - cpu
        _rest(store)
        rebuilder = Rebuilder(database, store, home / "journal", SystemClock(), _OWNER)
        begun, cpu = time.monotonic(), time.process_time()
        status, spent = _follow(rebuilder)
        rebuilt, rebuild_cpu = time.monotonic() - begun, time.process_time() - cpu
        assert (status.stage, status.findings.count) == (RebuildStage.SWAPPED, 0), status
        assert status.figures["click", ""][1].rows == count, status.figures
    figures = {
        "clicks": count,
        "load_rows_s": round(count / loaded),
        "load_cpu_s": round(load_cpu, 1),
        "rebuild_rows_s": round(count / rebuilt),
        "rebuild_s": round(rebuilt, 1),
        "rebuild_cpu_s": round(rebuild_cpu, 1),
        "held_ms": status.paused_ms,
        "fact_rows_s": round(facts / max(spent[RebuildStep.CONVERSIONS][0], _LOOK_S)),
    }
    for step, (seconds, cpu) in spent.items():
        figures |= {f"{step.name.lower()}_s": round(seconds, 1), f"{step.name.lower()}_cpu_s": round(cpu, 1)}
    return figures


if __name__ == "__main__":
    unused = "is not used: it takes as long as the clicks take"
    options = options_of("rebuild", __doc__, seconds=0, of=unused, clicks={"type": int, "default": 1_000_000})
    print_figures(measure(options.clicks), options)
