""" "Needs you" is the open part of what staff hear of: people and money first, the machine in one line."""

from dataclasses import replace

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.console.staff.work import SOURCES
from trackyard.domain.events.kinds import EVENT_RULES, EventAudience, EventKind
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind

NO_DECISION = {EventKind.THREAD_AFFILIATE_WROTE, EventKind.THREAD_ADVERTISER_WROTE, EventKind.MAIL_REFUSED}
"""Kinds of events for staff that leave nothing to decide: threads count what is unread, and Access shows refusals."""


def test_each_kind_that_staff_decide_has_a_line() -> None:
    decided = {
        kind for kind, rule in EVENT_RULES.items() if any(each.audience is EventAudience.STAFF for each in rule.notices)
    }
    listed = [kind for source in SOURCES for kind in source.kinds]
    assert len(listed) == len(set(listed)) == 7
    assert set(listed) | NO_DECISION == decided


def test_people_and_money_come_before_traffic_and_the_machine(api: Api) -> None:
    for number in range(2):
        api.add_affiliate(name=f"Harbor {number}", status="on moderation")
    found = (
        Finding(FindingKind.QUEUE_LATE, "edits", {"seconds": 90}),
        Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}),
        Finding(FindingKind.DELIVERIES_FAIL, "shop.example", {"waiting": 7, "minutes": 30}),
    )
    deps = replace(api.deps, checks=lambda: [CheckFindings("machine", "machine", found)])
    text = staff_visitor(replace(api, deps=deps)).read("/console/").text
    lines = ["2 affiliates wait for approval", "shop.example", "The machine has 2 problems"]
    assert [text.count(each) > 0 for each in lines] == [True] * 3
    assert sorted(lines, key=text.index) == lines
    assert "Needs you 5 open" in text
