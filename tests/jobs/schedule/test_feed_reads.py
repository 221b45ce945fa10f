"""Readings of product feeds from their URLs."""

import asyncio
import ipaddress
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.support.api import ADMIN_KEY, Api
from tests.support.client import ApiClient
from tests.support.counted import counted
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.waiting import wait_until
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.offers.feeds.product_feeds import MOST_BYTES, ProductFeed
from trackyard.jobs.schedule.feed_reads import LEASE_MS, FeedReader, FeedReading
from trackyard.outbound.interactive import OnDemandClient

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
HOUR_MS = 3_600_000
FEED = "/3.1/admin/product-feed"
BOOTS = b"sku,name,url\nb1,Boots,https://shop.example/boots\n"
HAT = b"sku,name,url\nb1,Boots,https://shop.example/b\nh2,Hat,https://shop.example/hat\n"


class FeedShop:
    """A server of files, which the next answer may be another of, and the feed that is read from it."""

    def __init__(self, api: Api, receiver: Receiver) -> None:
        self.api = api
        self.receiver = receiver
        self.reader = FeedReader(api.deps.database, api.clock, LOOPBACK)
        self.feed = api.admin.post(FEED, name="Autumn", url=receiver.url("/p.csv"), refresh_hours=6)["product_feed"]

    @property
    def place(self) -> str:
        return f"{FEED}/{self.feed['id']}"

    def read(self, *, hours: float = 0) -> dict[str, Any]:
        """Read what is due some hours later; return the feed."""
        self.api.clock.advance(round(hours * HOUR_MS))
        while self.reader.read_one():
            pass
        found: dict[str, Any] = self.api.admin.get(self.place)["product_feed"]
        return found

    def skus(self) -> list[str]:
        return [each["sku"] for each in self.api.admin.get(self.place)["items"]]


@pytest.fixture
def answers() -> list[Reply]:
    """What the server answers, one after another; the last one stays."""
    return [Reply(200, BOOTS)]


@pytest.fixture
def shop(api: Api, answers: list[Reply]) -> Iterator[FeedShop]:
    def answer(_: ReceivedRequest) -> Reply:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    deps = replace(api.deps, trials=OnDemandClient(LOOPBACK))
    app = build(deps)
    with Receiver(answer) as receiver:
        yield FeedShop(replace(api, deps=deps, app=app, admin=ApiClient(app, CATALOGUE, ADMIN_KEY)), receiver)


def outcomes() -> dict[str, float]:
    return {each: counted("trackyard_feed_reads_total", outcome=each) for each in ("replaced", "unchanged", "failed")}


def test_feed_is_read_from_its_url_at_once_and_again_after_its_period(shop: FeedShop, answers: list[Reply]) -> None:
    assert (shop.feed["items"], shop.feed["items_at"], shop.feed["last_read_at"]) == (0, "", "")
    assert (shop.feed["refresh_hours"], shop.feed["next_read_at"]) == (6, shop.feed["created_at"])
    first = shop.read()
    assert (first["items"], first["last_error"], first["last_read_at"]) == (1, "", first["items_at"])
    [boots] = shop.api.admin.get(shop.place)["items"]
    answers[:] = [Reply(200, HAT)]
    assert shop.read(hours=5.9)["items"] == 1
    assert shop.read(hours=0.1)["items"] == 2 and len(shop.receiver.requests()) == 2
    assert shop.api.admin.get(shop.place)["items"][0]["id"] == boots["id"], "a product keeps its id"


def test_failed_reading_keeps_products_and_says_why_until_one_succeeds(
    shop: FeedShop, answers: list[Reply], caplog: pytest.LogCaptureFixture
) -> None:
    before = outcomes()
    answers[:] = [
        Reply(200, BOOTS),
        Reply(404, b"gone"),
        Reply(200, b"sku,name,url\nb1,,nowhere\n"),
        Reply(200, b"a" * (MOST_BYTES + 1)),
        Reply(200, HAT),
    ]
    written = shop.read()["items_at"]
    with caplog.at_level(logging.WARNING, "trackyard.feeds"):
        for hours, error in (
            (6, "127.0.0.1 answered 404. Open the URL, and correct it."),
            (1, "Row 2, name: This value is required. Row 2, url: This is not a URL"),
            (1, "The file has more than 5 MB."),
        ):
            failed = shop.read(hours=hours)
            assert failed["last_error"].startswith(error)
            assert (failed["items"], failed["items_at"], shop.skus()) == (1, written, ["b1"])
            assert failed["last_read_at"] > written
    assert [each.message for each in caplog.records] == ["product feed not read"] * 3
    again = shop.read(hours=1)
    assert (again["items"], again["last_error"]) == (2, "")
    assert {each: count - before[each] for each, count in outcomes().items()} == {
        "replaced": 2, "unchanged": 0, "failed": 3,
    }  # fmt: skip


