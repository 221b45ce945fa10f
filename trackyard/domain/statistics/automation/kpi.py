"""KPI rules of the public API as rules (docs/spec/automation.md#kpi-rules)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleCondition, RuleKind

BLOCK: Final = "block"
CONVERSION: Final = "conversion"
PERIODS: Final = MappingProxyType({"hour": 1, "day": 24, "week": 168, "month": 720})
"""Period to the hours of the window."""
_PERIODS_BY_HOURS: Final = {hours: period for period, hours in PERIODS.items()}
_MINIMUM: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class KpiTerms:
    """A KPI rule as the public API has it. kpi: percent. sub, change_to: "" = none."""

    offer: int
    action_type: str
    period: str
    sub: str
    change_to: str
    affiliates: Sequence[int]
    goal1: str
    goal2: str
    kpi: Decimal
    notify_manager: bool

    def fields(self) -> dict[str, Any]:
        """Return the fields of the rule."""
        blocks = self.action_type == BLOCK
        each = ("offer", "affiliate", self.sub) if blocks else ("offer", "affiliate") if self.affiliates else ("offer",)
        return {
            "kind": RuleKind.KPI,
            "title": f"KPI of offer {self.offer}",
            "each": each,
            "offers": (self.offer,),
            "affiliates": tuple(self.affiliates),
            "hours": PERIODS[self.period],
            "conditions": (RuleCondition("goal_share", is_below=True, bound=self.kpi),),
            "minimum": _MINIMUM,
            "action": RuleAction.BLOCK_SUB if blocks else RuleAction.CONVERSION_STATUS,
            "new_status": "" if blocks else self.change_to,
            "first_goal": self.goal1,
            "second_goal": self.goal2,
            "notify_manager": self.notify_manager,
        }

    @staticmethod
    def of_rule(rule: Rule) -> "KpiTerms":
        """Return a rule of this kind as the public API has it."""
        blocks = rule.action is RuleAction.BLOCK_SUB
        return KpiTerms(
            offer=rule.offers[0],
            action_type=BLOCK if blocks else CONVERSION,
            period=_PERIODS_BY_HOURS.get(rule.hours, "hour"),
            sub=rule.sub,
            change_to=rule.new_status,
            affiliates=rule.affiliates,
            goal1=rule.first_goal,
            goal2=rule.second_goal,
            kpi=rule.conditions[0].bound,
            notify_manager=rule.notify_manager,
        )
