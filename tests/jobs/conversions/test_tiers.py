"""Commission tiers: earlier conversions change the amounts of later ones."""

from tests.support.clicks.inbound_postbacks import AT
from tests.support.limited_offer import MIDNIGHT, LimitedOffer


def test_tier_changes_conversions_after_it_is_reached(limited: LimitedOffer) -> None:
    limited.limit(tiers=({"value": "2", "modifier_value": "1"}, {"value": "4", "modifier_value": "3"}))
    for _ in range(6):
        limited.send()
    limited.settle()
    assert limited.payouts() == [5, 5, 6, 6, 8, 8]
    assert limited.call(time=MIDNIGHT)[0] == "confirmed"
    assert limited.payouts()[-1] == 5


def test_tier_modifiers_are_stored_with_conversion(limited: LimitedOffer) -> None:
    paid = [{"goal": "1", "total": "10", "revenue": "10", "currency": "USD", "type": "percent"}]
    limited.limit(tiers=({"value": "1", "modifier_type": "by_percent", "modifier_value": "50"},), payments=paid)
    limited.call(sum="10")
    changed = limited.send(sum="10", status="2")
    limited.settle()
    limited.limit()
    limited.call(changed, AT + 1, sum="20", status="1")
    assert limited.payouts() == [1, 3]


def test_tier_switched_off_changes_nothing(limited: LimitedOffer) -> None:
    limited.limit(tiers=({"value": "0"},))
    assert limited.call() and limited.payouts() == [6]
    limited.limit(tiers=({"value": "0"},), enabled_commission_tiers=False)
    limited.call()
    assert limited.payouts() == [6, 5]


def test_tier_counts_its_goals_and_changes_its_target_goals(limited: LimitedOffer) -> None:
    paid = [{"goal": goal, "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"} for goal in ("1", "2")]
    tier = {"value": "1", "goals": ["1"], "target_goals": ["2"], "modifier_payment_type": "payout_and_total"}
    limited.limit(tiers=(tier,), payments=paid)
    for goal in ("2", "1", "1", "2"):
        limited.send(goal=goal)
    limited.settle()
    assert limited.payouts() == [5, 5, 5, 6]


def test_tier_applies_to_imports(limited: LimitedOffer) -> None:
    limited.limit(tiers=({"value": "1"},))
    limited.imported(action_id="a")
    limited.imported(action_id="b")
    assert sorted(limited.payouts()) == [5, 6]


def test_tier_budget_counts_payouts(limited: LimitedOffer) -> None:
    limited.limit(tiers=({"type": "budget", "value": "10", "timeframe": "all", "affiliate_type": "all"},))
    for _ in range(4):
        limited.send()
    limited.settle()
    assert limited.payouts() == [5, 5, 6, 6]
    assert list(limited.held().values()) == [(4, 22)]