def test_unchanged_file_is_asked_for_with_its_headers_and_not_written_again(
    shop: FeedShop, answers: list[Reply]
) -> None:
    kept = {"ETag": '"v1"', "Last-Modified": "Tue, 14 Nov 2023 10:00:00 GMT"}
    answers[:] = [Reply(200, BOOTS, kept), Reply(304, b""), Reply(304, b"")]
    before, first = outcomes()["unchanged"], shop.read()
    second = shop.read(hours=6)
    _, asked = shop.receiver.requests()
    assert (asked.headers["if-none-match"], asked.headers["if-modified-since"]) == tuple(kept.values())
    assert (second["items_at"], second["last_error"]) == (first["items_at"], "")
    assert second["last_read_at"] > first["last_read_at"] and outcomes()["unchanged"] == before + 1
    shop.api.admin.post(shop.place, url=shop.receiver.url("/other.csv"))
    assert shop.read()["last_error"] == "127.0.0.1 answered 304. Open the URL, and correct it."
    assert "if-none-match" not in shop.receiver.requests()[2].headers, "another URL is another file"


def test_redirects_are_followed_to_a_limit_and_never_to_a_private_address(shop: FeedShop, answers: list[Reply]) -> None:
    answers[:] = [Reply(302, b"", {"Location": "/files/p.csv"}), Reply(200, BOOTS)]
    assert shop.read()["items"] == 1
    assert [each.path for each in shop.receiver.requests()] == ["/p.csv", "/files/p.csv"]
    answers[:] = [Reply(302, b"", {"Location": "/p.csv"})]
    assert shop.read(hours=6)["last_error"] == "The URL redirects more than 4 times."
    answers[:] = [Reply(302, b"", {"Location": "http://10.0.0.1/p.csv"})]
    assert "has no IP address that may be called" in shop.read(hours=1)["last_error"]
    shop.reader = FeedReader(shop.api.deps.database, shop.api.clock)
    asked = len(shop.receiver.requests())
    refused = shop.read(hours=1)
    assert refused["last_error"] == "The file could not be read: 127.0.0.1 has no IP address that may be called."
    assert len(shop.receiver.requests()) == asked and shop.skus() == ["b1"]


def test_feed_is_read_by_one_of_two_workers_and_again_when_that_died(shop: FeedShop) -> None:
    others = []

    def died(worker: FeedReader) -> None:
        others.append(FeedReader(shop.api.deps.database, shop.api.clock, LOOPBACK).read_one())
        raise RuntimeError("the worker dies")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FeedReader, "_store", lambda worker, feed, reading: died(worker))
        with pytest.raises(RuntimeError):
            shop.reader.read_one()
    assert others == [False], "the feed was claimed"
    assert shop.read()["items"] == 0
    assert shop.read(hours=LEASE_MS / HOUR_MS)["items"] == 1


def test_feed_that_drips_delays_feeds_of_its_host_alone(shop: FeedShop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.read()
    slow, other = "http://slow.example/p.csv", "http://quick.example/p.csv"
    for name, url in (("Slow", slow), ("Slow, too", f"{slow}?2"), ("Quick", other)):
        shop.api.clock.advance(1000)
        shop.api.admin.post(FEED, name=name, url=url)
    held, begun = threading.Event(), list[str]()

    async def read(_worker: FeedReader, feed: ProductFeed) -> FeedReading:
        begun.append(feed.url)
        if feed.url == slow:
            await asyncio.to_thread(held.wait, 60)
        return FeedReading("No file.")

    monkeypatch.setattr(FeedReader, "_read", read)
    with ThreadPoolExecutor(1) as threads:
        dripping = threads.submit(shop.reader.read_one)
        wait_until(lambda: begun == [slow])
        assert (shop.reader.read_one(), shop.reader.read_one()) == (True, False)
        assert begun == [slow, other]
        held.set()
        assert dripping.result()
    assert (shop.reader.read_one(), begun[-1]) == (True, f"{slow}?2")


def test_reading_of_a_url_that_was_replaced_meanwhile_is_dropped(shop: FeedShop, answers: list[Reply]) -> None:
    store = FeedReader._store

    def replaced(worker: FeedReader, feed: Any, reading: Any) -> bool:
        shop.api.admin.post(shop.place, url="", csv=HAT.decode())
        return store(worker, feed, reading)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FeedReader, "_store", replaced)
        shop.reader.read_one()
    found = shop.read(hours=24)
    assert (found["url"], found["items"], found["next_read_at"], found["last_read_at"]) == ("", 2, "", "")
    assert len(shop.receiver.requests()) == 1


def test_staff_read_a_feed_now_at_the_earliest_a_minute_after_the_last_reading(
    shop: FeedShop, answers: list[Reply]
) -> None:
    shop.read()
    answers[:] = [Reply(200, HAT)]
    asked = shop.api.admin.post(f"{shop.place}/read")["product_feed"]
    assert asked["next_read_at"] > asked["last_read_at"]
    assert shop.read()["items"] == 1
    assert shop.read(hours=1 / 60)["items"] == 2
    shop.api.admin.post(shop.place, url="")
    assert shop.api.admin.refusal("POST", f"{shop.place}/read") == (409, ["id"])


def test_shorter_period_counts_from_now(shop: FeedShop) -> None:
    shop.read()
    shop.api.admin.post(shop.place, refresh_hours=2)
    shop.read(hours=2)
    assert len(shop.receiver.requests()) == 2
    shop.api.admin.post(shop.place, refresh_hours=168)
    shop.read(hours=2)
    assert len(shop.receiver.requests()) == 3, "what was planned stays"
    shop.read(hours=167)
    assert len(shop.receiver.requests()) == 3
