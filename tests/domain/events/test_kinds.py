"""The registry of events has a row for each kind (docs/spec/events.md#kinds)."""

import ast
import json
from decimal import Decimal
from pathlib import Path

import pytest

from trackyard.actions.platform.notices import NOTICES
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.events.events import Event, line_of, page_of, read_value, write_value
from trackyard.domain.events.kinds import EVENT_RULES, EventAudience, EventKind, NoticeRule
from trackyard.domain.offers.counters import CapType
from trackyard.domain.people.callers import HOMES, AccountKind
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.mails.values import (
    MailedOffer,
    MailFinding,
    MailLimit,
    MailList,
    MailMoney,
    MailPayout,
    MailPayoutChanges,
    PayoutChange,
)
from trackyard.domain.platform.mails.writing import names_in

ROOT = Path(__file__).parents[3]
KINDS = 51
"""The number of kinds: a new one changes it."""
OF_CONVERSIONS = {EventKind.CONVERSION_MADE, EventKind.CONVERSION_CHANGED}
"""Kinds that are read from the history of conversions."""
_SENT = {EventKind.MESSAGE_SENT, EventKind.NEWS_PUBLISHED}
_HOMES = {
    EventAudience.STAFF: AccountKind.STAFF,
    EventAudience.ALERTED: AccountKind.STAFF,
    EventAudience.AFFILIATE: AccountKind.AFFILIATE,
    EventAudience.CONNECTED: AccountKind.AFFILIATE,
    EventAudience.ADVERTISER: AccountKind.ADVERTISER,
}


def test_each_kind_has_a_row_and_each_row_a_notice() -> None:
    assert set(EVENT_RULES) == set(EventKind)
    assert len(EVENT_RULES) == KINDS
    assert {kind for kind, rule in EVENT_RULES.items() if not rule.notices} == OF_CONVERSIONS


def line_and_body(rule: NoticeRule) -> tuple[str, str]:
    return NOTICES[rule.mail].subject, NOTICES[rule.mail].body


@pytest.mark.parametrize("kind", EventKind)
def test_texts_of_a_kind_use_its_fields_alone(kind: EventKind) -> None:
    rule = EVENT_RULES[kind]
    for notice in rule.notices:
        line, body = line_and_body(notice)
        assert names_in(line) <= set(rule.fields)
        own = {"text"} if kind in _SENT else set()  # which the sending reads from the message or the news
        assert names_in(body) <= set(rule.fields) | {"name", "link"} | own
        assert names_in(notice.page) <= {"affiliate_id", "advertiser_id", "subject"}


def test_each_notice_leads_to_a_page_that_exists() -> None:
    table, seen = PageTable(PARTS), 0
    for kind, rule in EVENT_RULES.items():
        event = Event(
            id="", seq=1, kind=kind, at=0, actor="", subject="1", affiliate_id=1, advertiser_id="a" * 24, offer_id=1
        )
        for notice in rule.notices:
            path = page_of(
                event, notice, NOTICES[notice.mail].page, HOMES[_HOMES.get(notice.audience, AccountKind.AFFILIATE)]
            )
            assert table.find("GET", path), (kind, path)
            seen += 1
    assert seen == KINDS - len(OF_CONVERSIONS) + 1  # an overdue invoice is for staff and for its advertiser


def test_each_kind_is_published_by_some_act() -> None:
    """A kind that no act publishes is a promise that the program does not keep."""
    named: set[str] = set()
    for path in [*(ROOT / "trackyard" / "actions").rglob("*.py"), *(ROOT / "trackyard" / "jobs").rglob("*.py")]:
        named |= _kinds_in(path)
    assert {kind.name for kind in set(EventKind) - OF_CONVERSIONS} <= named


def _kinds_in(path: Path) -> set[str]:
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "EventKind"
    }


@pytest.mark.parametrize(
    "value",
    [
        "text",
        MailMoney(Decimal("942.5348"), "USD"),
        MailedOffer(7, "Shoes"),
        MailList([MailedOffer(7, "Shoes"), MailedOffer(8, "Boots")]),
        MailLimit(CapType.BUDGET, Decimal("500.5"), "EUR"),
        MailPayoutChanges(
            (
                PayoutChange("Sale", (MailPayout(Decimal("20.5"), "USD"),), ()),
                PayoutChange("Lead", (), (MailPayout(Decimal(12), "", is_share=True),)),
            )
        ),
        MailFinding(Finding(FindingKind.CAP_FULL, "7", {"percent": 100, "value": "5", "limit": "5"})),
    ],
)
def test_value_of_a_payload_keeps_its_type(value: object) -> None:
    assert read_value(json.loads(json.dumps(write_value(value)))) == value


def test_line_of_an_event_is_one_line() -> None:
    event = Event(
        id="",
        seq=1,
        kind=EventKind.QUESTION_OPENED,
        at=0,
        actor="",
        subject="1",
        payload={"affiliate": "Ann", "title": "One\ntwo {name}", "text": ""},
    )
    assert line_of(event, "{affiliate} asks: {title}") == "Ann asks: One two {name}"
