"""The query scheduler: heavy reports of one key delay no other, and cancelled reports end."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest

from tests.support.stores.analytics import address
from tests.support.waiting import wait_until
from trackyard.analytics.cancellation import CancellationToken, current_cancellation
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.progress import RowsRead, find_rows_read
from trackyard.analytics.scheduler import ConcurrencyLimit, QueryScheduler, SlotPool
from trackyard.base.errors import ReportsBusy, ReportTooHeavy, RequestCancelled

ENDLESS = "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)"
SMALL = "SELECT count() FROM numbers(10)"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(32) as pool:
        yield pool


@pytest.fixture
def store() -> Iterator[Analytics]:
    """Yield a store with one heavy statement per name, two in total, three seconds each."""
    places = ConcurrencyLimit(most=2, each=1, waiting=6, seconds=1)
    store = Analytics.open(address(), database="turns", limits=QueryLimits(seconds=3, heavy=places))
    yield store
    store.close()


def ask(pool: ThreadPoolExecutor, store: Analytics, token: CancellationToken, sql: str) -> "Future[list[tuple[int]]]":
    """Run a statement in a thread, as a request."""

    def run() -> list[tuple[int]]:
        current_cancellation.set(token)
        return store.rows(sql, {}, tuple[int])

    return pool.submit(copy_context().run, run)


def running(store: Analytics) -> int:
    """Return the number of running endless statements."""
    sql = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64(number))%'"
    return store.rows(sql, {}, tuple[int])[0][0]


def held(lane: SlotPool, token: CancellationToken, free: threading.Event, entered: list[str]) -> None:
    lane.acquire(token)
    entered.append(token.name)
    assert free.wait(10)
    lane.release(token.name)


def test_query_scheduler_serves_least_recently_served_key_first(pool: ThreadPoolExecutor) -> None:
    lane, entered = SlotPool(ConcurrencyLimit(most=1, each=1, waiting=9, seconds=10)), list[str]()
    waits: list[Future[None]] = []
    lane.acquire(CancellationToken("a"))
    free = threading.Event()
    free.set()
    for number, name in enumerate(("a", "a", "a", "b"), start=1):
        waits.append(pool.submit(held, lane, CancellationToken(name), free, entered))
        wait_until(lambda number=number: len(lane.waiting()) == number)  # type: ignore[misc]
    lane.release("a")
    for each in waits:
        each.result(10)
    assert entered == ["b", "a", "a", "a"]


def test_request_knows_how_many_rows_its_own_statements_have_read(pool: ThreadPoolExecutor, store: Analytics) -> None:
    def rows_read(token: CancellationToken) -> RowsRead:
        def find() -> RowsRead:
            current_cancellation.set(token)
            return find_rows_read(store)

        return pool.submit(copy_context().run, find).result(30)

    own, other = CancellationToken("a"), CancellationToken("b")
    answer = ask(pool, store, own, ENDLESS)
    wait_until(lambda: rows_read(own).read > 0)
    assert rows_read(own).total >= rows_read(own).read
    assert rows_read(other) == RowsRead()
    own.cancel()
    with pytest.raises(RequestCancelled):
        answer.result(30)
    assert rows_read(own) == RowsRead()


def test_query_scheduler_limits_slots_per_key(pool: ThreadPoolExecutor) -> None:
    lane, entered = SlotPool(ConcurrencyLimit(most=3, each=2, waiting=9, seconds=10)), list[str]()
    free = threading.Event()
    waits = [pool.submit(held, lane, CancellationToken("a"), free, entered) for _ in range(5)]
    wait_until(lambda: len(lane.waiting()) == 3)
    assert not lane.try_acquire("a")
    assert lane.try_acquire("b")
    assert not lane.try_acquire("c")
    free.set()
    for each in waits:
        each.result(10)
    assert entered == ["a"] * 5


def test_query_scheduler_gives_key_with_heavy_query_one_light_slot() -> None:
    lane = SlotPool(ConcurrencyLimit(most=4, each=2, waiting=9, seconds=10), lambda name: name == "a")
    assert lane.try_acquire("a")
    assert not lane.try_acquire("a")
    assert lane.try_acquire("b")
    assert lane.try_acquire("b")


def test_query_scheduler_rejects_when_full_or_waiting_too_long() -> None:
    lane = SlotPool(ConcurrencyLimit(most=1, each=1, waiting=0, seconds=0.01))
    with pytest.raises(ReportsBusy, match="shorter period, a filter") as refused:
        lane.acquire(CancellationToken("a"))
    assert refused.value.retry_after == 1
    lane = SlotPool(ConcurrencyLimit(most=1, each=1, waiting=1, seconds=0.01))
    lane.acquire(CancellationToken("a"))
    with pytest.raises(ReportsBusy):
        lane.acquire(CancellationToken("b"))
    assert lane.waiting() == []


def test_query_scheduler_drops_cancelled_request(pool: ThreadPoolExecutor) -> None:
    turns = QueryScheduler(lambda _id: None, light=ConcurrencyLimit(most=1, each=1, waiting=9, seconds=10))
    token = CancellationToken("b")
    with turns.light(CancellationToken("a")):
        waiting = pool.submit(lambda: turns.light(token).__enter__())
        wait_until(lambda: bool(turns.waiting()))
        token.cancel()
        with pytest.raises(RequestCancelled):
            waiting.result(5)
    turns.close()


@pytest.mark.long
def test_query_scheduler_heavy_reports_of_one_key_block_no_other(pool: ThreadPoolExecutor, store: Analytics) -> None:
    """The greedy key gets two answers at a time and advice; other keys are answered at once."""
    greedy = [ask(pool, store, CancellationToken("greedy"), ENDLESS) for _ in range(10)]
    wait_until(lambda: running(store) > 0)
    waits = []
    until = time.monotonic() + 4
    while time.monotonic() < until:
        begun = time.monotonic()
        assert ask(pool, store, CancellationToken("other"), SMALL).result() == [(10,)]
        waits.append(time.monotonic() - begun)
        assert running(store) <= 3  # two that are not known to be heavy, and one that is
    assert max(waits) < 2
    refusals = [each.exception(60) for each in greedy]
    assert {type(each) for each in refusals} <= {ReportTooHeavy, ReportsBusy}
    assert ReportTooHeavy in {type(each) for each in refusals}
    assert all("shorter period" in str(each) for each in refusals)


def test_query_scheduler_does_not_restart_single_heavy_report(pool: ThreadPoolExecutor, store: Analytics) -> None:
    report = ask(pool, store, CancellationToken("a"), ENDLESS)
    started: set[str] = set()
    sql = "SELECT Settings['log_comment'] FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64(number))%'"
    while not report.done():
        started.update(name for (name,) in store.rows(sql, {}, tuple[str]))
        time.sleep(0.05)
    assert isinstance(report.exception(), ReportTooHeavy)
    assert len(started) == 1


def test_query_scheduler_answers_requeued_report_when_slot_is_free(pool: ThreadPoolExecutor) -> None:
    places = ConcurrencyLimit(most=1, each=1, waiting=9, seconds=20)
    store = Analytics.open(address(), database="turns", limits=QueryLimits(seconds=3, heavy=places))
    first = ask(pool, store, CancellationToken("a"), ENDLESS)
    wait_until(lambda: running(store) == 1)
    # 2 s of rest in blocks of 0.1: heavy, and soon done once it may.
    slow = "SELECT count() FROM (SELECT sleepEachRow(0.1) FROM numbers(20)) SETTINGS max_block_size = 1"
    second = ask(pool, store, CancellationToken("b"), f"SELECT toInt64((SELECT count() FROM ({slow})))")
    assert second.result(30) == [(1,)]
    assert isinstance(first.exception(30), ReportTooHeavy)
    store.close()


@pytest.mark.parametrize("is_over", [False, True])
def test_query_scheduler_rejects_partial_answer_of_killed_query(
    pool: ThreadPoolExecutor, store: Analytics, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    """The engine may answer a killed statement with a part of its rows and no error."""
    blocker, token = ask(pool, store, CancellationToken("b"), ENDLESS), CancellationToken("a")
    wait_until(lambda: running(store) == 1)
    answer, asked = Analytics._raw_query, list[str]()

    def cut_short(self: Analytics, sql: str, parameters: Any, form: str) -> bytes:
        if SMALL not in sql or "log_comment" not in sql:
            return answer(self, sql, parameters, form)
        asked.append(sql)
        if len(asked) > 1:
            return answer(self, sql, parameters, form)
        if is_over:
            token.cancel()
        [turn] = [each for each in self._scheduler._list_running() if each.id in sql]
        turn.requeued = not is_over
        return b""

    monkeypatch.setattr(Analytics, "_raw_query", cut_short)
    report = ask(pool, store, token, SMALL)
    if is_over:
        assert isinstance(report.exception(30), RequestCancelled)
    else:
        assert report.result(30) == [(10,)]
    assert isinstance(blocker.exception(30), ReportTooHeavy)


@pytest.mark.parametrize("gone", ["at once", "later"])
def test_query_scheduler_kills_report_of_cancelled_request(
    pool: ThreadPoolExecutor, store: Analytics, gone: str
) -> None:
    token = CancellationToken("a")
    report = ask(pool, store, token, ENDLESS)
    if gone == "later":
        wait_until(lambda: running(store) == 1)
    begun = time.monotonic()
    token.cancel()
    assert isinstance(report.exception(30), RequestCancelled)
    assert time.monotonic() - begun < 3
    assert running(store) == 0
    with pytest.raises(RequestCancelled):
        ask(pool, store, token, SMALL).result(10)


def test_query_scheduler_exempts_internal_queries(pool: ThreadPoolExecutor, store: Analytics) -> None:
    greedy = [CancellationToken(name) for name in "abcdef"]
    reports = [ask(pool, store, token, ENDLESS) for token in greedy]
    wait_until(lambda: running(store) >= 2)
    assert store.rows(SMALL, {}, tuple[int]) == [(10,)]
    for token in greedy:
        token.cancel()
    assert {type(each.exception(30)) for each in reports} <= {RequestCancelled, ReportsBusy, ReportTooHeavy}


def filed(turns: QueryScheduler, token: CancellationToken, free: threading.Event, entered: list[str]) -> None:
    with turns.file_slot(token, no_timeout=True):
        entered.append(token.name)
        assert free.wait(10)


def test_query_scheduler_exports_leave_a_slot_to_reports(pool: ThreadPoolExecutor) -> None:
    turns = QueryScheduler(lambda _turn: None, heavy=ConcurrencyLimit(most=2, each=1, waiting=6, seconds=0.2))
    entered: list[str] = []
    free = [threading.Event() for _ in range(3)]
    first = pool.submit(filed, turns, CancellationToken("a"), free[0], entered)
    wait_until(lambda: entered == ["a"])
    second = pool.submit(filed, turns, CancellationToken("b"), free[1], entered)
    wait_until(lambda: turns.waiting() == ["b"])
    with turns.heavy(CancellationToken("c")), pytest.raises(ReportsBusy), turns.heavy(CancellationToken("d")):
        pass
    with pytest.raises(ReportsBusy), turns.file_slot(CancellationToken("e"), no_timeout=False):
        pass
    # d began to wait after b and has given up: b waits longer than a report does
    assert (entered, second.done()) == (["a"], False)
    free[0].set()
    first.result(10)
    wait_until(lambda: entered == ["a", "b"])
    free[1].set()
    second.result(10)
    with turns.heavy(CancellationToken("c")), turns.heavy(CancellationToken("d")):
        third = pool.submit(filed, turns, CancellationToken("a"), free[2], entered)
        wait_until(lambda: turns.waiting() == ["a"])
    wait_until(lambda: len(entered) == 3)
    free[2].set()
    third.result(10)
    turns.close()


def test_query_scheduler_drops_cancelled_export(pool: ThreadPoolExecutor) -> None:
    turns = QueryScheduler(lambda _turn: None, heavy=ConcurrencyLimit(most=1, each=1, waiting=6, seconds=5))
    for lane in ("file_slot", "heavy"):
        gone, free, entered = CancellationToken("b"), threading.Event(), list[str]()
        first = CancellationToken("a")
        with turns.file_slot(first, no_timeout=True) if lane == "file_slot" else turns.heavy(first):
            waiting = pool.submit(filed, turns, gone, free, entered)
            wait_until(lambda: turns.waiting() == ["b"])
            gone.cancel()
            with pytest.raises(RequestCancelled):
                waiting.result(3)
        assert entered == []
        with turns.file_slot(CancellationToken("c"), no_timeout=False):
            pass
    turns.close()


def test_query_scheduler_runs_queries_within_export_slot(store: Analytics) -> None:
    current_cancellation.set(CancellationToken("a"))
    with store.file_slot(no_timeout=False):
        assert current_cancellation.get() is None
        assert store.rows(SMALL, {}, tuple[int]) == [(10,)]
    assert current_cancellation.get() is not None
    current_cancellation.set(None)
