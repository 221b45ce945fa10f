"""Hosts that hang have less time, and hosts that fail are asked less often, each for one affiliate."""

import logging
import threading

import pytest
from prometheus_client import REGISTRY

from tests.jobs.delivery.test_affiliate_shares import two_affiliates
from tests.jobs.delivery.test_deliveries import delivering, logs, make_delivery, queue
from tests.support.clicks.inbound_postbacks import AT
from tests.support.manual_seconds import ManualSeconds
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.domain.tracking.outbound_calls import Destination
from trackyard.jobs.delivery import host_health
from trackyard.jobs.delivery.delivery_slots import DeliverySlots
from trackyard.jobs.delivery.host_concurrency import OutboundLimits
from trackyard.jobs.delivery.host_health import HostHealth
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Database
from trackyard.store.tracking.deliveries import DueDelivery

PLACE, SAME_HOST = Destination("a.example", 1), Destination("a.example", 2)
ANSWER, FAULT, LATE = HttpResult(200), HttpResult(503), HttpResult(0, error="no answer", is_late=True)


@pytest.fixture
def ticks() -> ManualSeconds:
    return ManualSeconds()


@pytest.fixture
def health(ticks: ManualSeconds) -> HostHealth:
    return HostHealth(10, ticks)


def fail(health: HostHealth, times: int, place: Destination = PLACE) -> None:
    for _ in range(times):
        health.record(place, FAULT, 10)


def test_host_that_hung_has_three_seconds_for_a_minute(health: HostHealth, ticks: ManualSeconds) -> None:
    assert health.time_for(PLACE) == 10
    health.record(PLACE, LATE, 10)
    assert health.time_for(PLACE) == 3
    assert health.time_for(SAME_HOST) == 10
    ticks.now += 59
    health.record(PLACE, LATE, 3)
    assert health.time_for(PLACE) == 3
    ticks.now += 1
    assert health.time_for(PLACE) == 10  # a slow host must be found to answer
    health.record(PLACE, LATE, 10)
    assert health.time_for(PLACE) == 3


def test_host_that_answers_has_its_whole_time_again(health: HostHealth) -> None:
    health.record(PLACE, LATE, 10)
    health.record(PLACE, ANSWER, 3)
    assert health.time_for(PLACE) == 10
    assert not health.is_hanging(PLACE)


def test_host_that_refuses_quickly_keeps_its_time(health: HostHealth) -> None:
    health.record(PLACE, HttpResult(0, error="refused"), 10)
    assert health.time_for(PLACE) == 10


def test_host_is_paused_after_twenty_failed_attempts_and_longer_each_time(
    health: HostHealth, ticks: ManualSeconds
) -> None:
    fail(health, 19)
    assert health.paused == []
    pauses = []
    for _ in range(7):
        fail(health, 2)  # the second one was under way when the pause began
        begun = ticks.now
        while health.is_paused(PLACE):
            ticks.now += 0.5
        pauses.append(ticks.now - begun)
    assert pauses == [1, 2, 4, 8, 16, 30, 30]
    assert not health.is_paused(SAME_HOST)


def test_host_that_recovers_is_asked_as_before(health: HostHealth, ticks: ManualSeconds) -> None:
    fail(health, 20)
    assert health.paused == [PLACE]
    ticks.now += 1
    health.record(PLACE, ANSWER, 10)
    fail(health, 19)
    assert health.paused == []
    fail(health, 1)
    ticks.now += 1
    assert health.paused == []  # it begins with the shortest pause again


