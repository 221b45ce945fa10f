"""Postbacks become conversions with all that follows, exactly once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import Table, func, select, text, update

from tests.support.clicks.inbound_postbacks import AT, make_click, make_inbound_postback, make_inbox_postback
from tests.support.processes.crashes import crash_before_commit
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from trackyard.base.clock import ManualClock
from trackyard.domain.money.ledger import Balance
from trackyard.domain.statistics.rows import ConversionEvent, ServerPostbackLog
from trackyard.jobs.conversions.inbox import SQLITE_BATCH, PostbackProcessor
from trackyard.journal.records import Click
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database
from trackyard.store.money.exchange_rates import add_rate
from trackyard.store.money.ledger import list_balances
from trackyard.store.statistics import outbox
from trackyard.store.tables import advertiser, conversion, conversion_event, delivery, ledger, offer
from trackyard.store.tables import inbox as inbox_table
from trackyard.store.tables import outbox as outbox_table

UTC = ZoneInfo("UTC")


@dataclass
class ConverterSetup:
    """An installation with one offer of 5 USD, one affiliate with one postback, and a worker."""

    database: Database
    clock: ManualClock
    advertiser: str
    affiliate: int
    offer: int
    positions: Iterator[int]

    def converter(self) -> PostbackProcessor:
        return PostbackProcessor(self.database, "USD", UTC, self.clock)

    def click(self, **fields: object) -> Click:
        return make_click(self.offer, self.affiliate, self.advertiser, **fields)

    def send(self, click: Click | None, time: int = AT, **params: str) -> None:
        """Put a postback into the inbox."""
        if click is not None:
            params = {"clickid": click.id} | params
        with self.database.write() as conn:
            inbox.add_entries(
                conn, "001-1", [make_inbox_postback(next(self.positions), make_inbound_postback(time, **params), click)]
            )

    def settle(self) -> None:
        converter = self.converter()
        while converter.step():
            pass

    def count(self, table: Table) -> int:
        with self.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(table)).scalar_one())

    def facts(self) -> list[ConversionEvent]:
        return [msgspec.json.decode(line, type=ConversionEvent) for line in self.lines("fact")]

    def responses(self) -> list[str]:
        rows = [msgspec.json.decode(line, type=ServerPostbackLog) for line in self.lines("server_log")]
        return [row.response for row in rows]

    def lines(self, target: str) -> list[bytes]:
        return queued_lines(self.database, target)

    def balance(self) -> tuple[Decimal, Decimal]:
        """Return (hold, available) in USD."""
        with self.database.read() as conn:
            found = list_balances(conn, [self.affiliate])
        return (found[0].hold, found[0].available) if found else (Decimal(0), Decimal(0))


@pytest.fixture
def world(database: Database) -> ConverterSetup:
    with database.write() as conn:
        advertiser = add_advertiser(conn)
        affiliate = add_affiliate(conn)
        offer = add_offer(conn, advertiser)
        add_postback(conn, affiliate, "http://127.0.0.1:9/?s={status}&c={clickid}&sum={sum}&sub={sub1}")
    return ConverterSetup(database, ManualClock(AT + 1_000), advertiser, affiliate, offer, iter(range(1, 10**6)))


def test_postback_creates_conversion_ledger_and_event(world: ConverterSetup) -> None:
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
    assert (call.host, call.sequence, call.subject_id) == ("127.0.0.1", 1, row.id)
    assert world.balance() == (0, 5)
    (fact,) = world.facts()
    assert (fact.sign, fact.conversion_id, fact.payout, fact.charge_base, fact.sub1) == (1, row.id, 5, 10, "a b&c")
    assert world.responses() == [""]
    assert world.count(inbox_table) == 0


def test_deliveries_to_macro_host_share_one_queue(world: ConverterSetup) -> None:
    """A slow server with many names must not delay the others (docs/spec/postbacks.md#retries)."""
    with world.database.write() as conn:
        add_postback(conn, world.affiliate, "http://{clickid}.Slow.example/?s={status}")
    clicks = [world.click() for _ in range(3)]
    for click in clicks:
        world.send(click)
    world.settle()
    with world.database.read() as conn:
        calls = conn.execute(select(delivery).where(delivery.c.host != "127.0.0.1").order_by(delivery.c.url)).all()
    assert [call.url for call in calls] == sorted(f"http://{click.id}.Slow.example/?s=1" for click in clicks)
    assert {call.host for call in calls} == {"slow.example"}


def test_repeated_postback_changes_conversion_by_difference(world: ConverterSetup) -> None:
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


def test_batch_may_create_and_change_same_conversion(world: ConverterSetup) -> None:
    click = world.click()
    for status in ("2", "2", "3"):
        world.send(click, status=status)
    world.settle()
    assert world.responses() == ["", "Conversion exists", ""]
    with world.database.read() as conn:
        row = conn.execute(select(conversion)).one()
    assert (row.status, row.version) == ("declined", 2)


def test_postback_without_usable_click_changes_nothing(world: ConverterSetup) -> None:
    world.send(None)
    world.send(None, clickid="nonsense")
    refused = world.click(reason="mistargeting-country")
    world.send(refused)
    world.settle()
    assert world.responses() == ["Missing mandatory parameter clickid", "Broken clickid", "Broken clickid"]
    assert world.count(conversion) == world.count(inbox_table) == 0


def test_postback_from_unlisted_address_is_rejected(world: ConverterSetup) -> None:
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


def test_conversion_on_hold_counts_in_hold_balance(world: ConverterSetup) -> None:
    world.send(world.click(), status="5")
    world.settle()
    assert world.balance() == (5, 0)


def test_postback_secret_is_masked_in_log(world: ConverterSetup) -> None:
    world.send(world.click(), secure="hunter2", sum="1")
    world.settle()
    (line,) = world.lines("server_log")
    assert b"hunter2" not in line
    assert b"secure=***&sum=1" in line


def test_postback_with_nul_characters_is_processed(world: ConverterSetup) -> None:
    world.send(world.click(sub1="a\x00b"), goal="1\x00", comment="\x00\\u0000", status="2")
    world.settle()
    with world.database.read() as conn:
        row = conn.execute(select(conversion)).one()
    assert (row.goal, row.comment, row.click["sub1"]) == ("1", "\\u0000", "ab")


def test_postback_that_cannot_be_decided_is_quarantined(world: ConverterSetup) -> None:
    with world.database.write() as conn:
        inbox.add_entries(conn, "001-1", [inbox.NewInboxEntry(0, b"{broken", b"[]", "", AT)])
    world.send(world.click())
    world.settle()
    assert world.count(conversion) == 1
    with world.database.read() as conn:
        assert conn.execute(select(inbox_table.c.state)).scalars().all() == ["aside"]


CRASHES = [
    "trackyard.store.conversions.conversions.record_changes",
    "trackyard.store.money.ledger.add_entries",
    "trackyard.store.statistics.outbox.add",
    "trackyard.store.tracking.deliveries.add",
]


class ConverterCrash(BaseException):
    """The death of a worker."""


@pytest.mark.parametrize("place", CRASHES)
def test_converter_crash_at_any_step_leaves_no_trace(
    world: ConverterSetup, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ConverterCrash

    for number in range(3):
        world.send(world.click(sub1=str(number)))
    with monkeypatch.context() as patch:
        patch.setattr(place, crash)
        with pytest.raises(ConverterCrash):
            world.converter().step()
    assert world.count(conversion) == world.count(outbox_table) == 0
    assert world.count(inbox_table) == 3
    world.settle()
    assert world.count(conversion) == world.count(ledger) == world.count(delivery) == 3
    assert world.balance() == (0, 15)
    assert len(world.facts()) == 3


def test_converter_crash_before_commit_repeats_batch_once(world: ConverterSetup) -> None:
    world.send(world.click())
    with crash_before_commit(world.database, ConverterCrash), pytest.raises(ConverterCrash):
        world.converter().step()
    world.settle()
    world.settle()
    assert world.count(conversion) == 1
    assert world.balance() == (0, 5)


def test_converters_in_parallel_decide_each_postback_once(world: ConverterSetup) -> None:
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


def test_converter_retries_batch_when_identity_was_taken(
    world: ConverterSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    click = world.click()
    world.send(click)
    world.settle()
    for _ in range(SQLITE_BATCH):
        world.send(click)
    real, calls = PostbackProcessor._decide_postbacks, []

    def lose_once(self: PostbackProcessor, conn: object, items: object) -> object:
        calls.append(1)
        if len(calls) == 1:  # as if the look-up had come before the other's commit
            conn.execute(  # type: ignore[attr-defined]
                text("INSERT INTO ledger SELECT * FROM ledger")
            )
        return real(self, conn, items)  # type: ignore[arg-type]

    monkeypatch.setattr(PostbackProcessor, "_decide_postbacks", lose_once)
    world.settle()
    assert world.responses() == ["", *["Conversion exists"] * SQLITE_BATCH]
    assert world.count(inbox_table) == 0


def test_conversion_in_another_currency_uses_rate_of_the_day(world: ConverterSetup) -> None:
    with world.database.write() as conn:
        add_rate(conn, "EUR", AT - 10_000, Decimal("0.5"))
        add_rate(conn, "EUR", AT + 10_000, Decimal("0.25"))
        payments = [{"goal": "1", "total": "100", "revenue": "50", "currency": "EUR", "type": "percent"}]
        conn.execute(update(offer).values(payments=payments))
    world.send(world.click(), sum="10", currency="usd")
    world.send(world.click(), AT + 20_000, sum="10")
    world.send(world.click(), AT - 20_000, sum="10")
    world.settle()
    assert world.responses() == ["", "", ""]
    first, second, early = world.facts()
    assert (first.currency, first.sum, first.payout, first.payout_base) == ("EUR", 5, Decimal("2.5"), 5)
    assert (second.sum, second.payout, second.payout_base) == (10, 5, 20)
    assert (early.sum, early.payout, early.payout_base) == (10, 5, 10)  # at the first known rate
    with world.database.read() as conn:
        assert list_balances(conn, [world.affiliate]) == [
            Balance(world.affiliate, "EUR", Decimal("0.0000"), Decimal("12.5000"))
        ]


def test_decision_queues_event_and_log_rows_in_outbox(world: ConverterSetup) -> None:
    world.send(world.click())
    world.settle()
    with world.database.write() as conn:
        assert outbox.find_targets(conn) == ["fact", "server_log"]
