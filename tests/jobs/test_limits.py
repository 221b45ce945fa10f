"""Caps, personal limits and commission tiers: exact, whoever changes conversions, however many at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import func, select, update

from tests.support.calls import AT, inbox_call, make_call, make_click
from tests.support.seeds import add_advertiser, add_affiliate, add_offer
from trackyard.base.clock import ManualClock
from trackyard.domain.caps import touched
from trackyard.domain.conversions import DAY_MS
from trackyard.domain.counters import Count, Traits
from trackyard.domain.edits import Edit, Import
from trackyard.domain.rules import FullCap, FullCaps
from trackyard.domain.statuses import Status
from trackyard.jobs.conversions import Converter
from trackyard.jobs.edits import Editor
from trackyard.jobs.schedule import Schedule
from trackyard.journal.records import Click
from trackyard.store import advertisers, counters, inbox, rules, staff, tasks
from trackyard.store.calls import find_book
from trackyard.store.engine import Database
from trackyard.store.rates import add_rate
from trackyard.store.tables import affiliate, conversion, counter, mail, offer
from trackyard.store.tables import inbox as inbox_table

UTC = ZoneInfo("UTC")
STAFF = "staff:" + "5" * 24
MIDNIGHT = AT // DAY_MS * DAY_MS + DAY_MS
REACHED = "Cap is reached"


@dataclass
class World:
    """An offer of 5 of 10 USD a conversion, an affiliate, and the queues of the worker."""

    database: Database
    advertiser: str
    affiliate: int
    offer: int
    clock: ManualClock = field(default_factory=lambda: ManualClock(AT + 1_000))
    positions: Iterator[int] = field(default_factory=lambda: count(1))

    def limit(self, *caps: dict[str, Any], tiers: tuple[dict[str, Any], ...] = (), **columns: Any) -> None:
        """Sets the caps and tiers of the offer past the API."""
        plain = {"period": "day", "type": "conversions", "value": "2"}
        made = [plain | {"id": f"{place:024x}"} | each for place, each in enumerate(caps, 1)]
        step = {"timeframe": "day", "type": "conversions", "value": "2", "modifier_type": "by_fix"}
        step |= {"modifier_value": "1"}
        steps = [step | {"id": f"{place:024x}"} | each for place, each in enumerate(tiers, 100)]
        values = {"caps": made, "commission_tiers": steps, "enabled_commission_tiers": bool(steps)} | columns
        with self.database.write() as conn:
            conn.execute(update(offer).values(values))

    def click(self, **fields: Any) -> Click:
        return make_click(self.offer, fields.pop("affiliate", self.affiliate), self.advertiser, **fields)

    def send(self, click: Click | None = None, time: int = AT, **params: str) -> Click:
        """Puts a call into the inbox; its click."""
        click = click or self.click()
        with self.database.write() as conn:
            call = make_call(time, clickid=click.id, **params)
            inbox.add_calls(conn, "001-1", [inbox_call(next(self.positions), call, click)])
        return click

    def settle(self) -> None:
        """Does all that waits."""
        workers = [Converter(self.database, "USD", UTC, self.clock), Editor(self.database, "USD", UTC, self.clock)]
        for worker in workers:
            while worker.step():
                pass

    def call(self, click: Click | None = None, time: int = AT, **params: str) -> tuple[str, str]:
        """Status and comment of the conversion after a call."""
        click = self.send(click, time, **params)
        self.settle()
        return self.state(click)

    def state(self, click: Click) -> tuple[str, str]:
        with self.database.read() as conn:
            query = select(conversion.c.status, conversion.c.comment).where(conversion.c.click_id == click.id)
            row = conn.execute(query).one()
        return row.status, row.comment

    def order(self, *items: Edit | Import) -> None:
        with self.database.write() as conn:
            for item in items:
                kind = "edit" if isinstance(item, Edit) else "import"
                tasks.add_tasks(conn, kind, STAFF, [msgspec.to_builtins(item)], self.clock.now_ms())
        self.settle()

    def edit(self, click: Click, **fields: Any) -> None:
        with self.database.read() as conn:
            found = conn.execute(select(conversion.c.id).where(conversion.c.click_id == click.id)).scalar_one()
        self.order(Edit(conversion_id=found, **fields))

    def imported(self, **fields: Any) -> None:
        self.order(Import(**{"offer_id": self.offer, "affiliate_id": self.affiliate, "goal": "1"} | fields))

    def accepted(self, *statuses: str) -> int:
        """How many conversions there are in these statuses."""
        wanted = conversion.c.status.in_(statuses or ("confirmed", "pending", "hold", "pending_cap"))
        with self.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(conversion).where(wanted)).scalar_one())

    def held(self) -> dict[str, tuple[int, Decimal]]:
        """What the counters hold, by name."""
        with self.database.read() as conn:
            rows = conn.execute(select(counter))
            return {row.name: (row.conversions, row.budget) for row in rows}

    def payouts(self) -> list[Decimal]:
        with self.database.read() as conn:
            rows = conn.execute(select(conversion.c.payout).order_by(conversion.c.position, conversion.c.id))
            return list(rows.scalars())

    def full(self) -> tuple[FullCap, ...]:
        """The full caps of the offer as the edges are told."""
        with self.database.read() as conn:
            row = rules.compile_row(conn, "full_caps", str(self.offer))
        assert row is None or isinstance(row, FullCaps)
        return () if row is None else row.caps

    def told(self) -> int:
        """How often the edges were told of full caps."""
        with self.database.read() as conn:
            changes = rules.changes_since(conn, 0, 100)
        return sum(change.version for change in changes if change.kind == "full_caps")

    def mails(self) -> list[str]:
        with self.database.read() as conn:
            return list(conn.execute(select(mail.c.subject).order_by(mail.c.id)).scalars())


@pytest.fixture
def world(database: Database) -> World:
    with database.write() as conn:
        advertiser_id = add_advertiser(conn)
        return World(database, advertiser_id, add_affiliate(conn), add_offer(conn, advertiser_id))


def test_a_cap_takes_what_it_says_and_the_next_day_again(world: World) -> None:
    world.limit({})
    assert [world.call() for _ in range(3)] == [("confirmed", ""), ("confirmed", ""), ("declined", REACHED)]
    assert world.call(time=MIDNIGHT - 1) == ("declined", REACHED)
    assert world.call(time=MIDNIGHT) == ("confirmed", "")
    assert sum(conversions for conversions, _ in world.held().values()) == 3


def test_one_batch_stops_exactly_at_the_cap(world: World) -> None:
    world.limit({"value": "7"})
    for _ in range(20):
        world.send()
    world.settle()
    assert world.accepted() == 7
    assert world.accepted("declined") == 13


def test_what_is_declined_keeps_its_amounts_and_counts_nowhere(world: World) -> None:
    world.limit({"value": "1"})
    world.call()
    world.call()
    assert world.payouts() == [5, 5]
    assert list(world.held().values()) == [(1, 5)]


def test_declined_on_arrival_for_another_reason_names_that_reason(world: World) -> None:
    world.limit({"value": "0"})
    with world.database.write() as conn:
        conn.execute(update(affiliate).values(status="banned"))
    assert world.call() == ("declined", "Partner is banned")
    assert world.call(goal="9") == ("declined", "Partner is banned")
    with world.database.write() as conn:
        conn.execute(update(affiliate).values(status="active"))
    assert world.call(goal="9") == ("declined", "Payments not found")
    assert world.call() == ("declined", REACHED)


def test_a_status_that_does_not_count_takes_no_place(world: World) -> None:
    world.limit({"value": "1"}, caps_status=["confirmed"])
    first, second = world.send(status="2"), world.send(status="2")
    world.settle()
    assert world.call(first, AT + 1, status="1") == ("confirmed", "")
    assert world.call(second, AT + 1, status="1") == ("declined", REACHED)
    assert world.call(status="3") == ("declined", "")
    assert list(world.held().values()) == [(1, 5)]


def test_declined_may_count(world: World) -> None:
    world.limit({"value": "1"}, caps_status=["confirmed", "declined"])
    assert world.call(status="3") == ("declined", "")
    assert world.call() == ("declined", REACHED)
    assert list(world.held().values()) == [(2, 10)]


def test_leaving_the_counted_statuses_frees_the_place(world: World) -> None:
    world.limit({"value": "1"})
    first = world.send(status="2")
    world.settle()
    assert world.call() == ("declined", REACHED)
    world.call(first, AT + 1, status="3")
    second = world.send()
    world.settle()
    assert world.state(second) == ("confirmed", "")
    assert world.call() == ("declined", REACHED)
    world.edit(second, status=Status.DECLINED)
    assert world.call() == ("confirmed", "")


def test_edits_and_imports_count_but_are_never_refused(world: World) -> None:
    world.limit({"value": "2"})
    first = world.send(status="3")
    world.settle()
    world.imported(status=Status.PENDING_CAP)
    world.imported()
    world.imported()
    world.edit(first, status=Status.CONFIRMED)
    assert world.accepted() == 4
    assert list(world.held().values()) == [(4, 20)]
    assert world.call() == ("declined", REACHED)


def test_pending_cap_counts_whatever_statuses_do(world: World) -> None:
    world.limit({"value": "1"}, caps_status=["confirmed"])
    world.imported(status=Status.PENDING)
    assert list(world.held().values()) == [(0, 0)]
    world.imported(status=Status.PENDING_CAP)
    assert world.call() == ("declined", REACHED)


def test_the_end_of_a_hold_counts_and_is_never_refused(world: World) -> None:
    world.limit({"value": "1"}, hold_period=1, caps_status=["confirmed"])
    for _ in range(3):
        world.send()
    world.settle()
    assert world.held() == dict.fromkeys(world.held(), (0, 0))
    world.clock.advance(2 * DAY_MS)
    assert Schedule(world.database, UTC, world.clock).end_holds() == 3
    assert world.accepted("confirmed") == 3
    assert list(world.held().values()) == [(3, 15)]


def test_a_hold_that_ends_moves_nothing_where_both_statuses_count(world: World) -> None:
    world.limit({"value": "3"}, hold_period=1)
    world.call()
    world.clock.advance(2 * DAY_MS)
    Schedule(world.database, UTC, world.clock).end_holds()
    assert list(world.held().values()) == [(1, 5)]


def test_a_budget_is_reached_when_the_sum_is(world: World) -> None:
    with world.database.write() as conn:
        add_rate(conn, "EUR", AT - 10_000, Decimal("0.5"))
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "EUR", "type": "percent"}]
    world.limit({"type": "budget", "value": "12"}, payments=paid)
    assert world.call(sum="50")[0] == "confirmed"  # 5 EUR = 10 USD
    last = world.send(sum="100", status="2")  # beyond the value: only what comes after it is refused
    world.settle()
    assert world.call(sum="1") == ("declined", REACHED)
    with world.database.write() as conn:
        add_rate(conn, "EUR", AT, Decimal(2))
    world.edit(last, payout=Decimal("0.9999"))  # 1.9998 USD at its own rate
    assert list(world.held().values()) == [(2, Decimal("11.9998"))]
    assert world.call(sum="1")[0] == "confirmed"


def test_a_repeat_with_a_sum_moves_the_budget(world: World) -> None:
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "USD", "type": "percent"}]
    world.limit({"type": "budget", "value": "100"}, payments=paid)
    first = world.send(sum="50", status="2")
    world.settle()
    world.call(first, AT + 1, sum="80", status="1")
    assert list(world.held().values()) == [(1, 8)]


def test_each_affiliate_and_goal_and_country_has_its_own(world: World) -> None:
    world.limit({"value": "1", "affiliate_type": "each"}, {"value": "2", "country_type": "exact", "country": ["FR"]})
    with world.database.write() as conn:
        other = add_affiliate(conn)
    assert world.call(world.click(country="FR"))[0] == "confirmed"
    assert world.call(world.click(country="DE")) == ("declined", REACHED)
    assert world.call(world.click(affiliate=other, country="DE"))[0] == "confirmed"
    assert world.call(world.click(affiliate=other, country="FR")) == ("declined", REACHED)


def test_a_personal_limit_holds_for_its_affiliate_alone(world: World) -> None:
    world.limit(personal_limits=[{"partner": world.affiliate, "caps": 1}])
    with world.database.write() as conn:
        other = add_affiliate(conn)
    assert [world.call()[0] for _ in range(2)] == ["confirmed", "declined"]
    assert [world.call(world.click(affiliate=other))[0] for _ in range(2)] == ["confirmed", "confirmed"]


@pytest.mark.parametrize("workers", [1, 2])
def test_500_calls_at_once_stop_exactly_at_the_cap(world: World, workers: int) -> None:
    world.limit({"value": "100"}, {"type": "budget", "value": "333.0001", "affiliate_type": "each"})
    with world.database.write() as conn:
        others = [world.affiliate, add_affiliate(conn)]
        calls = []
        for place in range(500):
            click = world.click(affiliate=others[place % 2])
            calls.append(inbox_call(next(world.positions), make_call(AT + place, clickid=click.id), click))
        inbox.add_calls(conn, "001-1", calls)

    def work(_: int) -> None:
        converter = Converter(world.database, "USD", UTC, world.clock)
        while converter.step() or _left(world.database):
            pass

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    assert world.accepted() == 100
    assert world.accepted("declined") == 400
    assert sorted(world.held().values())[-1] == (100, 500)


def test_calls_imports_and_edits_at_once_are_all_counted(world: World) -> None:
    world.limit({"value": "30"}, {"affiliate_type": "each", "value": "999"})
    early = [world.send(status="3") for _ in range(20)]
    world.settle()
    with world.database.write() as conn:
        found = conn.execute(select(conversion.c.id).where(conversion.c.click_id.in_([each.id for each in early])))
        edits = [Edit(conversion_id=each, status=Status.CONFIRMED) for each in found.scalars()]
        tasks.add_tasks(conn, "edit", STAFF, [msgspec.to_builtins(each) for each in edits], world.clock.now_ms())
    for _ in range(60):
        world.send()
    workers = [Converter(world.database, "USD", UTC, world.clock), Editor(world.database, "USD", UTC, world.clock)]

    def work(worker: Converter | Editor) -> None:
        while worker.step() or _left(world.database):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, workers))
    world.settle()
    taken = world.accepted()
    assert 30 <= taken <= 50  # the edits are never refused, the calls stop where both together are at 30
    assert {held for held in world.held().values() if held[0]} == {(taken, 5 * taken)}


def _left(database: Database) -> bool:
    with database.read() as conn:
        return conn.execute(select(inbox_table.c.id).limit(1)).first() is not None


# --- commission tiers -----------------------------------------------------------------------------------


def test_tiers_change_what_comes_after_they_are_reached(world: World) -> None:
    world.limit(tiers=({"value": "2", "modifier_value": "1"}, {"value": "4", "modifier_value": "3"}))
    for _ in range(6):
        world.send()
    world.settle()
    assert world.payouts() == [5, 5, 6, 6, 8, 8]
    assert world.call(time=MIDNIGHT)[0] == "confirmed"
    assert world.payouts()[-1] == 5


def test_tiers_are_kept_with_the_conversion(world: World) -> None:
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "USD", "type": "percent"}]
    world.limit(tiers=({"value": "1", "modifier_type": "by_percent", "modifier_value": "50"},), payments=paid)
    world.call(sum="10")
    changed = world.send(sum="10", status="2")
    world.settle()
    world.limit()
    world.call(changed, AT + 1, sum="20", status="1")
    assert world.payouts() == [1, 3]


def test_tiers_that_are_not_enabled_change_nothing(world: World) -> None:
    world.limit(tiers=({"value": "0"},))
    assert world.call() and world.payouts() == [6]
    world.limit(tiers=({"value": "0"},), enabled_commission_tiers=False)
    world.call()
    assert world.payouts() == [6, 5]


def test_a_tier_counts_its_goals_and_changes_its_targets(world: World) -> None:
    paid = [{"goal": goal, "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"} for goal in ("1", "2")]
    tier = {"value": "1", "goals": ["1"], "target_goals": ["2"], "modifier_payment_type": "payout_and_total"}
    world.limit(tiers=(tier,), payments=paid)
    for goal in ("2", "1", "1", "2"):
        world.send(goal=goal)
    world.settle()
    assert world.payouts() == [5, 5, 5, 6]


def test_imports_are_changed_by_tiers_too(world: World) -> None:
    world.limit(tiers=({"value": "1"},))
    world.imported(action_id="a")
    world.imported(action_id="b")
    assert sorted(world.payouts()) == [5, 6]


def test_a_tier_of_budgets_counts_what_was_paid(world: World) -> None:
    world.limit(tiers=({"type": "budget", "value": "10", "timeframe": "all", "affiliate_type": "all"},))
    for _ in range(4):
        world.send()
    world.settle()
    assert world.payouts() == [5, 5, 6, 6]
    assert list(world.held().values()) == [(4, 22)]


# --- what counters begin with -----------------------------------------------------------------------------


def test_a_cap_that_is_new_begins_with_what_there_is(world: World) -> None:
    for _ in range(2):
        world.call()
    world.call(status="3")
    world.call(time=MIDNIGHT)
    world.limit({"value": "3"})
    assert [world.call()[0] for _ in range(2)] == ["confirmed", "declined"]
    world.limit({"id": "f" * 24, "value": "2", "period": "all", "affiliate_type": "each"})
    assert world.call() == ("declined", REACHED)


def test_counters_of_periods_long_over_go_and_come_back(world: World) -> None:
    world.limit({"value": "2"}, {"value": "2", "affiliate_type": "each"})
    world.call()
    held = world.held()
    schedule = Schedule(world.database, UTC, world.clock)
    world.clock.advance(7 * DAY_MS)
    assert schedule.forget_counters() == 0
    world.clock.advance(DAY_MS)
    assert schedule.forget_counters() == 2
    assert world.held() == {}
    late = world.send()
    world.settle()
    assert world.state(late) == ("confirmed", "")
    assert {name: conversions for name, (conversions, _) in world.held().items()} == {
        name: 2 * conversions for name, (conversions, _) in held.items()
    }
    assert world.call() == ("declined", REACHED)


def test_a_crash_leaves_conversions_and_counters_as_they_were(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Crash(BaseException):
        """The process dies here."""

    def crash(*_: object) -> None:
        raise Crash

    world.limit({"value": "3"})
    world.call()
    for _ in range(4):
        world.send()
    with monkeypatch.context() as patch:
        patch.setattr(inbox, "remove", crash)
        with pytest.raises(Crash):
            Converter(world.database, "USD", UTC, world.clock).step()
    assert list(world.held().values()) == [(1, 5)]
    world.settle()
    assert world.accepted() == 3
    assert list(world.held().values()) == [(3, 15)]


# --- edges and notices ------------------------------------------------------------------------------------


def test_edges_are_told_when_a_cap_is_full_and_when_it_is_free(world: World) -> None:
    world.limit({"value": "2"}, is_redirect_overcap=True)
    last = [world.send(status="2") for _ in range(2)][-1]
    assert (world.full(), world.told()) == ((), 0)
    world.settle()
    assert world.full() == (FullCap("1".zfill(24), until=MIDNIGHT),)
    first_time = world.told()
    assert first_time > 0
    world.call()
    assert world.told() == first_time
    world.call(last, AT + 1, status="3")
    assert world.full() == ()
    assert world.told() > first_time


def test_edges_are_told_whose_clicks_a_cap_refuses(world: World) -> None:
    each = {"value": "1", "affiliate_type": "each", "country_type": "exact", "country": ["FR", "DE"]}
    world.limit(each, {"value": "0", "affiliate_type": "exact", "affiliates": [77]}, is_redirect_overcap=True)
    with world.database.write() as conn:
        other = add_affiliate(conn)
    world.call()
    world.call(world.click(affiliate=other))
    assert set(world.full()) == {
        FullCap("1".zfill(24), (world.affiliate, other), ("DE", "FR"), MIDNIGHT),
        FullCap("2".zfill(24), (77,)),
    }


def test_without_redirects_edges_learn_nothing(world: World) -> None:
    world.limit({"value": "1"})
    world.call()
    assert (world.full(), world.told()) == ((), 0)


def test_only_caps_of_the_named_goal_refuse_clicks(world: World) -> None:
    caps = ({"value": "1"}, {"value": "1", "goal_type": "each"}, {"value": "1", "goal_type": "exact", "goals": ["2"]})
    paid = [{"goal": goal, "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"} for goal in ("1", "2")]
    world.limit(*caps, is_redirect_overcap=True, caps_goal_overcap="1", payments=paid)
    assert world.call()[0] == "confirmed"
    assert world.full() == (FullCap("2".zfill(24), until=MIDNIGHT),)


def test_a_full_cap_that_is_found_so_is_told(world: World) -> None:
    world.call()
    world.limit({"value": "1"}, is_redirect_overcap=True)
    assert world.call() == ("declined", REACHED)
    assert world.full() == (FullCap("1".zfill(24), until=MIDNIGHT),)
    assert world.told() > 0


def test_one_mail_a_day_when_a_day_cap_fills_up(world: World) -> None:
    world.limit({"value": "5"}, {"value": "12", "period": "month"}, {"value": "90"}, notice_percent_overcap=60)
    with world.database.write() as conn:
        person = staff.Staff("a" * 24, "manager@example.com", None, "Mary", "Manager", "", "", ["ROLE_ADMIN"], AT, AT)
        staff.add_staff(conn, person)
        advertisers.edit_advertiser(conn, world.advertiser, {"manager_id": person.id})
    for _ in range(2):
        world.call()
    assert world.mails() == []
    for _ in range(3):
        world.call()
    assert world.mails() == [f"#{world.offer} Offer: a cap of today fills up"]
    with world.database.read() as conn:
        sent = conn.execute(select(mail)).one()
    assert sent.recipient == "manager@example.com"
    assert "5 conversions a day and has 3 conversions" in sent.body
    world.clock.advance(MIDNIGHT - world.clock.now_ms())
    for _ in range(4):
        world.call(time=MIDNIGHT)
    assert len(world.mails()) == 2


def test_readers_see_what_counters_hold_or_would(world: World) -> None:
    world.limit({"value": "9"}, {"value": "9", "affiliate_type": "each"})
    world.call()

    def read() -> list[Count]:
        with world.database.read() as conn:
            caps = find_book(conn, [world.offer], [], UTC).offers[world.offer].caps
            wanted = [(rule.measure, Traits("1", world.affiliate, "DE", AT)) for rule in caps.rules]
            found = counters.find_counts(conn, wanted)
            listed = [count for rule in caps.rules for _, count in counters.list_period(conn, rule.measure, AT)]
            names = [each.name for _, each in touched(caps, wanted[0][1])]
        assert listed == [found[name] for name in names]
        return listed

    assert read() == [Count(1, Decimal(5))] * 2
    with world.database.write() as conn:
        counters.forget(conn, world.offer)
    assert read() == [Count(1, Decimal(5))] * 2
    assert world.held() == {}
