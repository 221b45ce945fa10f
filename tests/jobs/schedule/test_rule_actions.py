"""Each action of a rule is in the audit log, and undone by one call."""

from typing import Any

import pytest

from tests.api.statistics.test_rules import RuleSetup, add_rule
from tests.support.api import Api
from tests.support.pages import staff_visitor
from tests.support.processes.mails import mails
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.jobs.schedule.rules import RuleRunner

ACTIONS: list[dict[str, Any]] = [
    {"action": "block_sub", "each[]": ["offer", "affiliate", "sub1"]},
    {"action": "disconnect", "each[]": ["offer", "affiliate"]},
    {"action": "offer_status", "each[]": ["offer"], "new_status": "suspended"},
    {"action": "offer_status", "each[]": ["offer"], "new_status": "stopped"},
    {"action": "conversion_status", "each[]": ["offer"], "new_status": "hold"},
    {"action": "conversion_status", "each[]": ["offer"], "new_status": "declined"},
    {"action": "conversion_status", "each[]": ["offer"], "new_status": "pending"},
]
MANY_CLICKS = {"conditions[0][metric]": "clicks", "conditions[0][compare]": "above", "conditions[0][value]": "100"}


@pytest.fixture
def judged(api: Api) -> RuleSetup:
    """An offer with clicks that a rule judges."""
    return RuleSetup(api)


def state_of(judged: RuleSetup) -> dict[str, Any]:
    """What rules can change: the sub, the connection, the offer and its conversions."""
    admin = judged.api.admin
    return {
        "passes": judged.passes("bad"),
        "disabled": sorted(map(str, admin.get(f"/3.1/offers/{judged.offer}/privacy")["affiliates_disabled"])),
        "offer": admin.get(f"/3.1/offer/{judged.offer}")["offer"]["status"],
        "conversions": judged.statuses(),
    }


def audited(judged: RuleSetup) -> int:
    """Return the number of records of the audit log that rules made."""
    records = judged.api.admin.get("/3.1/admin/audit", limit=500)["audit"]
    return sum(each["method"] == "job:rules" for each in records)


@pytest.mark.parametrize("action", ACTIONS)
def test_action_of_a_rule_is_in_the_audit_log_and_undone_by_one_call(judged: RuleSetup, action: dict[str, Any]) -> None:
    judged.click(150, sub1="bad")
    judged.convert(["1", "2"], sub1="bad")
    before, known = state_of(judged), audited(judged)
    add_rule(judged, **MANY_CLICKS, **action)
    judged.end_hour()
    [firing] = judged.firings()
    changed = state_of(judged)
    assert [name for name in before if before[name] != changed[name]] != []
    assert audited(judged) > known
    answer = judged.api.admin.post(f"/3.1/admin/rule-firings/{firing['id']}/undo")["firing"]
    assert answer["undone_at"] is not None
    assert state_of(judged) == before


def test_rule_fires_once_when_two_machines_judge_the_same_hour(judged: RuleSetup) -> None:
    add_rule(judged, action="notify")
    judged.click(150, sub1="bad")
    judged.api.clock.advance(HOUR_MS)
    deps, now = judged.api.deps, judged.api.clock.now_ms()
    machines = [RuleRunner(deps.database, deps.analytics, judged.api.clock, lambda: 0) for _ in range(2)]
    assert [each.run_one(now + 1) for each in machines] == [True, False]
    assert len(judged.firings()) == 1


def test_rule_judges_only_named_offers_affiliates_and_advertisers(judged: RuleSetup) -> None:
    admin = judged.api.admin
    other_advertiser, (other_pid, _) = judged.api.add_advertiser(), judged.api.add_affiliate()
    other_offer = judged.api.add_offer(advertiser=other_advertiser, privacy="public")
    judged.click(150)
    judged.click(150, affiliate=other_pid)
    judged.click(150, offer=other_offer, advertiser=other_advertiser)
    judged.end_hour()

    def found(**scope: Any) -> set[tuple[int, int]]:
        sent = {"title": "x", "hours": "1", "each[]": ["offer", "affiliate"], "action": "notify", **MANY_CLICKS}
        answer = admin.post("/3.1/admin/rules/look-back", **sent, **scope)
        return {(int(each["element"]["offer"]), int(each["element"]["affiliate"])) for each in answer["firings"]}

    first, second, third = (judged.offer, judged.pid), (judged.offer, other_pid), (other_offer, judged.pid)
    assert found() == {first, second, third}
    assert found(**{"offers[]": [judged.offer]}) == {first, second}
    assert found(**{"affiliates[]": [judged.pid]}) == {first, third}
    assert found(**{"advertisers[]": [other_advertiser]}) == {third}


def test_firing_is_mailed_to_its_author_and_shown_on_the_console(judged: RuleSetup) -> None:
    rule_id = add_rule(judged, action="notify", notify_author="1", title="Falling CR")
    judged.click(150, sub1="bad")
    judged.end_hour()
    [mail] = mails(judged.api)
    [firing] = judged.firings()
    assert firing["id"] in mail.body
    staff = staff_visitor(judged.api)
    assert "Falling CR" in staff.read("/console/rules/firings").text
    assert f"/console/rules/{rule_id}" in staff.read("/console/rules/firings").links
    assert "The rule Falling CR fired 1 times in the last 24 hours." in staff.read("/console/health").text
