"""The consequences of an affiliate's status, in one row each (domain/people/affiliates.py)."""

import pytest

from tests.decision.clicks import make_hit
from trackyard.console.staff.traffic.clicks.steps import STEP_NAMES
from trackyard.console.staff.traffic.reasons import DECLINES, REJECTIONS
from trackyard.decision.click import steps
from trackyard.domain.conversions.conversions import DeclineReason
from trackyard.domain.people.affiliates import CLICK_REASONS, STATUS_RULES, AffiliateStatus
from trackyard.domain.tracking.rejections import REJECTION_REASONS
from trackyard.domain.tracking.ruleset import RulesetAffiliate


def test_every_status_has_a_row_with_known_reasons() -> None:
    assert STATUS_RULES.keys() == set(AffiliateStatus) and len(STATUS_RULES) >= 4
    for status, rule in STATUS_RULES.items():
        assert status.rule is rule
        assert rule.click_reason in ("", *REJECTION_REASONS) and rule.click_reason in ("", *REJECTIONS)
        assert rule.decline_reason in ("", *DeclineReason) and rule.decline_reason in ("", *DECLINES)
        assert "{name}" in rule.done and rule.label and rule.mark
    numbers = [rule.number for rule in STATUS_RULES.values() if rule.number]
    assert sorted(numbers) == ["0", "1", "2", "3"], "existing programs know four"
    labels = [rule.label for rule in STATUS_RULES.values()]
    assert len(set(labels)) == len(labels)


def test_only_an_active_affiliate_signs_in_sends_clicks_and_earns() -> None:
    active = [status for status, rule in STATUS_RULES.items() if rule.may_sign_in]
    counted = [status for status, rule in STATUS_RULES.items() if not rule.click_reason]
    earning = [status for status, rule in STATUS_RULES.items() if not rule.decline_reason]
    assert active == counted == earning == [AffiliateStatus.ACTIVE]


def test_click_reasons_of_statuses_are_a_step_of_the_decision() -> None:
    [step] = [each for each in steps.STEPS if each.reasons == CLICK_REASONS]
    assert set(step.reasons) <= STEP_NAMES


@pytest.mark.parametrize("rejection", ["", "inactive-affiliate", "paused-affiliate"])
def test_click_of_an_affiliate_has_the_reason_of_its_status(rejection: str) -> None:
    found = make_hit(affiliate=RulesetAffiliate(7, rejection)).decide()
    assert (found.reason if found else "") == rejection
