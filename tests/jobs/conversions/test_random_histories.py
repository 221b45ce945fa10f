"""Random histories of conversions and money agree with a model in plain Python.

Postbacks in any order, edits, imports, changed offers, bans, holds, payments, and workers that die between any two
steps (docs/spec/conversions.md, docs/spec/statistics.md#agreement, docs/spec/money.md).
"""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from decimal import Decimal
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from sqlalchemy import func, select

from tests.jobs.conversions.opened import Opened, opened
from tests.support.installation import UTC, SteppedInstallation
from tests.support.models.amounts import in_cents
from tests.support.models.compared import key_of, model_columns, payment_params, stored_columns, totals_by_type
from tests.support.models.events import new_click
from tests.support.models.history_moves import (
    OFFERS,
    SESSIONS,
    calls,
    crashes,
    edits,
    faults,
    imports,
    marked,
    names,
    offers,
    people,
    repeats,
    some,
    visitors,
)
from tests.support.models.model import DAY, HOUR, MINUTE, PATIENCE, ConversionModel, ModelPayment
from tests.support.models.model_records import ModelClick, ModelPostback, ModelTask
from tests.support.processes.crashes import CrashPoint, SimulatedFailure, SimulatedKill, inject_crash
from tests.support.stores.analytics import empty_store
from tests.support.stores.seeds import add_affiliate
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.reports.reports import run_report
from trackyard.base.ids import new_click_id, new_id
from trackyard.domain.offers.caps import each_counter
from trackyard.domain.offers.counters import Traits
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Report
from trackyard.journal import records
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.money import ledger
from trackyard.store.offers import counters
from trackyard.store.statistics import checkpoints
from trackyard.store.tables import conversion, conversion_task, inbox, payment
from trackyard.store.tracking import edges

__all__ = ["opened"]

_numbers = count(1)
Visitor = tuple[int, str, str]  # the affiliate, country and address
Params = dict[str, str]


