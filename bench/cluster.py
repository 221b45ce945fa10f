"""`script/bench cluster`: what a second edge and a second worker add, and what each role costs.

Edges: wrk sends the clicks of traffic.py to one edge, then to two with data directories of their own that share a
Valkey; a fifth of the offers have a cap of clicks, which costs a round trip. Then clicks of capped offers alone, at a
fixed rate: how long they take (redis_click_p99_ms). Workers: postbacks from the journal to conversion events on
PostgreSQL, with one worker, then with two. Keys NAME1_… are of one process and NAME2_… of two; _cpu_us is the
processor's time of a click or call, of all processes of that kind; pg_lock_waits is how many connections wait for a
lock on average. Bytes: of the journal, of the statistics after their merges, of SQL, of Valkey.

Edges, wrk, workers and stores share the cores of one machine, so the rates of two show what is shared, not what two
machines would do; the processor's times do not depend on that. Needs the Debian package wrk.
"""

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psutil

from bench.cluster_bytes import click_figures, merged_bytes, visitor_bytes
from bench.common import data_directory, open_analytics, options_of, print_figures, running_worker
from bench.conversions import accept, cpu_seconds, facts, is_idle, projecting
from bench.servers import Server, protocol
from bench.traffic import OFFERS, need, rules, send, write_script
from tests.support.clicks.edge import publish
from tests.support.processes.program import poll_until, request
from tests.support.processes.valkey import ValkeyProcess, running_valkey
from tests.support.stores.databases import PostgresServer
from trackyard.base.clock import SystemClock
from trackyard.jobs.loading.projector import Projector
from trackyard.store.engine.database import Database

_WARM_S: Final = 1.5
_PACED_CONNECTIONS: Final = 64
_PACED_RATE: Final = 2_000
_CALLS_A_SECOND: Final = 1_000
_LONGEST_S: Final = 300


def measure_edges(directory: Path, seconds: float) -> dict[str, float]:
    """Measure one edge, then two that share a Valkey, then what waits for it."""
    figures: dict[str, float] = {}
    with running_valkey() as valkey:
        for count in (1, 2):
            with ExitStack() as stack:
                places = [directory / f"{count}-{number}" for number in range(count)]
                servers = [stack.enter_context(_edge(place, valkey, place.name)) for place in places]
                figures |= _rates(f"edges{count}", servers, valkey, write_script(directory), seconds)
                if count == 1:
                    delay_ms = _PACED_CONNECTIONS * 1000 / _PACED_RATE
                    capped = write_script(directory, OFFERS, delay_ms, capped=True)
                    paced = send(capped, servers[0].port, seconds, _PACED_CONNECTIONS)
                    figures |= {"redis_click_p50_ms": paced.p50_ms, "redis_click_p99_ms": paced.p99_ms}
                    figures |= {"redis_click_rps": paced.rate, "redis_wait_ms": _mean_wait_ms(servers[0])}
                    counts_bytes, visitor = visitor_bytes(valkey)
                    figures |= {"redis_bytes_count": counts_bytes, "redis_bytes_visitor": visitor}
            if count == 1:
                figures |= click_figures(directory, places[0] / "journal")
    return figures


@contextmanager
def _edge(place: Path, valkey: ValkeyProcess, slot: str) -> Iterator[Server]:
    publish(place / "rules", rules())
    number = int(slot[-1]) + 1
    with protocol(place, edge=number, redis_url=valkey.url, redis_slot=slot) as server:
        poll_until(lambda: request(server.port, "GET", "/readyz").status == 200, seconds=60, what="the rules")
        yield server


def _rates(name: str, servers: list[Server], valkey: ValkeyProcess, script: Path, seconds: float) -> dict[str, float]:
    """Return the clicks a second of all servers together, and the processor's time of a click."""
    with ThreadPoolExecutor(len(servers)) as threads:
        list(threads.map(lambda server: send(script, server.port, _WARM_S), servers))
        store = psutil.Process(valkey.pid)
        asked, edge_s, store_s = _questions(valkey), sum(each.cpu_s() for each in servers), _cpu(store)
        sent = list(threads.map(lambda server: send(script, server.port, seconds), servers))
    clicks, asked = sum(each.requests for each in sent), _questions(valkey) - asked
    edge_s, store_s = sum(each.cpu_s() for each in servers) - edge_s, _cpu(store) - store_s
    return {
        f"{name}_rps": sum(each.rate for each in sent),
        f"{name}_cpu_us": edge_s / clicks * 1e6,
        f"{name}_redis_share": asked / clicks,
        f"{name}_redis_cpu_us": store_s / max(1, asked) * 1e6,
    }


