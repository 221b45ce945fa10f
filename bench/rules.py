"""`script/bench rules`: how soon a changed offer among 100,000 is in force, and the cost for the edge.

Fills a SQLite database, publishes everything to a running edge, then edits one offer after the other: the time from
the commit to the entry in the log (publish), to the first click that follows it (in_force), and the longest answer of
the edge to a process that asks all the time (pause) and the longest without edits (quiet). Then everything is
published again, which the edge builds while it serves visitors (rebuild_pause). Milliseconds; edge_mb: memory of the
edge."""

import random
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event

import psutil
from sqlalchemy import insert, update

from bench.common import data_directory, open_sqlite, options_of, print_figures
from bench.offers import OFFERS, offer_rows
from tests.support.clicks.edge import RunningEdge, parse_answers, running_edge
from tests.support.stores.seeds import add_advertiser, add_affiliate
from trackyard.base.clock import SystemClock
from trackyard.jobs.loading.rulesets import RulesetPublisher
from trackyard.store.engine.database import Database
from trackyard.store.tables import offer
from trackyard.store.tracking import rulesets

EDITS = 50
_SPAWN = get_context("spawn")


def measure(seconds: float, count: int) -> dict[str, float]:
    """Return the figures of one run."""
    with data_directory() as home, open_sqlite(home) as database:
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
            figures["edge_mb"] = psutil.Process(edge.process.pid).memory_info().rss / 2**20
        return {name: round(value, 2) for name, value in figures.items()}


def _fill(database: Database, count: int) -> int:
    dice = random.Random(7)
    with database.write() as conn:
        advertisers = [add_advertiser(conn) for _ in range(20)]
        pid = add_affiliate(conn)
    for _, rows in offer_rows(count, dice, advertisers):
        with database.write() as conn:
            conn.execute(insert(offer), rows)
    with database.write() as conn:
        open_to_all = update(offer).where(offer.c.id <= EDITS).values(status="active", privacy="public")
        conn.execute(open_to_all.values(targeting=[], restriction_os=[], schedule=None))
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
            _await(edge, partial(_leads_to, edge, target, url))
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
    """Ask the edge without a pause; yield the milliseconds of each answer.

    The list is complete when the block ends. Another process asks: threads of one wait longer for each other.
    """
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


def _ask(port: int, stop: Event, results: Connection) -> None:
    request = b"GET /robots.txt HTTP/1.1\r\nHost: t.example\r\n\r\n"
    taken: list[float] = []
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        while not stop.is_set():
            begun = time.perf_counter()
            client.sendall(request)
            parse_answers(client.recv(65536))
            taken.append(_ms(begun))
            if len(taken) == 1:
                results.send(None)
            time.sleep(0.0005)
    results.send(taken[1:])


def _await(edge: RunningEdge, condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until or not edge.process.is_alive():
            raise RuntimeError("the edge does not follow")
        time.sleep(0.002)


def _leads_to(edge: RunningEdge, target: str, url: str) -> bool:
    return edge.ask(target).headers.get("location") == url


def _ms(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


if __name__ == "__main__":
    options = options_of(
        "rules", __doc__, seconds=5, of="of the quiet measurement", offers={"type": int, "default": OFFERS}
    )
    print_figures(measure(options.seconds, options.offers), options)
