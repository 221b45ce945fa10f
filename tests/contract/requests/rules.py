"""Requests for methods of rules that watch the statistics."""

from collections.abc import Callable
from typing import Any

from tests.support.api import Api
from trackyard.base.ids import new_id
from trackyard.domain.statistics.automation.rules import RuleAction, RuleFiring
from trackyard.store.statistics import firings

RULE: dict[str, Any] = {
    "title": "CR of subs",
    "each[]": ["offer", "affiliate", "sub1"],
    "conditions[0][metric]": "cr",
    "conditions[0][value]": "1",
    "action": "block_sub",
}
_DAYS = {"filter[date_from]": "2023-11-01", "filter[date_to]": "2023-11-30"}


def kpi_rule(offer: int, pid: int) -> dict[str, Any]:
    """Parameters of a KPI rule that blocks values of sub1."""
    return {
        "offers[]": [offer], "affiliates[]": [pid], "action_type": "block", "period": "day", "sub": "sub1",
        "goal1": "install", "goal2": "purchase", "kpi": "50", "notify_manager": "0",
    }  # fmt: skip


def good_params(offer: int, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    logs = ("automation.kpi.changes", "automation.kpi.blocks", "automation.cr-and-sub.blocks")
    return {
        **dict.fromkeys(("admin.rule.add", "admin.rule.try"), RULE),
        "admin.rule.edit": {"title": "CR of sub1"},
        **dict.fromkeys(("automation.kpi.add", "automation.kpi.edit"), kpi_rule(offer, pid)),
        **dict.fromkeys(logs, _DAYS),
    }


def path_subjects(api: Api, offer: int, pid: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods."""

    def rule() -> str:
        return str(api.admin.post("/3.1/admin/rules", **RULE)["rule"]["id"])

    def kpi() -> str:
        return str(api.admin.post("/3.1/automation/kpi", **kpi_rule(offer, pid))["message"]["id"])

    def firing() -> str:
        now = api.clock.now_ms()
        new = RuleFiring(
            id=new_id(now), rule_id=rule(), fired_at=now, element={"offer": offer}, element_key="{}", since=now - 1,
            until=now, met_until=now, action=RuleAction.NOTIFY,
        )  # fmt: skip
        with api.deps.database.write() as conn:
            firings.add_firing(conn, new)
        return new.id

    made: dict[str, Callable[[], Any]] = dict.fromkeys(
        ("admin.rule.get", "admin.rule.edit", "admin.rule.remove", "admin.rule.look-back"), rule
    )
    made |= dict.fromkeys(("automation.kpi.edit", "automation.kpi.remove"), kpi)
    return made | {"admin.rule-firing.undo": firing}
