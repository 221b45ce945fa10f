"""parallel_tracking_url: which clicks are told of, and that neither queue nor host holds up anything."""

import ipaddress
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import event

from tests.support.calls import make_click
from tests.support.receiver import Receiver, Reply
from tests.support.seeds import add_advertiser, add_affiliate, add_offer
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock
from trackyard.jobs.delivery import parallel_tracking as parallel_module
from trackyard.jobs.delivery.host_concurrency import Limits
from trackyard.jobs.delivery.parallel_tracking import ParallelCaller, ParallelClicks
from trackyard.jobs.loading.projector import Projector
from trackyard.journal.reader import Range
from trackyard.journal.records import Click, Kind, encode
from trackyard.journal.writer import Writer
from trackyard.store.engine.database import Database
from trackyard.store.tracking import parallel_tracking
from trackyard.store.tracking.parallel_tracking import ParallelCall

ALLOW = (ipaddress.ip_network("127.0.0.0/8"),)
ADVERTISER = "a" * 24
AT = 1_790_000_000_000


def counted(outcome: str) -> float:
    return REGISTRY.get_sample_value("trackyard_parallel_calls_total", {"outcome": outcome}) or 0.0


def an_offer(database: Database, url: str | None) -> int:
    with database.write() as conn:
        return add_offer(conn, add_advertiser(conn), parallel_tracking_url=url, title="Shoes")


def an_affiliate(database: Database) -> int:
    with database.write() as conn:
        return add_affiliate(conn, name="Ann")


def a_range(*clicks: Click) -> Range:
    frames = [(place, Kind.CLICK, encode(click)) for place, click in enumerate(clicks)]
    return Range("001-1", 0, len(frames), frames, AT, [], marks=1)


def waiting(database: Database) -> list[ParallelCall]:
    with database.write() as conn:
        return parallel_tracking.take(conn, 10**6)


def call_of(offer: int, url: str, **fields: object) -> ParallelCall:
    return ParallelCall(offer, url.split("/")[2].partition(":")[0], encode(make_click(offer, 1, ADVERTISER, **fields)))


@contextmanager
def calling(database: Database, limits: Limits | None = None) -> Iterator[None]:
    stop = threading.Event()
    caller = ParallelCaller(database, ZoneInfo("UTC"), ManualClock(AT), allow=ALLOW, limits=limits)
    thread = threading.Thread(target=caller.run, args=(stop, 0.01))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


def test_accepted_clicks_of_offers_that_want_it_are_told_of(database: Database) -> None:
    told, silent = an_offer(database, "http://A.example/?c={clickid}"), an_offer(database, None)
    clicks = ParallelClicks(database, ManualClock(AT))
    wanted = make_click(told, 7, ADVERTISER, detail='a "quoted" \\ detail')
    found = clicks.find(
        a_range(
            wanted,
            make_click(silent, 7, ADVERTISER),
            make_click(told, 7, ADVERTISER, reason="bot"),
            make_click(10**6, 7, ADVERTISER),
        )
    )
    assert found == [ParallelCall(told, "a.example", encode(wanted))]
    with database.write() as conn:
        clicks.queue(conn, found)
    assert waiting(database) == found
    assert waiting(database) == []