def _questions(valkey: ValkeyProcess) -> int:
    found = re.search(rb"cmdstat_evalsha:calls=(\d+)", valkey.ask("INFO commandstats"))
    return int(found[1]) if found else 0


def _cpu(process: psutil.Process) -> float:
    """Return the processor seconds of a process, with those of its children, of which some ended."""
    spent = process.cpu_times()
    running = sum(sum(each.cpu_times()[:2]) for each in process.children(recursive=True))
    return float(spent.user + spent.system + spent.children_user + spent.children_system + running)


def _mean_wait_ms(server: Server) -> float:
    """Return how long all clicks of a turn of the loop waited for Valkey on average."""
    time.sleep(1.5)  # the edge hands its figures over once a second
    text = request(server.monitoring_port, "GET", "/metrics").body.decode()
    total, number = (
        float(re.findall(rf"^trackyard_redis_duration_seconds_{part} (\S+)", text, re.M)[0])
        for part in ("sum", "count")
    )
    return total / max(1.0, number) * 1000


def measure_workers(directory: Path, seconds: float) -> dict[str, float]:
    """Measure one worker on PostgreSQL, then two, each with a journal of calls of its own."""
    figures: dict[str, float] = {}
    server = PostgresServer(durable=True)
    try:
        for count in (1, 2):
            home = directory / f"workers{count}"
            home.mkdir(parents=True)
            with server.empty_database() as name:
                found = _decide(server, server.url(name), home, count, int(_CALLS_A_SECOND * seconds))
            figures |= {f"workers{count}_{key}": value for key, value in found.items()}
    finally:
        server.stop()
    return figures


def _decide(server: PostgresServer, url: str, home: Path, workers: int, calls: int) -> dict[str, float]:
    with Database(url) as database, open_analytics(home) as store, ExitStack() as stack:
        before = _sql_bytes(database)
        accept(database, home / "journal", calls)
        pids = [stack.enter_context(running_worker(url, f"bench-{number}")) for number in range(workers)]
        projector = Projector(database, store, home / "journal", home / "rules", SystemClock())
        for pid in pids:
            poll_until(lambda pid=pid: is_idle(pid), seconds=60, what="the start of a worker")  # type: ignore[misc]
        sql = psutil.Process(server.pid)
        spent = {"worker": sum(map(cpu_seconds, pids)), "projector": time.process_time(), "sql": _cpu(sql)}
        waits, began = _LockWaits(database), time.monotonic()
        with waits, projecting(projector):
            poll_until(lambda: facts(store) == calls, seconds=_LONGEST_S, what=f"{calls} calls decided")
        took = time.monotonic() - began
        ended = {"worker": sum(map(cpu_seconds, pids)), "projector": time.process_time(), "sql": _cpu(sql)}
        figures = {f"{role}_cpu_us": (ended[role] - spent[role]) / calls * 1e6 for role in spent}
        return figures | {
            "calls_s": calls / took,
            "pg_lock_waits": waits.mean,
            "sql_bytes": (_sql_bytes(database) - before) / calls,
            "statistics_bytes": merged_bytes(store, "fact", "server_log") / calls,
        }


def _sql_bytes(database: Database) -> int:
    with database.read() as connection:
        return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())


class _LockWaits:
    """Looks, within its block, how many connections wait for a lock; `mean` of all looks."""

    _SQL: Final = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )

    def __init__(self, database: Database) -> None:
        self._database = database
        self._looks: list[int] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def mean(self) -> float:
        return sum(self._looks) / max(1, len(self._looks))

    def _run(self) -> None:
        while not self._stop.wait(0.05):
            with self._database.read() as connection:
                self._looks.append(int(connection.exec_driver_sql(self._SQL).scalar_one()))


PARTS: Final = {"edges": measure_edges, "workers": measure_workers}

if __name__ == "__main__":
    options = options_of(
        "cluster", __doc__, seconds=10,
        only={"choices": PARTS, "action": "append", "help": "a part; may be given again; else all"},
    )  # fmt: skip
    need("wrk")
    figures: dict[str, float] = {}
    with data_directory() as directory:
        for part in options.only or PARTS:
            (directory / part).mkdir()
            figures |= PARTS[part](directory / part, options.seconds)
    print_figures({name: round(value, 3) for name, value in figures.items()}, options)
