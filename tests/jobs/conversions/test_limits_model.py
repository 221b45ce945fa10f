"""Caps and tiers against a model in plain Python: it keeps a list of conversions and counts them anew each time."""

import shutil
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.support.limited_offer import REACHED, UTC, make_limited_offer
from tests.support.stores.seeds import add_affiliate
from trackyard.actions.offers import caps as limits
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import each_counter
from trackyard.domain.offers.counters import Traits
from trackyard.domain.offers.edits import NewPartDefaults, changed_fields
from trackyard.domain.offers.offers import Cap, PersonalLimit, Tier
from trackyard.domain.offers.payments import PaymentType
from trackyard.domain.people.scope import Scope
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.journal.records import Click
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.engine.database import Database
from trackyard.store.offers import counters, offers
from trackyard.store.tables import conversion

SENT = {"1": "confirmed", "2": "pending", "3": "declined", "5": "hold"}
PAYMENTS = [
    {"goal": goal, "total": Decimal(10), "revenue": Decimal(10), "currency": "USD", "type": PaymentType.PERCENT}
    for goal in ("1", "2")
]
STRFTIME = {"hour": "%F %H", "day": "%F", "week": "%G %V", "month": "%Y-%m", "all": ""}
ALIKE = {"pending": "pending_cap", "declined": "not_found"}

kinds = st.sampled_from(["all", "each", "exact"])
caps = st.builds(
    dict,
    period=st.sampled_from(["hour", "day", "month", "all"]),
    type=st.sampled_from(["conversions", "budget"]),
    value=st.integers(0, 5),
    goal_type=kinds,
    affiliate_type=kinds,
    country_type=kinds,
)
tiers = st.builds(
    dict,
    timeframe=st.sampled_from(["day", "week", "month", "all"]),
    type=st.sampled_from(["conversions", "budget"]),
    value=st.integers(0, 4),
    modifier_type=st.sampled_from(["by_fix", "to_percent"]),
    modifier_value=st.integers(1, 3),
    goals=st.sampled_from([(), ("1",)]),
    target_goals=st.sampled_from([(), ("2",)]),
    affiliate_type=st.sampled_from(["all", "each"]),
    conversion_status=st.sampled_from([(), ("confirmed",), ("declined", "pending")]),
)
rules = st.fixed_dictionaries(
    {
        "caps": st.lists(caps, max_size=2),
        "tiers": st.lists(tiers, max_size=3),
        "limit": st.none() | st.integers(0, 4),
        "statuses": st.sampled_from([("confirmed", "pending", "hold"), ("confirmed",), ("confirmed", "declined")]),
        "hold": st.sampled_from([0, 1]),
    }
)
places = st.tuples(st.sampled_from(["1", "2"]), st.sampled_from([0, 1]), st.sampled_from(["DE", "FR", ""]))
sums = st.sampled_from(["10", "15", "0"])
steps = st.one_of(
    st.tuples(st.just("calls"), places, st.sampled_from(sorted(SENT)), sums, st.integers(1, 3)),
    st.tuples(st.just("repeat"), st.integers(0, 9), st.sampled_from(sorted(SENT)), st.none() | sums),
    st.tuples(
        st.just("edit"), st.integers(0, 9), st.sampled_from(["confirmed", "declined", "pending"]), st.none() | sums
    ),
    st.tuples(st.just("import"), places, st.sampled_from(["confirmed", "pending_cap", "declined"]), sums),
    st.tuples(st.just("time"), st.sampled_from([1, 5, 26])),
    st.tuples(st.just("rules"), rules),
)


Held = tuple[int, Decimal]
"""How many conversions a limit has counted, and their payouts."""


@dataclass
class LimitConversion:
    """A conversion as the model knows it."""

    goal: str
    affiliate: int
    country: str
    at: int
    status: str
    sent: str
    payout: Decimal
    modifiers: list[tuple[str, int]]
    key: str
    comment: str = ""
    hold_until: int | None = None
    click: Click | None = None


