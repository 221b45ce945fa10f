"""Rules act on what they find, once, and everything they do is undone by one call."""

from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any

import pytest
from sqlalchemy import update

from tests.contract.requests.rules import RULE, kpi_rule
from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.processes.mails import mails
from tests.support.processes.receiver import Receiver, Reply
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.delivery.rule_webhooks import RuleWebhookCaller
from trackyard.jobs.schedule.rules import SETTLE_MS, RuleRunner
from trackyard.store.tables import automation_rule

DAYS = {"filter[date_from]": "2023-11-01", "filter[date_to]": "2023-11-30"}

BELOW_MANY = {"conditions[0][is]": "below", "conditions[0][value]": "1000"}


class RuleSetup:
    """A public offer with an affiliate, and the job of rules."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.advertiser = api.add_advertiser()
        self.offer = api.add_offer(advertiser=self.advertiser, privacy="public")
        self.pid, self.affiliate = api.add_affiliate()
        self._numbers = iter(range(1, 10**6))
        self.runner = RuleRunner(api.deps.database, api.deps.analytics, api.clock, lambda: 0)
        api.clock.advance(HOUR_MS - api.clock.now_ms() % HOUR_MS)

    def click(self, count: int, **fields: Any) -> None:
        """Load clicks of this hour."""
        own = {"offer": self.offer, "affiliate": self.pid, "advertiser": self.advertiser}
        now = self.api.clock.now_ms() + 1000
        load_clicks(
            self.api.deps, [new_click(next(self._numbers), **{**own, "time": now, **fields}) for _ in range(count)]
        )

    def convert(self, goals: Sequence[str], **click: Any) -> list[str]:
        """Make conversions of this hour; return their ids."""
        now = self.api.clock.now_ms() + 2000
        own = {"offer_id": self.offer, "affiliate_id": self.pid, "advertiser_id": self.advertiser, "created_at": now}
        numbers = [next(self._numbers) for _ in goals]
        return [
            add_conversion(self.api.deps, number, goal=goal, click=dict(click), **own).id
            for number, goal in zip(numbers, goals, strict=True)
        ]

    def end_hour(self) -> int:
        """Let the hour end, and run every rule that is due; return how many."""
        self.api.clock.advance(HOUR_MS)
        runs = 0
        while self.runner.run_one(self.api.clock.now_ms() + 1):
            runs += 1
        return runs

    def firings(self) -> list[dict[str, Any]]:
        """The firings of all rules, the newest first."""
        found: list[dict[str, Any]] = self.api.admin.get("/3.1/admin/rule-firings")["firings"]
        return found

    def passes(self, sub1: str, pid: int | None = None) -> bool:
        """Whether a click of the affiliate with this sub1 is accepted."""
        sent = {
            "params[pid]": pid or self.pid,
            "params[offer_id]": self.offer,
            "params[sub1]": sub1,
            "ip": "90.190.0.1",
        }
        checked = self.api.admin.post("/3.1/admin/click-check", **sent, ua="Mozilla/5.0 Chrome/120.0.0.0")["check"]
        return not checked["reason"].startswith("mistargeting-sub")

    def statuses(self) -> dict[str, str]:
        """The status of each conversion, after the queue of edits."""
        deps = self.api.deps
        editor = ConversionEditor(deps.database, deps.currency, deps.zone, self.api.clock)
        while editor.step():
            pass
        days = {"date_from": "2023-11-14", "date_to": "2023-11-16"}
        return {
            each["id"]: each["status"] for each in self.api.admin.get("/3.0/stats/conversions", **days)["conversions"]
        }


@pytest.fixture
def world(api: Api) -> RuleSetup:
    return RuleSetup(api)


def add_rule(world: RuleSetup, **params: Any) -> str:
    return str(world.api.admin.post("/3.1/admin/rules", **RULE | {"hours": "1", "is_on": "1"} | params)["rule"]["id"])


def test_rule_blocks_a_sub_once_and_undoing_unblocks_it(world: RuleSetup) -> None:
    add_rule(world)
    world.click(150, sub1="bad")
    world.click(150, sub1="good")
    world.convert(["1", "1"], sub1="good")
    assert world.passes("bad")
    assert world.end_hour() == 1
    [firing] = world.firings()
    assert (firing["element"]["sub1"], firing["changed"], firing["readings"][0]["value"]) == ("bad", ["blocked"], 0)
    assert (world.passes("bad"), world.passes("good")) == (False, True)
    assert world.passes("bad", world.api.add_affiliate()[0])
    world.click(150, sub1="bad")  # the cause lasts
    world.end_hour()
    assert [each["id"] for each in world.firings()] == [firing["id"]]
    undone = world.api.admin.post(f"/3.1/admin/rule-firings/{firing['id']}/undo")["firing"]
    assert undone["undone_at"] is not None and undone["undone_by"].startswith("staff:")
    assert world.passes("bad")
    world.click(150, sub1="bad")
    world.end_hour()
    assert len(world.firings()) == 1 and world.passes("bad")
    again = world.api.admin.call("POST", f"/3.1/admin/rule-firings/{firing['id']}/undo")
    assert again.status_code == 409
    world.end_hour()  # a quiet hour ends the cause
    world.click(150, sub1="bad")
    world.end_hour()
    assert len(world.firings()) == 2 and not world.passes("bad")


def test_window_is_judged_once_and_a_removed_rule_is_undone(world: RuleSetup) -> None:
    rule_id = add_rule(world)
    world.click(150, sub1="bad")
    assert (world.end_hour(), world.runner.run_one(world.api.clock.now_ms())) == (1, False)
    assert not world.passes("bad")
    records = world.api.admin.get("/3.1/admin/audit", what="sub_block")["audit"]
    assert [each["method"] for each in records] == ["job:rules"]
    assert world.api.admin.call("DELETE", f"/3.1/admin/rules/{rule_id}").status_code == 200
    assert world.passes("bad")
    assert world.firings()[0]["undone_at"] is not None


def test_rule_disconnects_an_affiliate_and_undoing_connects_it(world: RuleSetup) -> None:
    rule = {"each[]": ["offer", "affiliate"], "action": "disconnect", "notify_manager": "1"}
    add_rule(world, **rule)
    world.click(150)
    world.end_hour()
    [firing] = world.firings()
    state = f"/3.1/offers/{world.offer}/privacy"
    assert str(world.pid) in map(str, world.api.admin.get(state)["affiliates_disabled"])
    [mail] = [each for each in mails(world.api) if "Rule" in each.subject]
    assert f"affiliate {world.pid}" in mail.subject and firing["id"] in mail.body
    logged = world.api.admin.get("/3.1/automation/cr-and-sub/block-logs", **DAYS)["rules"]
    assert [(each["type"], each["current_cr"], each["cr_thresholds_min"]) for each in logged] == [
        ("disabled affiliate", 0, "1.000000")
    ]
    assert logged[0]["advertiser"] == {"id": world.advertiser, "title": "Shop"}
    world.api.admin.post(f"/3.1/admin/rule-firings/{firing['id']}/undo")
    assert str(world.pid) not in map(str, world.api.admin.get(state)["affiliates_disabled"])


def test_rule_stops_an_offer_and_keeps_what_staff_changed_since(world: RuleSetup) -> None:
    add_rule(world, **{"each[]": ["offer"], "action": "offer_status", "new_status": "suspended"})
    world.click(150)
    world.end_hour()
    status = f"/3.1/offer/{world.offer}"
    assert world.api.admin.get(status)["offer"]["status"] == "suspended"
    world.api.admin.post("/3.0/admin/offer/mass-update", **{"offer_id[]": world.offer, "status": "stopped"})
    world.api.admin.post(f"/3.1/admin/rule-firings/{world.firings()[0]['id']}/undo")
    assert world.api.admin.get(status)["offer"]["status"] == "stopped"


def test_rule_holds_conversions_and_undoing_frees_them(world: RuleSetup) -> None:
    add_rule(
        world,
        **{"each[]": ["offer"], "action": "conversion_status", "new_status": "hold", "conditions[0][value]": "90"},
    )
    world.click(150)
    [made] = world.convert(["1"])
    world.end_hour()
    assert world.statuses() == {made: "hold"}
    world.api.admin.post(f"/3.1/admin/rule-firings/{world.firings()[0]['id']}/undo")
    assert world.statuses() == {made: "confirmed"}


def test_kpi_rule_declines_conversions_of_the_second_goal_until_it_is_removed(world: RuleSetup) -> None:
    sent = kpi_rule(world.offer, world.pid) | {"action_type": "conversion", "change_to": "declined", "period": "day"}
    rule = world.api.admin.post("/3.1/automation/kpi", **sent)["message"]
    assert (rule["offers"], rule["kpi"], rule["sub"], rule["change_to"]) == ([str(world.offer)], 50, None, "declined")
    installs = world.convert(["install"] * 5)
    first = world.convert(["purchase"])
    world.end_hour()
    assert world.statuses() == dict.fromkeys(installs, "confirmed") | {first[0]: "declined"}
    second = world.convert(["purchase"])  # 2 of 5 is still below the half
    world.end_hour()
    assert world.statuses()[second[0]] == "declined"
    assert (len(world.firings()), world.firings()[0]["changed_conversions"]) == (1, 2)
    world.api.admin.post("/3.0/admin/conversion/edit", **{"ids[]": second[0], "status": "pending"})
    world.statuses()
    removed = world.api.admin.call("DELETE", f"/3.1/automation/kpi/{rule['id']}")
    assert removed.json()["message"] == {"message": "success deleted"}
    after = world.statuses()
    assert (after[first[0]], after[second[0]]) == ("confirmed", "pending")
    changes = world.api.admin.get("/3.1/automation/kpi/change-logs", **DAYS)["items"]
    assert [(each["type"], each["automation"]["id"]) for each in changes] == [
        ("delete", rule["id"]),
        ("add", rule["id"]),
    ]


def test_kpi_rule_blocks_subs_and_logs_it(world: RuleSetup) -> None:
    rule = world.api.admin.post("/3.1/automation/kpi", **kpi_rule(world.offer, world.pid))["message"]
    world.convert(["install"] * 4 + ["purchase"], sub1="bad")
    world.convert(["install", "purchase"], sub1="good")
    world.end_hour()
    assert (world.passes("bad"), world.passes("good")) == (False, True)
    world.api.admin.call("DELETE", f"/3.1/automation/kpi/{rule['id']}")
    assert world.passes("bad")
    path = "/3.1/automation/kpi/block-logs"
    logged = world.api.admin.get(path, **DAYS)["items"]
    assert sorted((each["action"], each["sub_index"], each["sub_value"]) for each in logged) == [
        ("block", "1", "bad"), ("unblock", "1", "bad"),
    ]  # fmt: skip
    only = {"filter[action]": "block", "filter[sub_index]": "sub1", "filter[offers][]": world.offer}
    [block] = world.api.admin.get(path, **DAYS, **only)["items"]
    assert block["affiliate_id"] == world.pid and "25" in block["additional_data"]


def test_kpi_rule_names_what_its_action_needs(world: RuleSetup) -> None:
    sent = kpi_rule(world.offer, world.pid)
    for left, action in (("sub", "block"), ("affiliates[]", "block"), ("change_to", "conversion")):
        given = {name: value for name, value in (sent | {"action_type": action}).items() if name != left}
        answer = world.api.admin.call("POST", "/3.1/automation/kpi", data=given)
        assert answer.status_code == 400
        assert list(answer.json()["fields"]) == [left.partition("[")[0]]


def test_rule_that_cannot_run_says_so(world: RuleSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trackyard.actions.statistics.automation.running.MOST_FIRINGS", 1)
    rule_id = add_rule(world)
    world.click(150, sub1="one")
    world.click(150, sub1="two")
    world.end_hour()
    assert world.firings() == [] and world.passes("one")
    assert "2 things" in world.api.admin.get(f"/3.1/admin/rules/{rule_id}")["rule"]["failure"]
    checks = world.api.admin.get("/3.1/admin/findings")["checks"]
    assert "rule_fails" in [found["kind"] for each in checks for found in each["findings"]]


@pytest.mark.parametrize(
    "metric", ["marked_clicks", *(pytest.param(each, marks=pytest.mark.long) for each in ("cr", "rejected_clicks"))]
)
def test_rows_that_cannot_fire_do_not_make_a_rule_too_wide(
    world: RuleSetup, monkeypatch: pytest.MonkeyPatch, metric: str
) -> None:
    monkeypatch.setattr("trackyard.actions.statistics.automation.measuring.MOST_ROWS", 5)
    rule_id = add_rule(world, action="notify", **{"conditions[0][metric]": metric, **BELOW_MANY})
    world.click(150, sub1="bad")
    for number in range(20):
        world.click(1, sub1=f"small {number}")
    world.end_hour()
    assert [firing["element"]["sub1"] for firing in world.firings()] == ["bad"]
    assert world.api.admin.get(f"/3.1/admin/rules/{rule_id}")["rule"]["failure"] == ""
    assert world.api.admin.get(f"/3.1/admin/rules/{rule_id}/look-back")["total"] == 1
    world.api.admin.post(f"/3.1/admin/rules/{rule_id}", minimum="1")
    world.click(1, sub1="small")
    for number in range(20):
        world.click(1, sub1=f"small {number}")
    world.end_hour()
    assert "more than 5" in world.api.admin.get(f"/3.1/admin/rules/{rule_id}")["rule"]["failure"]


def test_rule_that_compares_with_the_usual_asks_for_what_had_enough_in_the_weeks(
    world: RuleSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackyard.actions.statistics.automation.measuring.MOST_ROWS", 8)
    usual = {"conditions[0][metric]": "clicks", "conditions[0][value]": "50", "conditions[0][usual]": "1"}
    rule_id = add_rule(world, **usual | {"action": "notify", "minimum": "20"})
    hour = world.api.clock.now_ms() + 1000
    for week, count in enumerate((15, 15, 25, 25), start=1):  # 20 on average
        world.click(count, time=hour - week * 7 * 86_400_000, sub1="bad")
        for number in range(20):
            world.click(1, time=hour - week * 7 * 86_400_000, sub1=f"small {number}")
    world.end_hour()
    [firing] = world.firings()
    reading = firing["readings"][0]
    assert (firing["element"]["sub1"], reading["value"], reading["usual"]) == ("bad", 0, 20)
    assert world.api.admin.get(f"/3.1/admin/rules/{rule_id}/look-back")["firings"][0]["readings"] == firing["readings"]


def test_look_back_shows_what_a_rule_that_is_off_would_have_done(world: RuleSetup) -> None:
    rule_id = add_rule(world, is_on="0", action="notify")
    world.click(150, sub1="bad")
    assert world.end_hour() == 0
    found = world.api.admin.get(f"/3.1/admin/rules/{rule_id}/look-back")
    [firing] = found["firings"]
    assert (found["total"], firing["element"]["sub1"], firing["action"]) == (1, "bad", "notify")
    assert world.firings() == []
    world.api.admin.post(f"/3.1/admin/rules/{rule_id}", is_on="1")
    world.click(150, sub1="bad")
    world.end_hour()
    [live] = world.firings()
    assert live["readings"] == firing["readings"]


def test_rule_that_is_not_saved_is_tried_on_the_last_30_days(world: RuleSetup) -> None:
    world.click(150, sub1="bad")
    world.end_hour()
    fields = RULE | {"hours": "1", "is_on": "1"}
    found = world.api.admin.post("/3.1/admin/rules/look-back", **fields)
    [firing] = found["firings"]
    assert (found["total"], firing["element"]["sub1"], firing["rule_id"]) == (1, "bad", "")
    assert world.api.admin.get("/3.1/admin/rules")["rules"] == world.firings() == []
    assert world.passes("bad")
    wrong = world.api.admin.call("POST", "/3.1/admin/rules/look-back", data=fields | {"each[]": ["offer"]})
    assert list(wrong.json()["fields"]) == ["each"]


def test_rule_judges_only_named_subs_and_countries(world: RuleSetup) -> None:
    named: dict[str, Any] = {
        "subs[0][sub]": "sub1",
        "subs[0][value]": "bad",
        "subs[1][sub]": "sub1",
        "subs[1][value]": "worse",
    }
    named |= {"subs[2][sub]": "sub8", "subs[2][value]": "x", "countries[]": ["EE"]}
    declines = {"action": "conversion_status", "new_status": "declined", "each[]": ["offer"]}
    declines |= {"conditions[0][metric]": "clicks", "conditions[0][compare]": "above", "minimum": "0"}
    rule_id = add_rule(world, **named, **declines)
    world.click(2, sub1="bad", sub8="x", country="EE")
    world.click(150, sub1="good", sub8="x", country="EE")
    world.click(150, sub1="bad", sub8="y", country="EE")
    world.click(150, sub1="bad", sub8="x", country="LV")
    inside = world.convert(["1"], sub1="worse", sub8="x", country="EE")
    outside = world.convert(["2"], sub1="good", sub8="x", country="EE")
    outside += world.convert(["3"], sub1="worse", sub8="x", country="LV")
    world.end_hour()
    [firing] = world.firings()
    assert (firing["readings"][0]["value"], firing["changed_conversions"]) == (2, 1)
    statuses = world.statuses()
    assert [statuses[each] for each in inside] == ["declined"] and "declined" not in map(statuses.get, outside)
    rule = world.api.admin.get(f"/3.1/admin/rules/{rule_id}")["rule"]
    assert rule["subs"][1:] == [{"sub": "sub1", "value": "worse"}, {"sub": "sub8", "value": "x"}]
    assert world.api.admin.post(f"/3.1/admin/rules/{rule_id}", subs="")["rule"]["subs"] == []


def test_rules_run_when_their_hour_is_loaded(world: RuleSetup) -> None:
    add_rule(world)
    world.click(150, sub1="bad")
    world.api.clock.advance(HOUR_MS)
    world.runner.run_next()
    assert world.firings() == []
    world.api.clock.advance(SETTLE_MS + 10_000)
    world.runner.run_next()
    assert len(world.firings()) == 1


def test_webhook_of_a_rule_is_repeated_after_a_failure_and_called_once(world: RuleSetup) -> None:
    statuses = iter((500, 200))
    with Receiver(lambda _request: Reply(next(statuses))) as receiver:
        address = receiver.url("/hook?f={firing_id}&o={offer_id}&s={sub}")
        add_rule(world, action="notify", webhook="https://hook.example/")
        with world.api.deps.database.write() as conn:  # the loopback, which only this caller may call
            conn.execute(update(automation_rule).values(webhook=address))
        caller = RuleWebhookCaller(world.api.deps.database, world.api.clock, [ip_network("127.0.0.0/8")])
        assert not caller.call_one()
        world.click(150, sub1="b a&d")
        world.end_hour()
        assert (caller.call_one(), caller.call_one()) == (True, False)
        world.api.clock.advance(5_000)
        assert (caller.call_one(), caller.call_one()) == (True, False)
        world.api.clock.advance(86_400_000)
        assert not caller.call_one()
        [firing] = world.firings()
        called = f"/hook?f={firing['id']}&o={world.offer}&s=b%20a%26d"
        assert [each.path for each in receiver.requests()] == [called, called]


def test_rule_of_a_removed_offer_can_be_switched_off(world: RuleSetup) -> None:
    rule_id = add_rule(world, **{"offers[]": [world.offer]})
    world.api.admin.post("/3.0/admin/offer/delete", **{"offer_id[]": [world.offer]})
    assert world.api.admin.post(f"/3.1/admin/rules/{rule_id}", is_on="0")["rule"]["is_on"] is False
    refused = world.api.admin.call("POST", "/3.1/admin/rules", data=RULE | {"offers[]": [world.offer]})
    assert list(refused.json()["fields"]) == ["offers"]


def test_rule_finds_what_stopped_against_the_same_hours_of_four_weeks(world: RuleSetup) -> None:
    usual = {"conditions[0][metric]": "clicks", "conditions[0][value]": "50", "conditions[0][usual]": "1"}
    rule_id = add_rule(world, **usual, **{"each[]": ["offer"], "action": "notify", "minimum": "20"})
    hour = world.api.clock.now_ms() + 1000
    for week in range(1, 5):
        world.click(20, time=hour - week * 7 * 86_400_000)
    world.click(20, time=hour + HOUR_MS)
    world.end_hour()
    [firing] = world.firings()
    reading = firing["readings"][0]
    assert (firing["element"], reading["value"], reading["usual"], reading["bound"]) == (
        {"offer": str(world.offer)}, 0, 20, 10,
    )  # fmt: skip
    assert 0 < reading["chance"] < 1e-6
    looked = world.api.admin.get(f"/3.1/admin/rules/{rule_id}/look-back")["firings"]
    assert looked[0]["readings"] == firing["readings"]
