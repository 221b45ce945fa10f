"""parallel_tracking_url: the reported clicks, and queues that delay nothing."""

import ipaddress
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import update

from tests.support.clicks.inbound_postbacks import make_click
from tests.support.processes.receiver import Receiver, Reply
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer
from tests.support.stores.statements import recorded_statements
from tests.support.waiting import wait_until
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import ManualClock
from trackyard.domain.tracking.subs import encrypted_sub
from trackyard.jobs.delivery import parallel_tracking as parallel_module
from trackyard.jobs.delivery.host_concurrency import OutboundLimits
from trackyard.jobs.delivery.parallel_tracking import ParallelTrackingQueuer, ParallelTrackingSender
from trackyard.jobs.loading.projector import Projector
from trackyard.journal.reader import OffsetRange
from trackyard.journal.records import Click, RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.engine.database import Database
from trackyard.store.tables import advertiser
from trackyard.store.tracking import parallel_tracking
from trackyard.store.tracking.parallel_tracking import ParallelRequest

ALLOW = (ipaddress.ip_network("127.0.0.0/8"),)
ADVERTISER = "a" * 24
AT = 1_790_000_000_000


def counted(outcome: str) -> float:
    return REGISTRY.get_sample_value("trackyard_parallel_tracking_requests_total", {"outcome": outcome}) or 0.0


def add_tracked_offer(database: Database, url: str | None) -> int:
    with database.write() as conn:
        return add_offer(conn, add_advertiser(conn), parallel_tracking_url=url, title="Shoes")


def add_named_affiliate(database: Database) -> int:
    with database.write() as conn:
        return add_affiliate(conn, name="Ann")


def make_range(*clicks: Click) -> OffsetRange:
    frames = [(place, RecordKind.CLICK, encode(click)) for place, click in enumerate(clicks)]
    return OffsetRange("001-1", 0, len(frames), frames, AT, [], checkpoints=1)


def waiting(database: Database) -> list[ParallelRequest]:
    with database.write() as conn:
        return parallel_tracking.take(conn, 10**6)


def tracking_call(offer: int, url: str, **fields: object) -> ParallelRequest:
    return ParallelRequest(
        offer, url.split("/")[2].partition(":")[0], encode(make_click(offer, 1, ADVERTISER, **fields))
    )


@contextmanager
def running_tracking_calls(database: Database, limits: OutboundLimits | None = None) -> Iterator[None]:
    stop = threading.Event()
    caller = ParallelTrackingSender(database, ZoneInfo("UTC"), ManualClock(AT), allow=ALLOW, limits=limits)
    thread = threading.Thread(target=caller.run, args=(stop, 0.01))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


def test_parallel_tracking_queues_accepted_clicks_of_its_offers(database: Database) -> None:
    tracked, silent = add_tracked_offer(database, "http://A.example/?c={clickid}"), add_tracked_offer(database, None)
    clicks = ParallelTrackingQueuer(database, ManualClock(AT))
    wanted = make_click(tracked, 7, ADVERTISER, detail='a "quoted" \\ detail')
    found = clicks.find_clicks_to_report(
        make_range(
            wanted,
            make_click(silent, 7, ADVERTISER),
            make_click(tracked, 7, ADVERTISER, reason="bot"),
            make_click(10**6, 7, ADVERTISER),
        )
    )
    assert found == [ParallelRequest(tracked, "a.example", encode(wanted))]
    with database.write() as conn:
        clicks.queue(conn, found)
    assert waiting(database) == found
    assert waiting(database) == []


def test_parallel_tracking_without_offers_reads_no_records(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_tracked_offer(sqlite_database, None)
    monkeypatch.setattr(parallel_module, "_match_offer", None)
    clicks = ParallelTrackingQueuer(sqlite_database, ManualClock(AT))
    with recorded_statements() as statements:
        for _ in range(5):
            assert clicks.find_clicks_to_report(make_range(make_click(1, 7, ADVERTISER))) == []
    assert sum("parallel_tracking_url" in statement for statement in statements) == 1


def test_parallel_tracking_queue_per_range_is_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_module, "MAX_PER_RANGE", 3)
    offer, before = add_tracked_offer(database, "http://a.example/"), counted("dropped")
    found = ParallelTrackingQueuer(database, ManualClock(AT)).find_clicks_to_report(
        make_range(*[make_click(offer, 7, ADVERTISER)] * 5)
    )
    assert (len(found), counted("dropped") - before) == (3, 2)


def test_parallel_tracking_queue_is_bounded_in_total_and_by_host(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_tracking, "MAX_QUEUED", 5)
    monkeypatch.setattr(parallel_tracking, "MAX_QUEUED_PER_HOST", 3)
    with database.write() as conn:
        assert parallel_tracking.add(conn, [tracking_call(1, "http://a.example/")] * 4, AT) == 3
        assert parallel_tracking.add(conn, [tracking_call(1, "http://b.example/")] * 4, AT) == 2
        assert parallel_tracking.add(conn, [tracking_call(1, "http://c.example/")], AT) == 0
    assert [call.host for call in waiting(database)] == ["a.example"] * 3 + ["b.example"] * 2


