"""Calls become conversions, and everything that follows, exactly once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import Table, func, select, text, update

from tests.support.calls import AT, inbox_call, make_call, make_click
from tests.support.crashes import uncommitted
from tests.support.queued import queued_lines
from tests.support.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from trackyard.base.clock import ManualClock
from trackyard.domain.statistics.rows import Fact, ServerLog
from trackyard.jobs.conversions.inbox import BATCH, Converter
from trackyard.journal.records import Click
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database
from trackyard.store.money.exchange_rates import add_rate
from trackyard.store.money.ledger import Balance, list_balances
from trackyard.store.statistics import outbox
from trackyard.store.tables import advertiser, conversion, conversion_event, delivery, ledger, offer
from trackyard.store.tables import inbox as inbox_table
from trackyard.store.tables import outbox as outbox_table

UTC = ZoneInfo("UTC")


@dataclass
class World:
    """An installation with one offer of 5 USD, one affiliate with one postback, and a converter."""

    database: Database
    clock: ManualClock
    advertiser: str
    affiliate: int
    offer: int
    positions: Iterator[int]

    def converter(self) -> Converter:
        return Converter(self.database, "USD", UTC, self.clock)

    def click(self, **fields: object) -> Click:
        return make_click(self.offer, self.affiliate, self.advertiser, **fields)

    def send(self, click: Click | None, time: int = AT, **params: str) -> None:
        """Puts a call into the inbox."""
        if click is not None:
            params = {"clickid": click.id} | params
        with self.database.write() as conn:
            inbox.add_calls(conn, "001-1", [inbox_call(next(self.positions), make_call(time, **params), click)])

    def settle(self) -> None:
        converter = self.converter()
        while converter.step():
            pass

    def count(self, table: Table) -> int:
        with self.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(table)).scalar_one())

    def facts(self) -> list[Fact]:
        return [msgspec.json.decode(line, type=Fact) for line in self.lines("fact")]

    def responses(self) -> list[str]:
        rows = [msgspec.json.decode(line, type=ServerLog) for line in self.lines("server_log")]
        return [row.response for row in rows]

    def lines(self, target: str) -> list[bytes]:
        return queued_lines(self.database, target)

    def balance(self) -> tuple[Decimal, Decimal]:
        """(hold, available) in USD."""
        with self.database.read() as conn:
            found = list_balances(conn, [self.affiliate])
        return (found[0].hold, found[0].available) if found else (Decimal(0), Decimal(0))


@pytest.fixture
def world(database: Database) -> World:
    with database.write() as conn:
        advertiser = add_advertiser(conn)
        affiliate = add_affiliate(conn)
        offer = add_offer(conn, advertiser)
        add_postback(conn, affiliate, "http://127.0.0.1:9/?s={status}&c={clickid}&sum={sum}&sub={sub1}")
    return World(database, ManualClock(AT + 1_000), advertiser, affiliate, offer, iter(range(1, 10**6)))


def test_a_call_makes_a_conversion_and_all_that_follows(world: World) -> None:
    click = world.click(sub1="a b&c")
    world.send(click, sum="99.5", custom_field2="x")
    world.settle()
    with world.database.read() as conn:
        row = conn.execute(select(conversion)).one()
        call = conn.execute(select(delivery)).one()
        event = conn.execute(select(conversion_event)).one()
    assert (row.status, row.goal, row.charge, row.payout, row.version) == ("confirmed", "1", 10, 5, 1)
    assert (row.created_at, row.click_id, row.country, row.custom_fields) == (AT, click.id, "DE", {"2": "x"})
    assert (event.version, event.status) == (1, "confirmed")
    assert call.url == f"http://127.0.0.1:9/?s=1&c={click.id}&sum=5&sub=a%20b%26c"
    assert (call.host, call.number, call.conversion_id) == ("127.0.0.1", 1, row.id)
    assert world.balance() == (0, 5)
    (fact,) = world.facts()
    assert (fact.sign, fact.conversion_id, fact.payout, fact.charge_base, fact.sub1) == (1, row.id, 5, 10, "a b&c")
    assert world.responses() == [""]
    assert world.count(inbox_table) == 0


def test_calls_to_a_host_with_macros_wait_in_one_queue(world: World) -> None:
    """One server that is slow under any number of names must not delay the others (docs/spec/postbacks.md#retries)."""
    with world.database.write() as conn:
        add_postback(conn, world.affiliate, "http://{clickid}.Slow.example/?s={status}")
    clicks = [world.click() for _ in range(3)]
    for click in clicks:
        world.send(click)
    world.settle()
    with world.database.read() as conn:
        calls = conn.execute(select(delivery).where(delivery.c.host != "127.0.0.1").order_by(delivery.c.url)).all()
    assert [call.url for call in calls] == sorted(f"http://{click.id}.Slow.example/?s=1" for click in clicks)
    assert {call.host for call in calls} == {"{clickid}.slow.example"}


def test_a_repeat_changes_the_status_by_difference(world: World) -> None:
    click = world.click()
    world.send(click, status="2")
    world.settle()
    assert world.balance() == (0, 0)
    world.send(click, AT + 5_000, status="1")
    world.send(click, AT + 6_000, status="1")
    world.send(click, AT + 7_000, status="3")
    world.settle()
    assert world.balance() == (0, 5)
    assert world.responses() == ["", "", "Conversion exists", "Conversion status is not pending"]
    signs = [(fact.sign, fact.status, fact.version, fact.time) for fact in world.facts()]
    assert signs == [(1, 2, 1, AT), (-1, 2, 1, AT), (1, 1, 2, AT)]
    assert world.count(conversion_event) == world.count(delivery) == world.count(ledger) == 2


def test_one_batch_may_make_and_change_a_conversion(world: World) -> None:
    click = world.click()
    for status in ("2", "2", "3"):
        world.send(click, status=status)
    world.settle()
    assert world.responses() == ["", "Conversion exists", ""]
    with world.database.read() as conn:
        row = conn.execute(select(conversion)).one()
    assert (row.status, row.version) == ("declined", 2)


def test_calls_without_a_usable_click_change_nothing(world: World) -> None:
    world.send(None)
    world.send(None, clickid="nonsense")
    refused = world.click(reason="mistargeting-country")
    world.send(refused)
    world.settle()
    assert world.responses() == ["Missing mandatory parameter clickid", "Broken clickid", "Broken clickid"]
    assert world.count(conversion) == world.count(inbox_table) == 0


def test_only_listed_callers_are_heard(world: World) -> None:
    with world.database.write() as conn:
        conn.execute(update(offer).values(allowed_ip="10.0.0.1\n192.0.2.1-192.0.2.20"))
        conn.execute(update(advertiser).values(disallowed_ip=["192.0.2.10"]))
    world.send(world.click())
    world.settle()
    with world.database.write() as conn:
        conn.execute(update(advertiser).values(disallowed_ip=["192.0.2.0/28"]))
    world.send(world.click())
    world.settle()
    assert world.responses() == ["", "Current IP-address is denied"]


def test_a_hold_counts_as_hold(world: World) -> None:
    world.send(world.click(), status="5")
    world.settle()
    assert world.balance() == (5, 0)


def test_secrets_do_not_reach_the_log(world: World) -> None:
    world.send(world.click(), secure="hunter2", sum="1")
    world.settle()
    (line,) = world.lines("server_log")
    assert b"hunter2" not in line
    assert b"secure=***&sum=1" in line


def test_nul_characters_do_not_stop_the_queue(world: World) -> None:
    world.send(world.click(sub1="a\x00b"), goal="1\x00", comment="\x00\\u0000", status="2")
    world.settle()
    with world.database.read() as conn:
        row = conn.execute(select(conversion)).one()
    assert (row.goal, row.comment, row.click["sub1"]) == ("1", "\\u0000", "ab")


def test_a_call_that_cannot_be_decided_stops_no_other(world: World) -> None:
    with world.database.write() as conn:
        inbox.add_calls(conn, "001-1", [inbox.InboxCall(0, b"{broken", b"[]", "", AT)])
    world.send(world.click())
    world.settle()
    assert world.count(conversion) == 1
    with world.database.read() as conn:
        assert conn.execute(select(inbox_table.c.state)).scalars().all() == ["aside"]


CRASHES = [
    "trackyard.store.conversions.conversions.record",
    "trackyard.store.money.ledger.add_entries",
    "trackyard.store.statistics.outbox.add",
    "trackyard.store.tracking.deliveries.add",
]


@pytest.mark.parametrize("place", CRASHES)
def test_a_crash_at_any_step_is_as_if_nothing_happened(
    world: World, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(BaseException):
        """The process dies here."""

    def crash(*_: object) -> None:
        raise Crash

    for number in range(3):
        world.send(world.click(sub1=str(number)))
    with monkeypatch.context() as patch:
        patch.setattr(place, crash)
        with pytest.raises(Crash):
            world.converter().step()
    assert world.count(conversion) == world.count(outbox_table) == 0
    assert world.count(inbox_table) == 3
    world.settle()
    assert world.count(conversion) == world.count(ledger) == world.count(delivery) == 3
    assert world.balance() == (0, 15)
    assert len(world.facts()) == 3


def test_a_crash_before_the_commit_repeats_the_batch_once(world: World) -> None:
    class Crash(BaseException):
        """The process dies here."""

    world.send(world.click())
    with uncommitted(world.database, Crash), pytest.raises(Crash):
        world.converter().step()
    world.settle()
    world.settle()
    assert world.count(conversion) == 1
    assert world.balance() == (0, 5)


def test_two_workers_decide_each_call_once(world: World) -> None:
    clicks = [world.click() for _ in range(30)]
    for click in clicks:
        world.send(click, status="2")
        world.send(click, AT + 1, status="1")

    def work(_: int) -> None:
        converter = world.converter()
        for _ in range(200):
            if converter.step() == 0 and world.count(inbox_table) == 0:
                return

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert world.count(inbox_table) == 0
    assert world.count(conversion) == 30
    assert world.count(conversion_event) == 60
    assert world.balance() == (0, 150)
    assert sum(fact.sign for fact in world.facts()) == 30


def test_an_identity_that_another_transaction_took_is_found_on_the_second_try(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    click = world.click()
    world.send(click)
    world.settle()
    for _ in range(BATCH):
        world.send(click)
    real, calls = Converter._decide_rows, []

    def lose_once(self: Converter, conn: object, items: object) -> object:
        calls.append(1)
        if len(calls) == 1:  # as if the look-up had come before the other's commit
            conn.execute(  # type: ignore[attr-defined]
                text("INSERT INTO ledger SELECT * FROM ledger")
            )
        return real(self, conn, items)  # type: ignore[arg-type]

    monkeypatch.setattr(Converter, "_decide_rows", lose_once)
    world.settle()
    assert world.responses() == ["", *["Conversion exists"] * BATCH]
    assert world.count(inbox_table) == 0


def test_amounts_in_another_currency_take_the_rate_of_the_day(world: World) -> None:
    with world.database.write() as conn:
        add_rate(conn, "EUR", AT - 10_000, Decimal("0.5"))
        add_rate(conn, "EUR", AT + 10_000, Decimal("0.25"))
        payments = [{"goal": "1", "total": "100", "revenue": "50", "currency": "EUR", "type": "percent"}]
        conn.execute(update(offer).values(payments=payments))
    world.send(world.click(), sum="10", currency="usd")
    world.send(world.click(), AT + 20_000, sum="10")
    world.send(world.click(), AT - 20_000, sum="10")
    world.settle()
    assert world.responses() == ["", "", "Wrong currency"]
    first, second = world.facts()
    assert (first.currency, first.sum, first.payout, first.payout_base) == ("EUR", 5, Decimal("2.5"), 5)
    assert (second.sum, second.payout, second.payout_base) == (10, 5, 20)
    with world.database.read() as conn:
        assert list_balances(conn, [world.affiliate]) == [
            Balance(world.affiliate, "EUR", Decimal("0.0000"), Decimal("7.5000"))
        ]


def test_the_outbox_is_claimed_after_the_decision(world: World) -> None:
    world.send(world.click())
    world.settle()
    with world.database.write() as conn:
        assert outbox.find_targets(conn) == ["fact", "server_log"]