@dataclass
class LimitsModel:
    """The rules in force, and every conversion."""

    rules: dict[str, Any]
    affiliates: list[int]
    made: list[LimitConversion] = field(default_factory=list)

    def counted(
        self, item: dict[str, Any], period: str, statuses: tuple[str, ...], of: LimitConversion
    ) -> tuple[int, Decimal] | None:
        """How much a limit has counted together with such a conversion; None when it does not count it."""
        keys = [(item.get(f"{name}_type", "all"), name) for name in ("goal", "affiliate", "country")]
        listed = {"goal": item.get("goals") or ("1",), "affiliate": (self.affiliates[0],), "country": ("DE", "FR")}
        if any(kind == "exact" and getattr(of, name) not in listed[name] for kind, name in keys):
            return None
        wide = set(statuses) | {ALIKE[status] for status in statuses if status in ALIKE}

        def together(each: LimitConversion) -> bool:
            if each.status not in wide or _period(period, each.at) != _period(period, of.at):
                return False
            for kind, name in keys:
                value = getattr(each, name)
                if (kind == "each" and value != getattr(of, name)) or (kind == "exact" and value not in listed[name]):
                    return False
            return True

        found = [each.payout for each in self.made if each is not of and together(each)]
        return len(found), sum(found, Decimal(0))

    def is_over(self, of: LimitConversion, status: str) -> bool:
        statuses = (*self.rules["statuses"], "pending_cap")
        if status not in statuses:
            return False
        for item in self.rules["caps"]:
            held = self.counted(item, item["period"], statuses, of)
            if held is not None and held[item["type"] == "budget"] >= item["value"]:
                return True
        least = self.rules["limit"]
        if least is None or of.affiliate != self.affiliates[0]:
            return False
        held = self.counted({"affiliate_type": "exact"}, "day", statuses, of)
        return held is not None and held[0] >= least

    def modifiers(self, of: LimitConversion) -> list[tuple[str, int]]:
        found: dict[tuple[Any, ...], tuple[int, tuple[str, int]] | None] = {}
        for item in self.rules["tiers"]:
            ladder = tuple((name, value) for name, value in item.items() if name not in ("value", "modifier_value"))
            best = found.setdefault(ladder, None)
            goals = {"goal_type": "all", "affiliate_type": item["affiliate_type"]}
            statuses = item["conversion_status"] or ("confirmed", "pending", "hold")
            every = LimitsModel(
                self.rules, self.affiliates, [each for each in self.made if each.goal in (item["goals"] or "12")]
            )
            held = every.counted(goals, item["timeframe"], statuses, of)
            assert held is not None
            is_reached = held[item["type"] == "budget"] >= item["value"]
            is_better = best is None or item["value"] > best[0]
            if is_reached and is_better and of.goal in (item["target_goals"] or "12"):
                found[ladder] = item["value"], (item["modifier_type"], item["modifier_value"])
        return [step[1] for step in found.values() if step is not None]

    def settle(self, made: LimitConversion, sent: str, now: int, was_counted: bool) -> None:
        """Gives a conversion the status that a call leads to."""
        until = made.at + self.rules["hold"] * DAY_MS
        holds = self.rules["hold"] > 0 and (sent == "hold" or (sent == "confirmed" and until > now))
        made.sent, made.status, made.hold_until = sent, "hold" if holds else sent, until if holds else None
        if not was_counted and self.is_over(made, made.status):
            made.status, made.hold_until, made.comment = "declined", None, REACHED

    def call(self, click: Click, goal: str, sent: str, order_sum: str, at: int) -> None:
        made = LimitConversion(
            goal, click.affiliate, click.country, at, "", sent, Decimal(0), [], click.id, click=click
        )
        made.modifiers = self.modifiers(made)
        made.payout = _payout(order_sum, made.modifiers)
        self.settle(made, sent, at, was_counted=False)
        self.made.append(made)

    def repeat(self, made: LimitConversion, sent: str, order_sum: str | None, now: int) -> None:
        is_open = made.status in ("pending", "pending_cap") or (made.status == "hold" and sent == "declined")
        if sent != made.sent and is_open:
            self.settle(made, sent, now, was_counted=made.status in (*self.rules["statuses"], "pending_cap"))
            if order_sum is not None:
                made.payout = _payout(order_sum, made.modifiers)

    def imported(self, key: str, goal: str, affiliate: int, status: str, order_sum: str, at: int) -> None:
        sent = "pending" if status == "pending_cap" else status
        made = LimitConversion(goal, affiliate, "", at, "", sent, Decimal(0), [], key)
        made.modifiers = self.modifiers(made)
        made.payout, made.status = _payout(order_sum, made.modifiers), status
        self.made.append(made)

    def edit(self, made: LimitConversion, status: str, payout: str | None) -> None:
        if status != made.status:
            made.status, made.hold_until = status, None
        made.payout = made.payout if payout is None else Decimal(payout)

    def end_holds(self, now: int) -> None:
        for made in self.made:
            if made.status == "hold" and made.hold_until is not None and made.hold_until <= now:
                made.status, made.hold_until = "confirmed", None


