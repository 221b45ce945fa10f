"""Turns at the analytic store: heavy reports of one key hold up nobody else's question, and nobody's report runs on
when nobody waits for it."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest

from tests.support.analytics import address
from tests.support.waiting import wait_until
from trackyard.analytics.cancellation import Asking, asking
from trackyard.analytics.engine.connection import Analytics, Limits
from trackyard.analytics.scheduler import Lane, Places, Turns
from trackyard.base.errors import Abandoned, ReportsBusy, TooHeavy

ENDLESS = "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)"
SMALL = "SELECT count() FROM numbers(10)"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(32) as pool:
        yield pool


@pytest.fixture
def store() -> Iterator[Analytics]:
    """One heavy statement a name, two in all, three seconds each."""
    places = Places(most=2, each=1, waiting=6, seconds=1)
    store = Analytics.open(address(), database="turns", limits=Limits(seconds=3, heavy=places))
    yield store
    store.close()


def ask(pool: ThreadPoolExecutor, store: Analytics, who: Asking, sql: str) -> "Future[list[tuple[int]]]":
    """Asks in a thread, as a request of somebody."""

    def run() -> list[tuple[int]]:
        asking.set(who)
        return store.rows(sql, {}, tuple[int])

    return pool.submit(copy_context().run, run)


def running(store: Analytics) -> int:
    """Endless statements that run."""
    sql = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64(number))%'"
    return store.rows(sql, {}, tuple[int])[0][0]


def held(lane: Lane, who: Asking, free: threading.Event, entered: list[str]) -> None:
    lane.enter(who)
    entered.append(who.name)
    assert free.wait(10)
    lane.leave(who.name)


def test_who_was_served_longest_ago_goes_first(pool: ThreadPoolExecutor) -> None:
    lane, entered, waits = Lane(Places(most=1, each=1, waiting=9, seconds=10)), list[str](), list["Future[None]"]()
    lane.enter(Asking("a"))
    free = threading.Event()
    free.set()
    for number, name in enumerate(("a", "a", "a", "b"), start=1):
        waits.append(pool.submit(held, lane, Asking(name), free, entered))
        wait_until(lambda number=number: len(lane.waiting()) == number)  # type: ignore[misc]
    lane.leave("a")
    for each in waits:
        each.result(10)
    assert entered == ["b", "a", "a", "a"]


def test_a_name_has_but_its_places_and_others_have_the_rest(pool: ThreadPoolExecutor) -> None:
    lane, entered, free = Lane(Places(most=3, each=2, waiting=9, seconds=10)), list[str](), threading.Event()
    waits = [pool.submit(held, lane, Asking("a"), free, entered) for _ in range(5)]
    wait_until(lambda: len(lane.waiting()) == 3)
    assert not lane.try_enter("a")
    assert lane.try_enter("b")
    assert not lane.try_enter("c")
    free.set()
    for each in waits:
        each.result(10)
    assert entered == ["a"] * 5


def test_a_name_that_has_a_heavy_one_has_one_place_for_light_ones() -> None:
    lane = Lane(Places(most=4, each=2, waiting=9, seconds=10), lambda name: name == "a")
    assert lane.try_enter("a")
    assert not lane.try_enter("a")
    assert lane.try_enter("b")
    assert lane.try_enter("b")


def test_too_many_that_wait_and_too_long_a_wait_are_refused_in_words() -> None:
    lane = Lane(Places(most=1, each=1, waiting=0, seconds=0.01))
    with pytest.raises(ReportsBusy, match="shorter period, a filter") as refused:
        lane.enter(Asking("a"))
    assert refused.value.retry_after == 1
    lane = Lane(Places(most=1, each=1, waiting=1, seconds=0.01))
    lane.enter(Asking("a"))
    with pytest.raises(ReportsBusy):
        lane.enter(Asking("b"))
    assert lane.waiting() == []


def test_who_has_gone_waits_no_more(pool: ThreadPoolExecutor) -> None:
    turns = Turns(lambda _id: None, light=Places(most=1, each=1, waiting=9, seconds=10))
    who = Asking("b")
    with turns.light(Asking("a")):
        waiting = pool.submit(lambda: turns.light(who).__enter__())
        wait_until(lambda: bool(turns.waiting()))
        who.give_up()
        with pytest.raises(Abandoned):
            waiting.result(5)
    turns.close()


def test_ten_heavy_reports_of_one_key_hold_up_nobody(pool: ThreadPoolExecutor, store: Analytics) -> None:
    """The greedy get two answers at most at a time and are told what to do; the others are answered at once."""
    greedy = [ask(pool, store, Asking("greedy"), ENDLESS) for _ in range(10)]
    wait_until(lambda: running(store) > 0)
    waits = []
    until = time.monotonic() + 4
    while time.monotonic() < until:
        begun = time.monotonic()
        assert ask(pool, store, Asking("other"), SMALL).result() == [(10,)]
        waits.append(time.monotonic() - begun)
        assert running(store) <= 3  # two that are not known to be heavy, and one that is
    assert max(waits) < 2
    refusals = [each.exception(60) for each in greedy]
    assert {type(each) for each in refusals} <= {TooHeavy, ReportsBusy}
    assert TooHeavy in {type(each) for each in refusals}
    assert all("shorter period" in str(each) for each in refusals)


def test_a_heavy_report_alone_is_not_begun_again(pool: ThreadPoolExecutor, store: Analytics) -> None:
    report = ask(pool, store, Asking("a"), ENDLESS)
    started: set[str] = set()

    def look() -> None:
        sql = "SELECT Settings['log_comment'] FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64(number))%'"
        started.update(name for (name,) in store.rows(sql, {}, tuple[str]))

    while not report.done():
        look()
        time.sleep(0.05)
    assert isinstance(report.exception(), TooHeavy)
    assert len(started) == 1


def test_one_that_was_sent_back_is_answered_when_there_is_a_place(pool: ThreadPoolExecutor) -> None:
    places = Places(most=1, each=1, waiting=9, seconds=20)
    store = Analytics.open(address(), database="turns", limits=Limits(seconds=3, heavy=places))
    first = ask(pool, store, Asking("a"), ENDLESS)
    wait_until(lambda: running(store) == 1)
    # 2 s of rest in blocks of 0.1: heavy, and soon done once it may.
    slow = "SELECT count() FROM (SELECT sleepEachRow(0.1) FROM numbers(20)) SETTINGS max_block_size = 1"
    second = ask(pool, store, Asking("b"), f"SELECT toInt64((SELECT count() FROM ({slow})))")
    assert second.result(30) == [(1,)]
    assert isinstance(first.exception(30), TooHeavy)
    store.close()


@pytest.mark.parametrize("is_over", [False, True])
def test_what_was_ended_and_answers_all_the_same_is_not_taken_for_an_answer(
    pool: ThreadPoolExecutor, store: Analytics, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    """The engine may answer a statement that was ended with a part of its rows, and no error."""
    blocker, who = ask(pool, store, Asking("b"), ENDLESS), Asking("a")
    wait_until(lambda: running(store) == 1)
    answer, asked = Analytics._answer, list[str]()

    def cut_short(self: Analytics, sql: str, parameters: Any, form: str) -> bytes:
        if SMALL not in sql or "log_comment" not in sql:
            return answer(self, sql, parameters, form)
        asked.append(sql)
        if len(asked) > 1:
            return answer(self, sql, parameters, form)
        if is_over:
            who.give_up()
        [turn] = [each for each in self._turns._now() if each.id in sql]
        turn.sent_back = not is_over
        return b""

    monkeypatch.setattr(Analytics, "_answer", cut_short)
    report = ask(pool, store, who, SMALL)
    if is_over:
        assert isinstance(report.exception(30), Abandoned)
    else:
        assert report.result(30) == [(10,)]
    assert isinstance(blocker.exception(30), TooHeavy)


@pytest.mark.parametrize("gone", ["at once", "later"])
def test_a_report_ends_with_who_asked_it(pool: ThreadPoolExecutor, store: Analytics, gone: str) -> None:
    who = Asking("a")
    report = ask(pool, store, who, ENDLESS)
    if gone == "later":
        wait_until(lambda: running(store) == 1)
    begun = time.monotonic()
    who.give_up()
    assert isinstance(report.exception(30), Abandoned)
    assert time.monotonic() - begun < 3
    assert running(store) == 0
    with pytest.raises(Abandoned):
        ask(pool, store, who, SMALL).result(10)


def test_what_the_program_itself_asks_waits_for_no_turn(pool: ThreadPoolExecutor, store: Analytics) -> None:
    greedy = [Asking(name) for name in "abcdef"]
    reports = [ask(pool, store, who, ENDLESS) for who in greedy]
    wait_until(lambda: running(store) >= 2)
    assert store.rows(SMALL, {}, tuple[int]) == [(10,)]
    for who in greedy:
        who.give_up()
    assert {type(each.exception(30)) for each in reports} <= {Abandoned, ReportsBusy, TooHeavy}


def filed(turns: Turns, who: Asking, free: threading.Event, entered: list[str], *, patient: bool = True) -> None:
    with turns.of_file(who, patient=patient):
        entered.append(who.name)
        assert free.wait(10)


def test_files_leave_a_place_to_reports_and_take_turns(pool: ThreadPoolExecutor) -> None:
    turns = Turns(lambda _turn: None, heavy=Places(most=2, each=1, waiting=6, seconds=0.2))
    entered: list[str] = []
    free = [threading.Event() for _ in range(3)]
    first = pool.submit(filed, turns, Asking("a"), free[0], entered)
    wait_until(lambda: entered == ["a"])
    second = pool.submit(filed, turns, Asking("b"), free[1], entered)
    wait_until(lambda: turns.waiting() == ["b"])
    with turns.heavy(Asking("c")), pytest.raises(ReportsBusy), turns.heavy(Asking("d")):
        pass
    with pytest.raises(ReportsBusy), turns.of_file(Asking("e"), patient=False):
        pass
    # d began to wait after b and has given up: b waits longer than a report does
    assert (entered, second.done()) == (["a"], False)
    free[0].set()
    first.result(10)
    wait_until(lambda: entered == ["a", "b"])
    free[1].set()
    second.result(10)
    with turns.heavy(Asking("c")), turns.heavy(Asking("d")):
        third = pool.submit(filed, turns, Asking("a"), free[2], entered)
        wait_until(lambda: turns.waiting() == ["a"])
    wait_until(lambda: len(entered) == 3)
    free[2].set()
    third.result(10)
    turns.close()


def test_a_file_that_nobody_reads_waits_no_more(pool: ThreadPoolExecutor) -> None:
    turns = Turns(lambda _turn: None, heavy=Places(most=1, each=1, waiting=6, seconds=5))
    for lane in ("of_file", "heavy"):
        gone, free, entered = Asking("b"), threading.Event(), list[str]()
        with turns.of_file(Asking("a"), patient=True) if lane == "of_file" else turns.heavy(Asking("a")):
            waiting = pool.submit(filed, turns, gone, free, entered)
            wait_until(lambda: turns.waiting() == ["b"])
            gone.give_up()
            with pytest.raises(Abandoned):
                waiting.result(3)
        assert entered == []
        with turns.of_file(Asking("c"), patient=False):
            pass
    turns.close()


def test_what_is_asked_within_the_turn_of_a_file_waits_for_no_other(store: Analytics) -> None:
    asking.set(Asking("a"))
    with store.turn_of_file(patient=False):
        assert asking.get() is None
        assert store.rows(SMALL, {}, tuple[int]) == [(10,)]
    assert asking.get() is not None
    asking.set(None)
