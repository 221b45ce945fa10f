"""Deliveries are fair by affiliate: hanging hosts of one delay no other."""

import threading
import time

from tests.jobs.delivery.test_deliveries import delivering, make_delivery, queue
from tests.support.clicks.inbound_postbacks import AT
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.stores.seeds import add_affiliate, add_postback
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_id
from trackyard.domain.tracking.outbound_calls import Destination
from trackyard.jobs.delivery.host_concurrency import OutboundLimits
from trackyard.jobs.delivery.slot_shares import SlotShares
from trackyard.store.engine.database import Database
from trackyard.store.tracking import deliveries


def two_affiliates(database: Database) -> tuple[int, int]:
    """Two affiliates with one postback each; the ids of these are 1 and 2."""
    with database.write() as conn:
        first, second = add_affiliate(conn), add_affiliate(conn)
        add_postback(conn, first, "https://first.example/", id=1)
        add_postback(conn, second, "https://second.example/", id=2)
    return first, second


def test_delivery_of_affiliate_is_made_behind_hanging_hosts_of_another(database: Database) -> None:
    attacker, other = two_affiliates(database)
    released = threading.Event()

    def reply(request: ReceivedRequest) -> Reply:
        if request.path == "/hangs":
            released.wait(60)
        return Reply()

    with Receiver(reply) as receiver:
        hanging = [
            make_delivery(
                attacker,
                receiver.url("/hangs"),
                subject_id=new_id(AT),
                host=f"127.0.{number}.1",
            )
            for number in range(60)
            for _ in range(4)
        ]
        late = make_delivery(
            other, receiver.url("/other"), postback_id=2, subject_id=new_id(AT), host="z.example", next_at=AT + 1
        )
        queue(database, *hanging, late)
        limits = OutboundLimits(total=40, by_affiliate=4, seconds=60)
        with delivering(database, ManualClock(AT + 1), limits):
            wait_until(lambda: any(request.path == "/other" for request in receiver.requests()), seconds=20)
            wait_until(lambda: sum(request.path == "/hangs" for request in receiver.requests()) == 4, seconds=20)
            assert len(receiver.requests()) == 5
            released.set()


def test_delivery_of_affiliate_is_made_behind_hanging_requests_of_another_to_its_host(database: Database) -> None:
    attacker, other = two_affiliates(database)
    released = threading.Event()

    def reply(request: ReceivedRequest) -> Reply:
        if request.path == "/hangs":
            released.wait(60)
        return Reply()

    with Receiver(reply) as receiver:
        url = receiver.url("/hangs")
        queue(database, *(make_delivery(attacker, url, subject_id=new_id(AT)) for _ in range(500)))
        with delivering(database, ManualClock(AT + 1), OutboundLimits(seconds=60)):
            receiver.wait_for(4)
            begun = time.monotonic()
            own = [
                make_delivery(other, receiver.url(f"/{number}"), postback_id=2, subject_id=new_id(AT), next_at=AT + 1)
                for number in range(30)
            ]
            queue(database, *own)
            wait_until(lambda: len(receiver.requests()) == 34, seconds=20)
            paths = [request.path for request in receiver.requests()]
            assert paths.count("/hangs") == 4
            assert max(request.at for request in receiver.requests()) - begun < 2
            released.set()


def test_delivery_default_limits_leave_nine_tenths_to_others() -> None:
    limits = OutboundLimits()
    assert limits.by_affiliate <= limits.total / 10
    assert limits.by_host <= limits.total / 8
    assert limits.hanging <= limits.total / 4


def test_deliveries_due_take_turns_by_affiliate(database: Database) -> None:
    busy, other = two_affiliates(database)
    early = [
        make_delivery(busy, f"http://h{number}.example/", subject_id=new_id(AT), next_at=AT + number)
        for number in range(20)
    ]
    late = [
        make_delivery(other, "http://z.example/", postback_id=2, subject_id=new_id(AT), next_at=AT + 50 + number)
        for number in range(2)
    ]
    queue(database, *early, *late)
    with database.read() as conn:
        due = deliveries.list_due(conn, AT + 100, 4, 4)
        rest = deliveries.list_due(conn, AT + 100, 4, 4, full_affiliates=[busy])
    assert [item.affiliate_id for item in due] == [busy, other, busy, other]
    assert [item.id for item in due if item.affiliate_id == busy] == [item.id for item in early[:2]]
    assert [item.id for item in rest] == [item.id for item in late]


def test_deliveries_due_take_turns_by_affiliate_at_one_host(database: Database) -> None:
    busy, other = two_affiliates(database)
    url = "http://shared.example/"
    early = [make_delivery(busy, url, subject_id=new_id(AT), next_at=AT + number) for number in range(20)]
    late = make_delivery(other, url, postback_id=2, subject_id=new_id(AT), next_at=AT + 50)
    queue(database, *early, late)
    with database.read() as conn:
        due = deliveries.list_due(conn, AT + 100, 4, 128)
        behind = deliveries.list_due(conn, AT + 100, 4, 128, without=[Destination("shared.example", busy)])
        only = deliveries.list_due(conn, AT + 100, 8, 128, only=[Destination("shared.example", busy)])
        none = deliveries.list_due(conn, AT + 100, 4, 128, full_hosts=["shared.example"])
    assert [item.affiliate_id for item in due] == [busy, other, busy, busy, busy]
    assert [item.id for item in behind] == [late.id]
    assert [item.id for item in only] == [item.id for item in early[:8]]
    assert none == []


def test_delivery_slots_of_affiliate_are_bounded_and_freed() -> None:
    shares = SlotShares[int](2)
    assert [shares.take(7) for _ in range(3)] == [True, True, False]
    assert shares.full == [7]
    assert shares.take(8)
    shares.free_slot(7)
    assert shares.full == []
    assert shares.take(7)