def _period(name: str, at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime(STRFTIME[name])


def _payout(order_sum: str, modifiers: list[tuple[str, int]]) -> Decimal:
    payout = Decimal(order_sum) / 10
    for kind, value in modifiers:
        payout = payout + value if kind == "by_fix" else Decimal(order_sum) * value / 100
    return payout


class LimitsModelRun:
    """The installation and the model, taking the same steps."""

    def __init__(self, database: Database) -> None:
        self.world = make_limited_offer(database)
        with database.write() as conn:
            self.affiliates = [self.world.affiliate, add_affiliate(conn)]
        self.model = LimitsModel({}, self.affiliates)
        self._numbers = count(1)

    @property
    def now(self) -> int:
        return self.world.clock.now_ms()

    def rules(self, given_rules: dict[str, Any]) -> None:
        """What staff do to an offer: ids and counters stay where only values change."""
        self.model.rules = given_rules
        least = given_rules["limit"]
        written = {
            "payments": PAYMENTS,
            "caps": [Cap(id="", **self._cap(each)) for each in given_rules["caps"]],
            "commission_tiers": [Tier(id="", **_exact(each)) for each in given_rules["tiers"]],
            "personal_limits": () if least is None else (PersonalLimit(partner=self.affiliates[0], caps=least),),
            "caps_status": given_rules["statuses"],
            "hold_period": given_rules["hold"],
            "enabled_commission_tiers": True,
            "is_redirect_overcap": True,
        }
        with self.world.database.write() as conn:
            before = offers.find_offer(conn, Scope.everything(), self.world.offer, lock=True)
            assert before is not None
            changes = changed_fields(before, written, NewPartDefaults("USD", lambda: f"{next(self._numbers):024x}"))
            limits.reset_changed_counters(conn, before, offers.edit_offer(conn, before, changes), UTC, self.now)

    def calls(self, place: tuple[str, int, str], sent: str, order_sum: str, times: int) -> None:
        goal, affiliate, country = place
        for _ in range(times):
            click = self.world.click(affiliate=self.affiliates[affiliate], country=country)
            self.world.send(click, self.now, goal=goal, status=sent, sum=order_sum)
            self.model.call(click, goal, SENT[sent], order_sum, self.now)
        self.world.settle()

    def repeat(self, number: int, sent: str, order_sum: str | None) -> None:
        made = self._one(number)
        if made is not None and made.click is not None:
            params = {"goal": made.goal, "status": sent} | ({} if order_sum is None else {"sum": order_sum})
            self.world.send(made.click, self.now, **params)
            self.world.settle()
            self.model.repeat(made, SENT[sent], order_sum, self.now)

    def edit(self, number: int, status: str, payout: str | None) -> None:
        made = self._one(number)
        if made is not None:
            amount = None if payout is None else Decimal(payout)
            known = self.stored()[made.key].id
            self.world.order(ConversionEdit(conversion_id=known, status=Status(status), payout=amount))
            self.model.edit(made, status, payout)

    def imported(self, place: tuple[str, int, str], status: str, order_sum: str) -> None:
        goal, affiliate, _ = place
        key = f"import-{next(self._numbers)}"
        who = {"affiliate_id": self.affiliates[affiliate], "goal": goal, "action_id": key}
        self.world.imported(**who, status=Status(status), sum=Decimal(order_sum))
        self.model.imported(key, goal, self.affiliates[affiliate], status, order_sum, self.now)

    def time(self, hours: int) -> None:
        self.world.clock.advance(hours * 3_600_000)
        JobScheduler(self.world.database, UTC, self.world.clock).end_holds()
        self.model.end_holds(self.now)

    def check(self) -> None:
        """Every conversion is the model's, and every counter holds what the model counts."""
        known = {each.key: (each.status, each.comment, each.payout) for each in self.model.made}
        assert {key: (row.status, row.comment, row.payout) for key, row in self.stored().items()} == known
        with self.world.database.read() as conn:
            terms = get_decision_context(conn, [self.world.offer], [], UTC).offers[self.world.offer]
            for each in self.model.made:
                traits = Traits(each.goal, each.affiliate, each.country, each.at)
                for rule, counter in each_counter(terms.caps, traits):
                    [held] = counters.get_counts(conn, [(rule.measure, traits)]).values()
                    item, period = self._item(counter.limit_id)
                    statuses = (*self.model.rules["statuses"], "pending_cap")
                    assert held == self.model.counted(item, period, statuses, replace(each))

    def stored(self) -> dict[str, Any]:
        with self.world.database.read() as conn:
            return {row.action_id or row.click_id: row for row in conn.execute(select(conversion))}

    def _item(self, limit_id: str) -> tuple[dict[str, Any], str]:
        """What the model calls the cap of an id."""
        if limit_id.startswith("personal"):
            return {"affiliate_type": "exact"}, "day"
        with self.world.database.read() as conn:
            offer = offers.find_offer(conn, Scope.everything(), self.world.offer)
        assert offer is not None
        place = [cap.id for cap in offer.caps].index(limit_id)
        item: dict[str, Any] = self.model.rules["caps"][place]
        return item, item["period"]

    def _one(self, number: int) -> LimitConversion | None:
        return self.model.made[number % len(self.model.made)] if self.model.made else None

    def _cap(self, item: dict[str, Any]) -> dict[str, Any]:
        listed = {"goal": ("goals", ("1",)), "affiliate": ("affiliates", (self.affiliates[0],))}
        listed |= {"country": ("country", ("DE", "FR"))}
        exact = {name: values for side, (name, values) in listed.items() if item[f"{side}_type"] == "exact"}
        return _exact(item) | exact


def _exact(item: dict[str, Any]) -> dict[str, Any]:
    return {name: Decimal(value) if isinstance(value, int) else value for name, value in item.items()}


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=rules, played=st.lists(steps, max_size=10))
def test_random_caps_and_tiers_match_model(migrated_sqlite: Path, first: dict[str, Any], played: list[Any]) -> None:
    with TemporaryDirectory() as directory:
        shutil.copy(migrated_sqlite, Path(directory) / "played.db")
        database = Database(f"sqlite:///{directory}/played.db")
        play = LimitsModelRun(database)
        play.rules(first)
        actions = {"calls": play.calls, "repeat": play.repeat, "edit": play.edit, "import": play.imported}
        actions |= {"time": play.time, "rules": play.rules}
        for name, *given_values in played:
            actions[name](*given_values)
            play.check()
        database.close()
