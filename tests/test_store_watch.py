"""Whether stores answer: by failures, and by silence."""

import threading

from tests.support.waiting import wait_until
from trackyard.runtime.monitoring.stores import SILENT_S, StoreWatch


class FlakyStore:
    """A store that fails while `fault` is set."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.asked = 0

    def ping(self) -> None:
        self.asked += 1
        if self.fault is not None:
            raise self.fault


def test_store_is_down_from_a_failure_until_its_next_answer() -> None:
    sql, analytics = FlakyStore(), FlakyStore()
    watch = StoreWatch({"sql": sql.ping, "analytics": analytics.ping})
    sql.fault = OSError("connection refused")
    watch.probe("sql")
    watch.probe("analytics")
    assert watch.up() == {"sql": False, "analytics": True}
    sql.fault = None
    watch.probe("sql")
    assert watch.up() == {"sql": True, "analytics": True}


def test_store_that_does_not_answer_for_long_is_down() -> None:
    now = 100.0
    store = FlakyStore()
    watch = StoreWatch({"sql": store.ping}, clock=lambda: now)
    now += SILENT_S - 1
    assert watch.up() == {"sql": True}
    now += 1
    assert watch.up() == {"sql": False}
    watch.probe("sql")
    assert watch.up() == {"sql": True}


def test_store_watch_asks_in_threads_that_end_when_stopped() -> None:
    store, stop = FlakyStore(), threading.Event()
    (thread,) = StoreWatch({"sql": store.ping}).threads(stop)
    thread.start()
    wait_until(lambda: store.asked > 0)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
