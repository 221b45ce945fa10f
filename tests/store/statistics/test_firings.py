"""Rules, their firings, blocks and logs, on both engines."""

from decimal import Decimal

from tests.support.stores import seeds
from trackyard.decision.routes import restrictions_of
from trackyard.domain.statistics.automation.logs import ChangeFilter, FiringFilter, RuleChange
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleCondition, RuleFiring, RuleKind
from trackyard.domain.tracking.ruleset import RulesetOffer
from trackyard.store.engine.database import Database
from trackyard.store.offers import sub_blocks
from trackyard.store.offers.sub_blocks import SubBlock
from trackyard.store.statistics import automation, firings
from trackyard.store.tracking import rulesets

RULE = Rule(
    id="a" * 24, kind=RuleKind.KPI, title="Rule", is_on=True, each=("offer", "affiliate", "sub1"), offers=(3,),
    conditions=(RuleCondition("goal_share", is_below=True, bound=Decimal("12.5")),), action=RuleAction.BLOCK_SUB,
    first_goal="1", second_goal="2", webhook="https://a.example/", created_by="b" * 24,
)  # fmt: skip


def firing(number: int, **fields: object) -> RuleFiring:
    values: dict[str, object] = {
        "id": f"{number:024x}", "rule_id": RULE.id, "fired_at": number, "element": {"offer": 3}, "element_key": "k",
        "offer_id": 3, "affiliate_id": 4, "sub_index": "1", "sub_value": "x", "since": 0, "until": number,
        "met_until": number, "readings": [{"metric": "cr"}], "action": RuleAction.BLOCK_SUB,
    }  # fmt: skip
    return RuleFiring(**(values | fields))  # type: ignore[arg-type]


def test_rule_is_read_as_it_was_stored(database: Database) -> None:
    with database.write() as conn:
        automation.add_rule(conn, RULE)
        assert automation.find_rule(conn, RULE.id, RuleKind.KPI, lock=True) == RULE
        assert automation.find_rule(conn, RULE.id, RuleKind.RULE) is None
        assert automation.find_due(conn, 1) == RULE
        assert automation.find_due(conn, 1, [RULE.id]) is None
        automation.set_judged(conn, RULE.id, 1, "why")
        assert automation.find_due(conn, 1) is None
        assert [each.failure for each in automation.list_failing(conn, 9)] == ["why"]
        automation.remove_rule(conn, RULE.id, 5)
        assert automation.find_rule(conn, RULE.id) is None
        assert automation.rules_by_id(conn, [RULE.id])[RULE.id].removed_at == 5


def test_changes_of_rules_are_found_by_offer_affiliate_and_type(database: Database) -> None:
    change = RuleChange("c" * 24, RULE.id, RuleKind.KPI, "add", "staff:1", 7, ",3,13,", "", automation.row_of(RULE))
    with database.write() as conn:
        automation.add_change(conn, change)
        found = {
            wanted: automation.list_changes(conn, RuleKind.KPI, ChangeFilter(7, 8, offers=[wanted]), page=1, limit=9)[1]
            for wanted in (3, 13, 1)
        }
        assert found == {3: 1, 13: 1, 1: 0}
        [read], _ = automation.list_changes(conn, RuleKind.KPI, ChangeFilter(0, 9, types=["add"]), page=1, limit=9)
        assert automation.rule_of_row(read.rule) == RULE
        assert automation.list_changes(conn, RuleKind.KPI, ChangeFilter(0, 9, affiliates=[1]), page=1, limit=9)[1] == 0


def test_log_of_blocks_has_both_sides_of_a_firing(database: Database) -> None:
    with database.write() as conn:
        automation.add_rule(conn, RULE)
        firings.add_firing(conn, firing(1))
        firings.add_firing(conn, firing(2, element_key="m", sub_value="y"))
        firings.mark_undone(conn, [f"{1:024x}"], "staff:1", 9)
        chosen = FiringFilter(kinds=[RuleKind.KPI], offers=[3])
        entries, total = firings.list_blocks(conn, chosen, page=1, limit=9)
        assert [(each.at, each.action, each.sub_value) for each in entries] == [
            (9, "unblock", "x"), (2, "block", "y"), (1, "block", "x"),
        ]  # fmt: skip
        assert (total, entries[0].readings) == (3, [{"metric": "cr"}])
        assert firings.list_blocks(conn, chosen, action="block", sub_value="y", page=1, limit=9)[1] == 1
        assert firings.list_blocks(conn, chosen, action="other", page=1, limit=9) == ([], 0)
        assert firings.last_firings(conn, RULE.id, ["k", "m", "n"]).keys() == {"k", "m"}
        assert firings.count_since(conn, 1) == {RULE.id: 1}
        assert [each.id for each in firings.list_not_undone(conn, RULE.id)] == [f"{2:024x}"]


def test_webhook_is_claimed_once(database: Database) -> None:
    with database.write() as conn:
        firings.add_firing(conn, firing(1, webhook_due=5))
        due = [each.id for each in firings.list_webhooks_due(conn, 5, 10)]
        assert (firings.list_webhooks_due(conn, 4, 10), len(due)) == ([], 1)
        claimed = firings.claim_webhook(conn, due[0], 5, 100)
        assert claimed is not None and firings.claim_webhook(conn, due[0], 5, 100) is None


def test_blocked_subs_are_restrictions_of_their_offer(database: Database) -> None:
    with database.write() as conn:
        offer = seeds.add_offer(conn, seeds.add_advertiser(conn))
        plain = rulesets.compile_row(conn, "offer", str(offer))
        for number, value in enumerate(("x", "y")):
            sub_blocks.add_block(conn, SubBlock(f"{number:024x}", offer, 4, 2, value))
        blocked = rulesets.compile_row(conn, "offer", str(offer))
        assert isinstance(blocked, RulesetOffer) and restrictions_of(blocked).blocked == {4: {2: ("x", "y")}}
        assert sub_blocks.remove_blocks(conn, [f"{number:024x}" for number in range(2)]) == [offer]
        assert rulesets.compile_row(conn, "offer", str(offer)) == plain
