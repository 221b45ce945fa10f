"""`script/bench conversions`: inbound postbacks a second, from the journal to conversion events.

On SQLite, then on PostgreSQL: a journal of clicks and a postback for each is ready; the projector of this process and
one worker in a process of its own work until the last fact is in the analytic store. 100 offers, 50 affiliates without
postbacks (deliveries have a bench of their own); one offer in five has three caps and a ladder of tiers. Keys:
ENGINE_calls_s, over the whole; ENGINE_decided_s, of the worker, between the first and the last tenth of the calls;
ENGINE_worker_cpu_us, the worker's processor time a call, which a busy machine hardly changes.
"""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bench.common import data_directory, database_engines, open_analytics, options_of, print_figures, running_worker
from tests.support.clicks.inbound_postbacks import make_click, make_inbound_postback
from tests.support.processes.program import poll_until
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import SystemClock
from trackyard.base.ids import new_click_id
from trackyard.jobs.loading.projector import Projector
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.engine.database import Database
from trackyard.store.tables import conversion
from trackyard.store.tracking import edges

_OFFERS, _AFFILIATES, _CAPPED = 100, 50, 5
_CAPS = (
    {"period": "day", "type": "conversions"},
    {"period": "month", "type": "budget", "affiliate_type": "each"},
    {"period": "all", "type": "conversions", "goal_type": "each"},
)
_TIER = {"timeframe": "month", "type": "conversions", "modifier_type": "by_percent", "modifier_value": "1"}
_LONGEST = 600
_LOOK_SECONDS = 0.1


def _limited() -> dict[str, Any]:
    caps = [{"id": f"{place:024x}", "value": "1000000"} | each for place, each in enumerate(_CAPS, 1)]
    tiers = [{"id": f"{100 + value:024x}", "value": str(value)} | _TIER for value in (10, 100, 1000)]
    return {"caps": caps, "commission_tiers": tiers, "enabled_commission_tiers": True, "is_redirect_overcap": True}


def accept(database: Database, journal: Path, count: int) -> None:
    """Write clicks with a postback for each, as an edge does, and sync."""
    with database.write() as conn:
        advertiser = add_advertiser(conn)
        affiliates = [add_affiliate(conn) for _ in range(_AFFILIATES)]
        offers = [add_offer(conn, advertiser, **({} if place % _CAPPED else _limited())) for place in range(_OFFERS)]
        edge = edges.claim_edge(conn, "d" * 24, 0, SystemClock().now_ms())
    choose, writer = random.Random(1), JournalWriter(journal, edge, SystemClock())
    for _ in range(count):
        now = SystemClock().now_ms()
        fields: dict[str, Any] = {"time": now - 1000, "id": new_click_id(now - 1000, edge)}
        fields["country"] = choose.choice(("DE", "FR", "US"))
        click = make_click(choose.choice(offers), choose.choice(affiliates), advertiser, **fields)
        writer.append(RecordKind.CLICK, encode(click))
        writer.append(RecordKind.POSTBACK, encode(make_inbound_postback(now, clickid=click.id)))
    writer.write_checkpoint(SystemClock().now_ms())
    writer.sync()
    writer.close()


@contextmanager
def projecting(projector: Projector) -> Iterator[None]:
    """Run the projector in a thread, as the server does."""
    stop = threading.Event()
    thread = threading.Thread(target=projector.run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def cpu_seconds(pid: int) -> float:
    """Return the processor seconds of a process."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / 100


def _measure(url: str, home: Path, count: int) -> dict[str, float]:
    database = Database(url)
    accept(database, home / "journal", count)
    decided: list[tuple[float, int]] = []
    with open_analytics(home) as store, running_worker(url) as pid:
        projector = Projector(database, store, home / "journal", home / "rules", SystemClock())
        poll_until(lambda: is_idle(pid), seconds=60, what="the worker's start")
        began, cpu = time.monotonic(), cpu_seconds(pid)
        with projecting(projector):
            while True:
                time.sleep(_LOOK_SECONDS)
                with database.read() as conn:
                    made = conn.execute(select(func.count()).select_from(conversion)).scalar_one()
                decided.append((time.monotonic(), made))
                if made == count and facts(store) == count:
                    break
                if time.monotonic() - began > _LONGEST:
                    raise TimeoutError(f"{made} of {count} calls are decided")
            ended, cpu = time.monotonic(), cpu_seconds(pid) - cpu
    database.close()
    middle = [each for each in decided if count * 0.1 <= each[1] <= count * 0.9]
    rate = (middle[-1][1] - middle[0][1]) / (middle[-1][0] - middle[0][0]) if len(middle) > 1 else 0.0
    return {"calls_s": count / (ended - began), "decided_s": rate, "worker_cpu_us": cpu / count * 1e6}


def is_idle(pid: int) -> bool:
    """Return whether the worker started and computed nothing for half a second."""
    before = cpu_seconds(pid)
    time.sleep(0.5)
    return before > 0.3 and cpu_seconds(pid) - before < 0.05


def facts(store: Analytics) -> int:
    """Return how many conversions the statistics have."""
    [(facts,)] = store.rows("SELECT toInt64(sum(sign)) FROM fact", {}, tuple[int])
    return facts


def measure(seconds: float) -> dict[str, float]:
    """Return the figures of both engines by name.

    seconds: times 2,000, the number of calls.
    """
    figures: dict[str, float] = {}
    for engine, new_database in database_engines():
        with data_directory() as home, new_database(home) as url:
            found = _measure(url, home, int(2_000 * seconds))
        figures |= {f"{engine}_{name}": round(value, 1) for name, value in found.items()}
    return figures


if __name__ == "__main__":
    options = options_of("conversions", __doc__, seconds=10, of="how long about, at 2,000 calls a second")
    print_figures(measure(options.seconds), options)
