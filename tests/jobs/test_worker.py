"""The worker as a process: from the inbox to the receiver, and its end."""

import ipaddress
import pickle
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from sqlalchemy import func, select

from tests.support.clicks.inbound_postbacks import make_click, make_inbound_postback, make_inbox_postback
from tests.support.processes.receiver import Receiver
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from tests.support.waiting import wait_until
from trackyard.base.clock import SystemClock
from trackyard.jobs.worker import WorkerOptions, run_until
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database
from trackyard.store.tables import conversion, delivery

PROGRAM = """
import ipaddress, sys
from trackyard.jobs.worker import WorkerOptions, run
run(WorkerOptions(sys.argv[1], "USD", "UTC", "w1", (ipaddress.ip_network("127.0.0.0/8"),)))
"""


def options(database: Database) -> WorkerOptions:
    return WorkerOptions(database.url, "USD", "UTC", "w1", (ipaddress.ip_network("127.0.0.0/8"),))


def call_of(database: Database, receiver: Receiver, count: int = 1) -> None:
    """Put postbacks for new clicks into the inbox; the receiver gets their conversions."""
    now = SystemClock().now_ms()
    with database.write() as conn:
        advertiser, affiliate = add_advertiser(conn), add_affiliate(conn)
        number = add_offer(conn, advertiser)
        add_postback(conn, affiliate, receiver.url("/?c={clickid}"))
        clicks = [make_click(number, affiliate, advertiser, time=now) for _ in range(count)]
        calls = [
            make_inbox_postback(place, make_inbound_postback(now, clickid=click.id), click)
            for place, click in enumerate(clicks)
        ]
        inbox.add_entries(conn, f"001-{now}", calls)


def test_worker_delivers_postback_within_two_seconds(database: Database, receiver: Receiver) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=run_until, args=(stop, options(database)))
    thread.start()
    try:
        wait_until(lambda: thread.is_alive())
        call_of(database, receiver)
        begin = time.monotonic()
        (request,) = receiver.wait_for(1)
        assert request.at - begin < 2
    finally:
        stop.set()
        thread.join(5)
    assert not thread.is_alive()


def test_worker_with_unknown_time_zone_does_not_start(sqlite_database: Database) -> None:
    with pytest.raises(ValueError, match="Mars"):
        run_until(threading.Event(), WorkerOptions(sqlite_database.url, "USD", "Mars/Base", "w1"))


@pytest.mark.chaos
def test_worker_killed_repeatedly_loses_and_doubles_nothing(database: Database, receiver: Receiver) -> None:
    count = 60
    call_of(database, receiver, count)
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, database.url])
        before = len(receiver.requests())
        try:
            wait_until(lambda before=before: len(receiver.requests()) >= min(before + 10, count), seconds=20)
        finally:
            process.kill()
            process.wait()
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, database.url])
    try:
        wait_until(lambda: rows(database, delivery) == 0 and rows(database, conversion) == count, seconds=20)
        assert memory_mb(process.pid) < 150
    finally:
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        assert process.wait(10) == 0
    assert time.monotonic() - begin < 5
    delivered = [request.query["c"] for request in receiver.requests()]
    assert len(set(delivered)) == count
    with database.read() as conn:
        ids = set(conn.execute(select(conversion.c.click_id)).scalars())
    assert ids == set(delivered)


def rows(database: Database, table: object) -> int:
    with database.read() as conn:
        return int(conn.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]


def memory_mb(pid: int) -> float:
    return psutil.Process(pid).memory_info().rss / 1e6


def test_worker_options_can_be_sent_to_another_process() -> None:
    options = WorkerOptions("sqlite:///yard.db", "USD", "UTC", "w1")
    assert pickle.loads(pickle.dumps(options)) == options