def test_without_such_an_offer_no_record_is_looked_at(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    an_offer(sqlite_database, None)
    monkeypatch.setattr(parallel_module, "_offer_of", None)
    statements: list[str] = []
    event.listen(sqlite_database._engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    clicks = ParallelClicks(sqlite_database, ManualClock(AT))
    for _ in range(5):
        assert clicks.find(a_range(make_click(1, 7, ADVERTISER))) == []
    assert sum("parallel_tracking_url" in statement for statement in statements) == 1


def test_a_range_queues_so_many_at_the_most(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_module, "MOST_OF_RANGE", 3)
    offer, before = an_offer(database, "http://a.example/"), counted("dropped")
    found = ParallelClicks(database, ManualClock(AT)).find(a_range(*[make_click(offer, 7, ADVERTISER)] * 5))
    assert (len(found), counted("dropped") - before) == (3, 2)


def test_the_queue_is_bounded_in_all_and_by_host(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_tracking, "MOST", 5)
    monkeypatch.setattr(parallel_tracking, "MOST_OF_HOST", 3)
    with database.write() as conn:
        assert parallel_tracking.add(conn, [call_of(1, "http://a.example/")] * 4, AT) == 3
        assert parallel_tracking.add(conn, [call_of(1, "http://b.example/")] * 4, AT) == 2
        assert parallel_tracking.add(conn, [call_of(1, "http://c.example/")], AT) == 0
    assert [call.host for call in waiting(database)] == ["a.example"] * 3 + ["b.example"] * 2


def test_calls_are_made_with_the_macros_of_clicks(database: Database, receiver: Receiver) -> None:
    affiliate = an_affiliate(database)
    url = receiver.url("/p?c={clickid}&s={sub1}&o={offer_name}&a={affiliate_name}&x={unknown}")
    offer, before = an_offer(database, url), counted("sent")
    click = make_click(offer, affiliate, ADVERTISER, sub1="a b")
    with database.write() as conn:
        parallel_tracking.add(conn, [ParallelCall(offer, "127.0.0.1", encode(click))], AT)
    with calling(database):
        receiver.wait_for(1)
        wait_until(lambda: counted("sent") == before + 1)
    (request,) = receiver.requests()
    assert request.query == {"c": click.id, "s": "a b", "o": "Shoes", "a": "Ann", "x": "{unknown}"}


def test_a_call_that_fails_is_not_repeated(database: Database) -> None:
    with Receiver(lambda _: Reply(503)) as receiver:
        offer, before = an_offer(database, receiver.url()), counted("failed")
        with database.write() as conn:
            parallel_tracking.add(conn, [call_of(offer, receiver.url())], AT)
        with calling(database):
            wait_until(lambda: counted("failed") == before + 1)
        assert len(receiver.requests()) == 1
    assert waiting(database) == []


def test_a_call_of_an_offer_that_wants_none_any_more_is_dropped(database: Database, receiver: Receiver) -> None:
    offer, before = an_offer(database, None), counted("dropped")
    with database.write() as conn:
        parallel_tracking.add(conn, [call_of(offer, receiver.url())], AT)
    with calling(database):
        wait_until(lambda: counted("dropped") == before + 1)
    assert receiver.requests() == []


def test_a_host_that_hangs_delays_no_other_and_what_waits_is_kept(database: Database) -> None:
    with Receiver(lambda request: Reply(delay=20 if request.path == "/slow" else 0)) as receiver:
        slow, quick = receiver.url("/slow"), f"http://localhost:{receiver.port}/quick"
        offers = {url: an_offer(database, url) for url in (slow, quick)}
        calls = [call_of(offers[slow], slow) for _ in range(20)] + [call_of(offers[quick], quick) for _ in range(10)]
        with database.write() as conn:
            parallel_tracking.add(conn, calls, AT)
        with calling(database, Limits(total=32, start=4)):
            wait_until(lambda: sum(request.path == "/quick" for request in receiver.requests()) == 10, seconds=5)
            assert sum(request.path == "/slow" for request in receiver.requests()) == 4
    assert [call.host for call in waiting(database)] == ["127.0.0.1"] * 16


def test_a_host_with_too_much_is_cut(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_module, "WAITING_OF_HOST", 6)
    before = counted("dropped")
    with Receiver(lambda _: Reply(delay=20)) as receiver:
        offer = an_offer(database, receiver.url())
        with database.write() as conn:
            parallel_tracking.add(conn, [call_of(offer, receiver.url())] * 10, AT)
        with calling(database, Limits(total=32, start=4)):
            receiver.wait_for(4)
    assert counted("dropped") - before == 4
    assert len(waiting(database)) == 2


def test_the_projector_queues_a_click_once_it_is_loaded(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path
) -> None:
    offer = an_offer(sqlite_database, "http://a.example/")
    clock = ManualClock(AT)
    writer = Writer(tmp_path / "journal", 1, clock)
    click = make_click(offer, 7, ADVERTISER)
    writer.append(Kind.CLICK, encode(click))
    writer.close()
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", clock)
    projector.drain()
    projector.drain()
    assert [call.click for call in waiting(sqlite_database)] == [encode(click)]