def test_host_state_changes_are_logged_once_and_counted(
    health: HostHealth, ticks: ManualSeconds, caplog: pytest.LogCaptureFixture
) -> None:
    def counted(state: str) -> float | None:
        return REGISTRY.get_sample_value("trackyard_delivery_hosts", {"state": state})

    with caplog.at_level(logging.INFO, "trackyard.deliveries"):
        for _ in range(30):
            health.record(PLACE, LATE, 10)
            ticks.now += 31
        assert (counted("hanging"), counted("paused")) == (1, 1)
        health.record(PLACE, ANSWER, 10)
        health.record(PLACE, ANSWER, 10)
        assert (counted("hanging"), counted("paused")) == (0, 0)
        health.record(SAME_HOST, LATE, 10)
        ticks.now += 601
        fail(health, 1)
    assert [(line.message, line.__dict__["affiliate_id"]) for line in caplog.records] == [
        ("delivery host hangs", 1),
        ("delivery host paused", 1),
        ("delivery host answers", 1),
        ("delivery host hangs", 2),
        ("delivery host forgotten", 2),
    ]


def test_host_failures_are_remembered_of_a_bounded_number(health: HostHealth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_health, "MAX_KNOWN", 3)
    for number in range(5):
        fail(health, 20, Destination("a.example", number))
    assert [place.affiliate_id for place in health.paused] == [2, 3, 4]


def test_hosts_that_hang_have_a_share_of_all_slots() -> None:
    slots = DeliverySlots(OutboundLimits(hanging=2), ManualSeconds())

    def due(host: int) -> DueDelivery:
        return DueDelivery(new_id(AT), f"h{host}.example", host)

    for host in range(5):
        item = due(host)
        assert slots.take(item)
        slots._health.record(item.destination, LATE, 10)
        slots.free_slot(item)
    assert [slots.take(due(host)) for host in range(6)] == [True, True, False, False, False, True]
    assert {place.affiliate_id for place in slots.find_free(100).without} == {0, 1, 2, 3, 4}


def test_host_has_a_share_of_all_slots_whatever_the_affiliate() -> None:
    slots = DeliverySlots(OutboundLimits(by_host=6), ManualSeconds())
    items = [DueDelivery(new_id(AT), "a.example", number % 3) for number in range(9)]
    assert [slots.take(item) for item in items] == [True] * 6 + [False] * 3
    assert slots.find_free(100).full_hosts == ["a.example"]
    slots.free_slot(items[0])
    assert slots.take(items[8])


def test_delivery_to_host_that_hung_has_a_short_time(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    affiliate, _ = two_affiliates(database)
    monkeypatch.setattr(host_health, "SHORT_SECONDS", 0.1)
    released = threading.Event()

    def hang(_: ReceivedRequest) -> Reply:
        released.wait(60)
        return Reply()

    clock = ManualClock(AT)
    with Receiver(hang) as receiver:
        queue(database, make_delivery(affiliate, receiver.url()))
        with delivering(database, clock, OutboundLimits(seconds=0.5)):
            wait_until(lambda: len(logs(database)) == 1)
            clock.advance(60_000)
            wait_until(lambda: len(logs(database)) == 2)
        released.set()
    assert [row.error for row in logs(database)] == ["no answer within 0.5 s", "no answer within 0.1 s"]


def test_delivery_host_that_fails_is_paused_and_used_again_once_it_answers(database: Database) -> None:
    affiliate, other = two_affiliates(database)
    recovered, ticks = threading.Event(), ManualSeconds()

    def reply(request: ReceivedRequest) -> Reply:
        return Reply(503 if request.path == "/fails" and not recovered.is_set() else 200)

    def came(path: str) -> int:
        return sum(request.path == path for request in receiver.requests())

    with Receiver(reply) as receiver:
        url = receiver.url("/fails")
        queue(database, *(make_delivery(affiliate, url, subject_id=new_id(AT)) for _ in range(60)))
        with delivering(database, ManualClock(AT), monotonic=ticks):
            wait_until(lambda: len(logs(database)) >= host_health.MAX_FAILED_IN_ROW)
            queue(database, make_delivery(other, receiver.url("/other"), postback_id=2, subject_id=new_id(AT)))
            wait_until(lambda: came("/other") == 1)
            wait_until(lambda: len(logs(database)) == len(receiver.requests()))  # none is under way
            assert came("/fails") <= host_health.MAX_FAILED_IN_ROW + 4
            recovered.set()
            ticks.now += host_health.FIRST_PAUSE_SECONDS
            wait_until(lambda: came("/fails") == 60)