@pytest.mark.parametrize("key", ["", "0123456789abcdef" * 2])
def test_parallel_tracking_request_has_click_macros(database: Database, receiver: Receiver, key: str) -> None:
    affiliate = add_named_affiliate(database)
    url = receiver.url("/p?c={clickid}&s={sub1}&o={offer_name}&a={affiliate_name}&x={unknown}")
    offer, before = add_tracked_offer(database, url), counted("sent")
    click = make_click(offer, affiliate, ADVERTISER, sub1="a b")
    with database.write() as conn:
        conn.execute(update(advertiser).values(subaccounts_encryption=bool(key), subs_key=key))
        parallel_tracking.add(conn, [ParallelRequest(offer, "127.0.0.1", encode(click))], AT)
    with running_tracking_calls(database):
        receiver.wait_for(1)
        wait_until(lambda: counted("sent") == before + 1)
    (request,) = receiver.requests()
    assert request.query == {
        "c": click.id,
        "s": encrypted_sub("a b", key, affiliate),
        "o": "Shoes",
        "a": "Ann",
        "x": "{unknown}",
    }


def test_parallel_tracking_failure_is_not_retried(database: Database) -> None:
    with Receiver(lambda _: Reply(503)) as receiver:
        offer, before = add_tracked_offer(database, receiver.url()), counted("failed")
        with database.write() as conn:
            parallel_tracking.add(conn, [tracking_call(offer, receiver.url())], AT)
        with running_tracking_calls(database):
            wait_until(lambda: counted("failed") == before + 1)
        assert len(receiver.requests()) == 1
    assert waiting(database) == []


def test_parallel_tracking_request_of_offer_without_url_is_dropped(database: Database, receiver: Receiver) -> None:
    offer, before = add_tracked_offer(database, None), counted("dropped")
    with database.write() as conn:
        parallel_tracking.add(conn, [tracking_call(offer, receiver.url())], AT)
    with running_tracking_calls(database):
        wait_until(lambda: counted("dropped") == before + 1)
    assert receiver.requests() == []


def test_parallel_tracking_hanging_host_delays_no_other_host(database: Database) -> None:
    with Receiver(lambda request: Reply(delay=20 if request.path == "/slow" else 0)) as receiver:
        slow, quick = receiver.url("/slow"), f"http://localhost:{receiver.port}/quick"
        offers = {url: add_tracked_offer(database, url) for url in (slow, quick)}
        calls = [tracking_call(offers[slow], slow) for _ in range(20)] + [
            tracking_call(offers[quick], quick) for _ in range(10)
        ]
        with database.write() as conn:
            parallel_tracking.add(conn, calls, AT)
        with running_tracking_calls(database, OutboundLimits(total=32, start=4)):
            wait_until(lambda: sum(request.path == "/quick" for request in receiver.requests()) == 10, seconds=5)
            assert sum(request.path == "/slow" for request in receiver.requests()) == 4
    assert [call.host for call in waiting(database)] == ["127.0.0.1"] * 16


def test_parallel_tracking_host_over_limit_drops_requests(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_module, "MAX_WAITING_PER_HOST", 6)
    before = counted("dropped")
    with Receiver(lambda _: Reply(delay=20)) as receiver:
        offer = add_tracked_offer(database, receiver.url())
        with database.write() as conn:
            parallel_tracking.add(conn, [tracking_call(offer, receiver.url())] * 10, AT)
        with running_tracking_calls(database, OutboundLimits(total=32, start=4)):
            receiver.wait_for(4)
    assert counted("dropped") - before == 4
    assert len(waiting(database)) == 2


def test_parallel_tracking_click_is_queued_once_loaded(
    sqlite_database: Database, analytics: Analytics, tmp_path: Path
) -> None:
    offer = add_tracked_offer(sqlite_database, "http://a.example/")
    clock = ManualClock(AT)
    writer = JournalWriter(tmp_path / "journal", 1, clock)
    click = make_click(offer, 7, ADVERTISER)
    writer.append(RecordKind.CLICK, encode(click))
    writer.close()
    projector = Projector(sqlite_database, analytics, tmp_path / "journal", tmp_path / "rules", clock)
    projector.drain()
    projector.drain()
    assert [call.click for call in waiting(sqlite_database)] == [encode(click)]


def test_parallel_tracking_to_own_host_is_dropped(database: Database, receiver: Receiver) -> None:
    own, other = receiver.url("/click"), f"http://localhost:{receiver.port}/seen"
    looping, tracked = add_tracked_offer(database, own), add_tracked_offer(database, other)
    with database.write() as conn:
        calls = [tracking_call(looping, own), tracking_call(tracked, other)]
        assert parallel_tracking.add(conn, calls, AT) == 2
    stop = threading.Event()
    sender = ParallelTrackingSender(
        database, ZoneInfo("UTC"), ManualClock(AT), allow=ALLOW, own_urls=[receiver.url()], origin="o" * 32
    )
    thread = threading.Thread(target=sender.run, args=(stop, 0.01))
    thread.start()
    try:
        [request] = receiver.wait_for(1)
    finally:
        stop.set()
        thread.join(10)
    assert request.path == "/seen"
    assert request.headers["x-trackyard-origin"] == "o" * 32
    assert len(request.headers["x-trackyard-delivery"]) == 24
    assert waiting(database) == []
