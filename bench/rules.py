"""`script/bench rules`: how soon a changed offer among 100,000 is in force, and the cost for the edge.

Fills a SQLite database, publishes everything to a running edge, then edits one offer after the other: the time from
the commit to the entry in the log (publish), to the first click that follows it (in_force), and the longest answer of
the edge to a process that asks all the time (pause) and the longest without edits (quiet). Then everything is
published again, which the edge builds while it serves visitors (rebuild_pause). Milliseconds; edge_mb: memory of the
edge."""

import argparse
import json
import random
import re
import shutil
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

import msgspec
from sqlalchemy import insert, update

from bench.offers import an_offer
from tests.support.clicks.edge import RunningEdge, parse_answers, running_edge
from tests.support.stores.seeds import add_advertiser, add_affiliate
from trackyard.base.clock import SystemClock
from trackyard.domain.offers.offers import sort_columns_of, stored_columns
from trackyard.jobs.loading.rulesets import RulesetPublisher
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade
from trackyard.store.tables import offer
from trackyard.store.tracking import rulesets

OFFERS = 100_000
EDITS = 50
_CHUNK = 1000
_SPAWN = get_context("spawn")


def main() -> None:
    """Measures and prints; with --json the last line is one JSON object."""
    parser = argparse.ArgumentParser(prog="script/bench rules", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5, help="of the quiet measurement")
    parser.add_argument("--offers", type=int, default=OFFERS)
    parser.add_argument("--json", action="store_true", help="the figures as JSON on the last line")
    options = parser.parse_args()
    figures = measure(options.seconds, options.offers)
    for name, value in figures.items():
        print(f"{name}: {value:g}")
    if options.json:
        print(json.dumps(figures))


def measure(seconds: float, count: int) -> dict[str, float]:
    """The figures of one run."""
    home = Path(tempfile.mkdtemp(prefix="ty-bench-"))
    try:
        database = Database(f"sqlite:///{home / 'trackyard.db'}")
        upgrade(database)
        affiliate_id = _fill(database, count)
        publisher = RulesetPublisher(database, home / "rules", SystemClock())
        begun = time.perf_counter()
        publisher.publish()
        figures = {"offers": float(count), "publish_all_ms": _ms(begun)}
        with running_edge(home, None) as edge:
            begun = time.perf_counter()
            _await(edge, lambda: edge.ask("/readyz").status == 200)
            figures["ready_after_ms"] = _ms(begun)
            figures |= _edits(database, publisher, edge, affiliate_id, seconds)
            figures["edge_mb"] = _resident_mb(edge.process.pid or 0)
        return {name: round(value, 2) for name, value in figures.items()}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _fill(database: Database, count: int) -> int:
    dice = random.Random(7)
    with database.write() as conn:
        advertisers = [add_advertiser(conn) for _ in range(20)]
        pid = add_affiliate(conn)
    for start in range(1, count + 1, _CHUNK):
        made = [an_offer(number, dice, advertisers) for number in range(start, min(start + _CHUNK, count + 1))]
        rows = [stored_columns(msgspec.structs.asdict(item)) | sort_columns_of(item) for item in made]
        with database.write() as conn:
            conn.execute(insert(offer), rows)
    with database.write() as conn:
        open_to_all = {"status": "active", "privacy": "public", "targeting": [], "restriction_os": [], "schedule": None}
        conn.execute(update(offer).where(offer.c.id <= EDITS).values(**open_to_all))
        rulesets.touch(conn, "platform", rulesets.PLATFORM_KEY)
    return pid


def _edits(
    database: Database, publisher: RulesetPublisher, edge: RunningEdge, affiliate_id: int, seconds: float
) -> dict[str, float]:
    with _asking(edge) as quiet:
        time.sleep(seconds)
    published, in_force = [], []
    with _asking(edge) as busy:
        for number in range(1, EDITS + 1):
            url = f"https://changed.example/{number}"
            with database.write() as conn:
                conn.execute(update(offer).where(offer.c.id == number).values(url=url))
                rulesets.touch(conn, "offer", number)
            begun = time.perf_counter()
            publisher.publish()
            published.append(_ms(begun))
            target = f"/click?pid={affiliate_id}&offer_id={number}"
            _await(edge, lambda target=target, url=url: edge.ask(target).headers.get("location") == url)
            in_force.append(_ms(begun))
    (edge.options.rules_directory / "rules.snapshot").unlink()
    again = RulesetPublisher(database, edge.options.rules_directory, SystemClock())
    with _asking(edge) as rebuilding:
        again.publish()
        time.sleep(seconds)
    return {
        "publish_p50_ms": statistics.median(published),
        "publish_max_ms": max(published),
        "in_force_p50_ms": statistics.median(in_force),
        "in_force_max_ms": max(in_force),
        "quiet_pause_ms": max(quiet),
        "pause_ms": max(busy),
        "rebuild_pause_ms": max(rebuilding),
    }


@contextmanager
def _asking(edge: RunningEdge) -> Iterator[list[float]]:
    """Asks the edge again and again in a process of its own.

    Threads of one process wait for each other longer than
    for the edge. Milliseconds of each answer, when it has ended."""
    taken: list[float] = []
    stop = _SPAWN.Event()
    here, there = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_ask, args=(edge.port, stop, there), daemon=True)
    process.start()
    there.close()
    here.recv()  # it has had its first answer
    try:
        yield taken
    finally:
        stop.set()
        taken.extend(here.recv())
        process.join()


def _ask(port: int, stop: Event, told: Connection) -> None:
    request = b"GET /robots.txt HTTP/1.1\r\nHost: t.example\r\n\r\n"
    taken: list[float] = []
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        while not stop.is_set():
            begun = time.perf_counter()
            client.sendall(request)
            parse_answers(client.recv(65536))
            taken.append(_ms(begun))
            if len(taken) == 1:
                told.send(None)
            time.sleep(0.0005)
    told.send(taken[1:])


def _await(edge: RunningEdge, condition: object) -> None:
    assert callable(condition)
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until or not edge.process.is_alive():
            raise RuntimeError("the edge does not follow")
        time.sleep(0.002)


def _ms(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


def _resident_mb(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