class HistoryStateMachine(RuleBasedStateMachine):
    """The installation and the model, in the same steps. Two edges record, each loaded in its turn."""

    def __init__(self, opened: Opened) -> None:
        super().__init__()
        self.home = Path(mkdtemp(prefix="proof-"))
        self.held = ExitStack()
        self.analytics = self.held.enter_context(empty_store())
        self.plant = plant = SteppedInstallation(self.held.enter_context(opened()), self.analytics, self.home)
        with plant.database.write() as conn:
            second = edges.claim_edge(conn, "d" * 24, 1, self.now)
            people = [add_affiliate(conn, ref_percent=Decimal("12.5"))]
            people += [add_affiliate(conn, ref=people[0]), add_affiliate(conn)]
        self.people = people
        self.writers = {plant.edge: plant.writer, second: JournalWriter(self.home / "journal", second, plant.clock)}
        self.advertiser = plant.api.add_advertiser()
        self.offer = plant.api.add_offer(advertiser=self.advertiser)
        referrals = {people[1]: (people[0], Decimal("12.5"))}
        self.model = ConversionModel(dict.fromkeys(people, "active"), referrals, set(self.writers), {"EUR": Decimal(5)})
        self.clicks: list[ModelClick] = []
        self.ask("/3.1/admin/currencies", {"code": "EUR", "rate": "0.8", "min_payment": "5"})
        self.model.rates["EUR"] = [(self.now, Decimal("0.8"))]
        self.change_offer({"payments": 0})

    @property
    def now(self) -> int:
        """Return the time, UTC ms."""
        return self.plant.clock.now_ms()

    def ask(self, path: str, body: Mapping[str, Any], *, again: bool = False) -> Any:
        """Send a staff request, twice if `again`: then the first answer was lost."""
        headers = {"Idempotency-Key": f"k{next(_numbers)}"}
        answers = [self.plant.api.admin.call("POST", path, json=body, headers=headers) for _ in range(1 + again)]
        assert [answer.status_code for answer in answers] == [200] * (1 + again), answers[0].text
        assert answers[0].json() == answers[-1].json()
        return answers[0].json()

    # --- what is recorded -----------------------------------------------------------------------------------

    @rule(edge=some, visits=st.lists(st.tuples(visitors, calls), min_size=1, max_size=3))
    def come(self, edge: int, visits: list[tuple[Visitor, Params]]) -> None:
        """Make clicks, each with a postback some seconds later."""
        self._visit(edge, visits)

    def _visit(self, edge: int, visits: list[tuple[Visitor, Params]]) -> None:
        for visitor, params in visits:
            made = self.record_click(edge, visitor, self.now)
            self.plant.clock.advance(1_000)
            self.record_call(edge, made.id, params)

    @initialize(visits=st.lists(st.tuples(visitors, calls), min_size=3, max_size=6))
    def begin(self, visits: list[tuple[Visitor, Params]]) -> None:
        """Begin a game with some conversions."""
        for edge, visitor in enumerate(visits):
            self._visit(edge, [visitor])
        self._work((1, 2), None)

    @rule(edge=some, visitor=visitors, params=calls, repeated=repeats)
    def early_call(self, edge: int, visitor: Visitor, params: Params, repeated: Params) -> None:
        """Send postbacks before their click, by a fast clock: the other edge may load them before it."""
        named = new_click_id(self.now, self.edge(edge))
        self.record_call(edge, named, params)
        self.record_call(edge + 1, named, params | repeated)
        self.plant.clock.advance(2_000)
        self.record_click(edge, visitor, self.now, named)

    @rule(edge=some, visitor=visitors)
    def click(self, edge: int, visitor: Visitor) -> None:
        """Make a click with a possible later postback."""
        self.record_click(edge, visitor, self.now)

    @precondition(lambda self: self.clicks)
    @rule(edge=some, which=some, params=calls, times=st.sampled_from([1, 1, 2]))
    def call(self, edge: int, which: int, params: Params, times: int) -> None:
        """Send a postback for a recorded click, loaded or not, by any edge."""
        for _ in range(times):
            self.record_call(edge, self.clicks[-1 - which % len(self.clicks)].id, params)

    @precondition(lambda self: any(made.click.id for made in self.model.made))
    @rule(edge=some, which=some, several=st.lists(repeats, min_size=1, max_size=3))
    def repeat(self, edge: int, which: int, several: list[Params]) -> None:
        """Send postbacks for an existing conversion."""
        known = [made for made in self.model.made if made.click.id]
        made = known[which % len(known)]
        kind, _, name = made.identity.partition(":")
        for params in several:
            self.record_call(
                edge, made.click.id, {"goal": made.goal} | ({"action_id": name} if kind == "a" else {}) | params
            )

    @rule(edge=some, name=names, params=calls)
    def strange_call(self, edge: int, name: str, params: Params) -> None:
        """Send a postback for a rejected click or none."""
        made = {
            "never": new_click_id(self.now, self.edge(edge)),
            "unknown edge": new_click_id(self.now, 77),
            "future": new_click_id(self.now + 60_000, self.edge(edge)),
        }
        if name == "refused":
            name = self.record_click(edge, (0, "DE", ""), self.now, reason="bot").id
        self.record_call(edge, made.get(name, name), params)

    @precondition(lambda self: self.clicks)
    @rule(edge=some, params=calls, fault=faults)
    def faulty_call(self, edge: int, params: Params, fault: Params) -> None:
        """Send a postback with impossible values."""
        self.record_call(edge, self.clicks[-1].id, params | fault)

    def edge(self, number: int) -> int:
        """Choose an edge."""
        return sorted(self.writers)[number % 2]

    def record_click(self, edge: int, visitor: Visitor, at: int, named: str = "", *, reason: str = "") -> ModelClick:
        """Make a click on an edge."""
        who, country, place = visitor
        number = self.edge(edge)
        made = ModelClick(named or new_click_id(at, number), number, at, self.people[who], country, place, reason)
        self.model.recorded.append((number, made))
        shown = {"time": at, "id": made.id, "ip": place, "country": country, "reason": reason}
        given = {"offer": self.offer, "affiliate": made.affiliate, "advertiser": self.advertiser}
        self.writers[number].append(RecordKind.CLICK, encode(new_click(1, **shown, **given)))
        self.clicks += [] if reason else [made]
        return made

    def record_call(self, edge: int, click: str, params: Params) -> None:
        """Send a postback to an edge, with the offer's code unless it has another."""
        code = {"secure": self.model.offer.secure} if self.model.offer.secure else {}
        made = ModelPostback(new_id(self.now), self.now, {"clickid": click} | code | params)
        self.model.recorded.append((self.edge(edge), made))
        record = records.InboundPostback(self.now, made.id, "postback", "GET", "192.0.2.9", "shop", "", "", made.params)
        self.writers[self.edge(edge)].append(RecordKind.POSTBACK, encode(record))
        self.plant.clock.advance(1)

    # --- what staff do --------------------------------------------------------------------------------------

    @precondition(lambda self: self.model.made)
    @rule(which=st.sets(some, min_size=1, max_size=4), fields=edits, again=st.booleans())
    def edit(self, which: set[int], fields: dict[str, str], again: bool) -> None:
        """Edit some conversions."""
        chosen = [self.model.made[place] for place in sorted({each % len(self.model.made) for each in which})]
        rows = self.stored()
        self.ask(
            "/3.0/admin/conversion/edit", {"ids": [rows[key_of(made)].id for made in chosen]} | fields, again=again
        )
        self.model.orders += [ModelTask(self.now, fields, made) for made in chosen]

    @rule(who=st.integers(0, 2), fields=imports, again=st.booleans())
    def import_one(self, who: int, fields: dict[str, Any], again: bool) -> None:
        """Import a conversion."""
        given = fields | {"pid": self.people[who]}
        self.ask("/3.0/admin/conversion/import", given | {"offer": self.offer}, again=again)
        self.model.orders.append(ModelTask(self.now, given))

    @rule(fields=offers)
    def change_offer(self, fields: dict[str, Any]) -> None:
        """Edit the offer."""
        known, sent = self.model.offer, dict[str, Any]()
        for name, value in fields.items():
            setattr(known, name, SESSIONS[value] if value in ("1y", "2h", "0s", "1i") else value)
        listed = {"goal": ("goals", ["1", "2"]), "affiliate": ("affiliates", self.people[:2])}
        listed |= {"country": ("country", ["DE", "FR"])}
        known.caps = [
            cap | {name: each for side, (name, each) in listed.items() if cap[f"{side}_type"] == "exact"}
            for cap in known.caps
        ]
        if "payments" in fields:
            known.payments = OFFERS[fields["payments"]]
            own = [payment_params(each) | {"partners": [each.affiliate]} for each in known.payments if each.affiliate]
            sent = {
                "payments": [payment_params(each) for each in known.payments if not each.affiliate],
                "partner_payments": own,
            }
        if "tiers" in fields:
            known.set_tiers(self.now)
            sent |= {"commission_tiers": known.tiers, "enabled_commission_tiers": 1}
        if "limit" in fields:
            limits = [] if known.limit is None else [{"partner": self.people[0], "caps": known.limit}]
            sent |= {"personal_limits": limits}
        plain = {"hold": "hold_period", "status": "status", "session": "click_session", "secure": "hash_password"}
        plain |= {"min_session": "minimal_click_session", "counted": "caps_status"}
        sent |= {plain[name]: value for name, value in fields.items() if name in plain}
        if "one_address" in fields:
            sent |= {"rejectNotUniqIp": int(known.one_address)}
        if "one_conversion" in fields:
            sent |= {"one_conversion_per_click": int(known.one_conversion)}
        if "caps" in fields:
            sent |= {"caps": known.caps}
        self.ask(f"/3.0/admin/offer/{self.offer}", sent)

    @rule(change=people)
    def change(self, change: tuple[str, int, str]) -> None:
        """Ban an affiliate or end the ban, or set another referral share or exchange rate."""
        kind, who, value = change
        self.plant.clock.advance(1)
        if kind == "status":
            self.ask(f"/3.0/admin/partner/{self.people[who]}", {"status": value})
            self.model.affiliates[self.people[who]] = value
        elif kind == "percent":
            self.ask(f"/3.0/admin/partner/{self.people[0]}", {"ref_percent": value})
            self.model.referrals[self.people[1]] = (self.people[0], Decimal(value))
        else:
            self.ask("/3.1/admin/currencies/978", {"rate": value})
            self.model.rates["EUR"].append((self.now, Decimal(value)))

    @rule(again=st.booleans())
    def pay(self, again: bool) -> None:
        """Make payments of all due balances."""
        made = self.ask("/3.1/admin/payments", {}, again=again)["payments"]
        due = self.model.due()
        amounts = {(item["pid"], item["currency"]): Decimal(str(item["amount"])) for item in made}
        assert amounts == {who: in_cents(amount) for who, amount in due.items()}
        for item in made:
            who = item["pid"], item["currency"]
            self.model.paid[item["id"]] = ModelPayment(*who, due[who])

    @rule(who=st.sampled_from([0, 1]), currency=st.sampled_from(["USD", "EUR"]), cents=st.integers(-900, 900))
    def correct(self, who: int, currency: str, cents: int) -> None:
        """Add an amount to what is available, or take it away."""
        amount = Decimal(cents or 1) / 100
        self.ask(
            "/3.1/admin/corrections",
            {"pid": self.people[who], "currency": currency, "amount": str(amount), "comment": "corrected"},
        )
        account = self.people[who], currency
        self.model.corrected[account] = self.model.corrected.get(account, Decimal(0)) + amount

    @precondition(lambda self: any(each.status == "created" for each in self.model.paid.values()))
    @rule(which=some, status=st.sampled_from(["paid", "cancelled"]), again=st.booleans())
    def end_payment(self, which: int, status: str, again: bool) -> None:
        """Execute or cancel a payment."""
        number = self.open_payment(which)
        self.ask(f"/3.1/admin/payments/{number}", {"status": status}, again=again)
        self.model.paid[number].status = status

    @precondition(lambda self: any(each.status == "created" for each in self.model.paid.values()))
    @rule(which=some, cents=st.integers(1, 900), undone=st.booleans())
    def correct_payment(self, which: int, cents: int, undone: bool) -> None:
        """Add an amount to a payment, and maybe undo it: what is available stays, also once it is cancelled."""
        number = self.open_payment(which)
        before = self.shown_payment(number)
        amount = Decimal(cents) / 100
        self.ask(f"/3.1/payments/{number}/add-correction", {"revenue": str(amount), "comment": "corrected"})
        after = self.shown_payment(number)
        assert Decimal(after["revenue"]) == Decimal(before["revenue"]) + amount
        if undone:
            newest = max(map(int, after["additional_payments"]))
            assert self.plant.api.admin.call("DELETE", f"/3.1/payments/del-correction/{newest}").status_code == 200
            assert self.shown_payment(number)["revenue"] == before["revenue"]

    @precondition(lambda self: any(each.status == "created" for each in self.model.paid.values()))
    @rule(which=some, place=some)
    def take_out(self, which: int, place: int) -> None:
        """Take a conversion out of a payment, which then pays the rest; the last ones stay."""
        number = self.open_payment(which)
        before = self.shown_payment(number)
        paid = before["cpa_actions"]
        if not paid:
            return
        chosen = paid[place % len(paid)]
        entries = self.plant.api.admin.get(f"/3.1/admin/payments/{number}/entries", limit=1000)["entries"]
        own = [each for each in entries if each["conversion_id"] == chosen and "referral" not in each["kind"]]
        amount = sum((Decimal(str(each["amount"])) for each in own), Decimal(0))
        path, body = f"/3.1/payments/{number}/conversions/delete", {"conversion_ids": [chosen]}
        answer = self.plant.api.admin.call("POST", path, json=body)
        known = self.model.paid[number]
        taken = known.amount - in_cents(known.exact - amount)
        is_possible = taken < Decimal(before["revenue"])
        assert answer.status_code == (200 if is_possible else 409), answer.text
        if is_possible:
            known.exact -= amount
            assert Decimal(self.shown_payment(number)["revenue"]) == Decimal(before["revenue"]) - taken

    def open_payment(self, which: int) -> int:
        """Choose a payment that can change."""
        left = [number for number, each in self.model.paid.items() if each.status == "created"]
        return left[which % len(left)]

    def shown_payment(self, number: int) -> Any:
        """Return a payment with what it pays."""
        return self.plant.api.admin.get(f"/3.1/payments/{number}")["payment"]

    # --- what the workers do --------------------------------------------------------------------------------

    @rule(hours=st.sampled_from([0.02, 1, 3, 26, 80]))
    def wait(self, hours: float) -> None:
        """Advance the clock, by less than what would end the wait for clicks of an idle journal."""
        if any(self.now + hours * HOUR - item.at > PATIENCE for _, item in self.model.recorded):
            self._work((1, 2), None)
        self.plant.clock.advance(int(hours * HOUR))

    @rule(crash=crashes)
    def end_holds(self, crash: CrashPoint | None) -> None:
        """Run the job that confirms held conversions."""
        self.with_crash(crash, lambda: self.plant.end_holds())
        self.model.end_holds(self.now)
        self.check_stored()

    @rule(edges=marked, crash=crashes)
    def work(self, edges: tuple[int, ...], crash: CrashPoint | None) -> None:
        """Load and decide what edges recorded, and make queued requests of staff."""
        self._work(edges, crash)

    def _work(self, edges: tuple[int, ...], crash: CrashPoint | None) -> None:
        self.plant.clock.advance(400)
        for edge in edges:
            self.writers[edge].write_checkpoint(self.now)
        self.with_crash(crash, lambda: self.plant.work())
        self.model.work(dict.fromkeys(edges, self.now), self.now)
        self.check_stored()

    def with_crash(self, crash: CrashPoint | None, work: Callable[[], None]) -> None:
        """Work; after a crash once more, with new workers in the place of dead ones."""
        if crash is not None:
            try:
                with inject_crash(self.plant.database, self.analytics, crash):
                    work()
            except SimulatedFailure:
                pass
            if crash.happened and crash.error is SimulatedKill:
                self.start()
        work()

    def start(self) -> None:
        """Replace dead workers. A long time without a load was a downtime."""
        with self.plant.database.read() as conn:
            loaded_until = max(each.loaded_until for each in checkpoints.get_checkpoints(conn))
        if self.now - loaded_until > MINUTE:
            self.model.resumed_at = self.now
        self.model.needed.clear()
        self.plant.start()
        self.plant.projector.drain()

    # --- what is compared -----------------------------------------------------------------------------------

    def stored(self) -> dict[tuple[str, str], Any]:
        """Return the conversions."""
        with self.plant.database.read() as conn:
            rows = conn.execute(select(conversion))
            return {(row.goal, f"a:{row.action_id}" if row.action_id else f"c:{row.click_id}"): row for row in rows}

    def check_stored(self) -> None:
        """Compare conversions, balances and counters, and find empty queues."""
        model, rows = self.model, self.stored()
        assert {key: stored_columns(row) for key, row in rows.items()} == {
            key_of(made): model_columns(made) for made in model.made
        }
        with self.plant.database.read() as conn:
            held = ledger.list_balances(conn, self.people)
            queues = (select(func.count()).select_from(table) for table in (inbox, conversion_task))
            left = [conn.execute(queue).scalar_one() for queue in queues]
            paid = {row.id: row.status for row in conn.execute(select(payment.c.id, payment.c.status))}
        balances = {(each.affiliate_id, each.currency): (each.hold, each.available) for each in held}
        assert {who: amounts for who, amounts in balances.items() if any(amounts)} == model.balances()
        assert left == [len(model.waiting), len(model.orders)]
        assert paid == {number: each.status for number, each in model.paid.items()}
        self.check_counters()

    def check_counters(self) -> None:
        """Compare the counters of each cap that a conversion counts in."""
        with self.plant.database.read() as conn:
            terms = get_decision_context(conn, [self.offer], [], UTC).offers[self.offer]
            for made in self.model.made:
                traits = Traits(made.goal, made.click.affiliate, made.click.country, made.at)
                found = each_counter(terms.caps, traits)
                held = [tuple(*counters.get_counts(conn, [(rule.measure, traits)]).values()) for rule, _ in found]
                assert held == self.model.held(made)

    @rule()
    def check(self) -> None:
        """Compare statistics and the log, and run the audit."""
        assert reconcile(self.plant.api.deps).differences == []
        model = self.model
        clicks = Counter(each.affiliate for each in model.clicks.values() if not each.reason)
        shown = {row.keys["affiliate"]: (row.raw, totals_by_type(row)) for row in self.report("affiliate")}
        mine = {pid: [made for made in model.made if made.click.affiliate == pid] for pid in self.people}
        seen = [pid for pid in self.people if clicks[pid] or mine[pid]]
        assert shown == {pid: (clicks[pid], model.actions(mine[pid])) for pid in seen}
        goals = {made.goal: [each for each in model.made if each.goal == made.goal] for made in model.made}
        shown_goals = {row.keys["goal"]: totals_by_type(row) for row in self.report("goal", nonzero=True)}
        assert shown_goals == {goal: model.actions(each) for goal, each in goals.items()}
        log = "SELECT id, method, response FROM server_log WHERE revision = 1"
        rows = self.analytics.rows(log, {}, tuple[str, str, str])
        assert {name: text for name, method, text in rows if method == "GET"} == model.answers
        assert Counter(f"{method} {text}" for _, method, text in rows if method != "GET") == model.done

    def report(self, dimension: str, **asked: Any) -> Any:
        """Return statistics of all time."""
        return run_report(self.analytics, Report(Scope.everything(), 0, self.now + DAY, (dimension,), **asked)).rows

    def teardown(self) -> None:
        """Compare once more when all is done, then remove everything."""
        try:
            self._work((1, 2), None)
            self.check()
        finally:
            for writer in self.writers.values():
                writer.close()
            self.held.close()
            shutil.rmtree(self.home)


def run_histories(opened: Opened, examples: int, steps: int, *, is_random: bool = False) -> None:
    """Play this many games of this many steps, the same each time or others."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=not is_random,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate, *((Phase.shrink,) if is_random else ())),
    )
    run_state_machine_as_test(lambda: HistoryStateMachine(opened), settings=chosen)  # type: ignore[no-untyped-call]


@pytest.mark.slow
@pytest.mark.long_on_postgresql
def test_random_history_matches_model(opened: Opened) -> None:
    run_histories(opened, 2, 20)


@pytest.mark.long
def test_random_histories_match_model(opened: Opened) -> None:
    run_histories(opened, 150, 50, is_random=True)
