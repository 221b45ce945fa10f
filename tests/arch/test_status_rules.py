"""A status has its consequences in its row: code compares with no status of an account or offer."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from tests.arch.sources import nodes_of
from trackyard.domain.offers.choices import (
    LISTED,
    OFFER_STATUS_RULES,
    OVER,
    TAKING_CLICKS,
    TAKING_NO_CLICKS,
    OfferStatus,
)
from trackyard.domain.people.advertisers import ADVERTISER_STATUS_RULES, AdvertiserStatus
from trackyard.domain.people.affiliates import STATUS_RULES, AffiliateStatus
from trackyard.domain.people.staff import AT_WORK, SIGNING_IN, STAFF_STATUS_RULES, StaffStatus

MODULES: Final = sorted((Path(__file__).parents[2] / "trackyard").rglob("*.py"))
STATUSES: Final = {each.__name__ for each in (OfferStatus, AdvertiserStatus, AffiliateStatus, StaffStatus)}


def compared(node: ast.AST) -> bool:
    """Whether a node compares a value with one status of an account or of an offer."""
    sides = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
    return any(
        isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in STATUSES
        for each in sides
    )


def test_program_asks_the_row_of_a_status() -> None:
    assert len(MODULES) > 1000
    found = [f"{path}:{node.lineno}" for path in MODULES for node in nodes_of(path) if compared(node)]
    assert not found, "read a consequence of the status, such as `status.rule.may_sign_in`"


def test_comparison_with_a_status_is_recognized() -> None:
    for text in (
        "user.status is StaffStatus.ACTIVE",
        "OfferStatus.STOPPED != row.status",
        "x == AdvertiserStatus.ACTIVE",
    ):
        assert any(map(compared, ast.walk(ast.parse(text)))), text
    assert not any(map(compared, ast.walk(ast.parse("found.status is PaymentStatus.PAID"))))


@pytest.mark.parametrize(
    ("statuses", "rules"),
    [(AdvertiserStatus, ADVERTISER_STATUS_RULES), (AffiliateStatus, STATUS_RULES), (StaffStatus, STAFF_STATUS_RULES)],
)
def test_every_status_of_an_account_has_a_row(statuses: type, rules: dict) -> None:
    assert rules.keys() == set(statuses)
    assert all("{name}" in rule.done and rule.label and rule.mark for rule in rules.values())
    assert len({rule.label for rule in rules.values()}) == len(rules)
    assert [status.value for status, rule in rules.items() if rule.may_sign_in] == ["active"]


def test_every_status_of_an_offer_has_a_row() -> None:
    assert OFFER_STATUS_RULES.keys() == set(OfferStatus)
    assert all(status.rule is rule and rule.label and rule.mark for status, rule in OFFER_STATUS_RULES.items())
    assert TAKING_CLICKS == LISTED == (OfferStatus.ACTIVE,)
    assert TAKING_NO_CLICKS == (OfferStatus.STOPPED, OfferStatus.SUSPENDED) and OVER == (OfferStatus.STOPPED,)


def test_blocked_staff_user_neither_signs_in_nor_gets_mail() -> None:
    assert SIGNING_IN == AT_WORK == (StaffStatus.ACTIVE,)


def test_pages_ask_the_row_of_a_status() -> None:
    templates = sorted((Path(__file__).parents[2] / "trackyard" / "console" / "templates").rglob("*.html"))
    assert len(templates) > 100
    compares = re.compile(r"\b(affiliate|advertiser|user|offer)\.status (==|!=|in|not in) ")
    assert not [str(path) for path in templates if compares.search(path.read_text())]
