"""Rules, what they found and what they did (docs/spec/automation.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from trackyard.base.errors import Fields
from trackyard.domain.offers.choices import TAKING_NO_CLICKS
from trackyard.domain.statistics.automation.measures import METRICS, Key
from trackyard.domain.tracking.subs import SUBS

EACH: Final = ("offer", "affiliate", "advertiser", "country", *SUBS)
"""What a rule can judge one by one, by the names of slices."""
MOST_CONDITIONS: Final = 5


class RuleKind(StrEnum):
    """How a rule was made: as one of our own, or as a KPI rule of the public API."""

    RULE = "rule"
    KPI = "kpi"


class RuleAction(StrEnum):
    """What a rule does."""

    NOTIFY = "notify"
    BLOCK_SUB = "block_sub"
    DISCONNECT = "disconnect"
    OFFER_STATUS = "offer_status"
    CONVERSION_STATUS = "conversion_status"


@dataclass(frozen=True, slots=True)
class RuleCondition:
    """A bound of a metric.

    is_below: whether values below the bound meet it, else values above it.
    bound: a value; with `is_usual` by how many percent the value must differ from the usual one.
    """

    metric: str
    is_below: bool
    bound: Decimal
    is_usual: bool = False

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"metric": self.metric, "below": self.is_below, "bound": str(self.bound), "usual": self.is_usual}

    @staticmethod
    def of_document(found: Mapping[str, Any]) -> "RuleCondition":
        """Return the condition of a document."""
        return RuleCondition(found["metric"], found["below"], Decimal(found["bound"]), found["usual"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule.

    each: slices; every element with its own values is judged alone. () = the whole network.
    offers, affiliates, advertisers, countries, subs: the judged traffic; () = all.
            subs: names from SUBS with a value each; the values of one sub are alternatives.
    hours: the length of the window.
    conditions: all must be met.
    minimum: the least volume of each metric (docs/spec/automation.md#metrics).
    new_status: the new status of an offer or of conversions, for the actions that set one.
    first_goal, second_goal: the goals of `goal_share`; "" = none.
    notify_author, notify_manager: whether they get a mail; the manager is the affiliate's, else the advertiser's.
    webhook: the URL to call, "" = none.
    judged_until: the end of the last judged window.
    failure: why the rule could not run, "" = it ran.
    """

    id: str
    kind: RuleKind = RuleKind.RULE
    title: str
    is_on: bool = False
    each: tuple[str, ...] = ()
    offers: tuple[int, ...] = ()
    affiliates: tuple[int, ...] = ()
    advertisers: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    subs: tuple[tuple[str, str], ...] = ()
    hours: int = 24
    conditions: tuple[RuleCondition, ...] = ()
    minimum: int = 1
    action: RuleAction = RuleAction.NOTIFY
    new_status: str = ""
    first_goal: str = ""
    second_goal: str = ""
    notify_author: bool = False
    notify_manager: bool = False
    webhook: str = ""
    created_by: str = ""
    created_at: int = 0
    updated_at: int = 0
    removed_at: int | None = None
    judged_until: int = 0
    failure: str = ""

    @property
    def sub(self) -> str:
        """Return the only sub that is judged; "" for none or several."""
        named = [name for name in self.each if name in SUBS]
        return named[0] if len(named) == 1 else ""

    @property
    def sub_values(self) -> dict[str, tuple[str, ...]]:
        """Return the values that are judged, by the name of their sub."""
        values: dict[str, tuple[str, ...]] = {}
        for name, value in self.subs:
            values[name] = (*values.get(name, ()), value)
        return values

    @property
    def needs_usual(self) -> bool:
        """Return whether a condition compares with the usual."""
        return any(each.is_usual for each in self.conditions)

    @property
    def leading_condition(self) -> RuleCondition:
        """Return the condition with the volume that every firing needs; one with a fixed bound goes first.

        All conditions must be met, so an element without the volume of any of them cannot fire.
        """
        return min(self.conditions, key=lambda each: each.is_usual)

    @property
    def needs_goals(self) -> bool:
        """Return whether a condition needs conversions by goal."""
        return any(METRICS[each.metric].of_goals for each in self.conditions)

    @property
    def needs_rejections(self) -> bool:
        """Return whether a condition needs rejected clicks."""
        return any(METRICS[each.metric].of_rejections for each in self.conditions)

    @property
    def needs_signals(self) -> bool:
        """Return whether a condition needs marked clicks."""
        return any(METRICS[each.metric].of_signals for each in self.conditions)

    def element(self, key: Key) -> dict[str, int | str]:
        """Return the values in a key, by slice."""
        return dict(zip(self.each, key, strict=True))

    def can_act_on(self, key: Key) -> bool:
        """Return whether the action makes sense: a click without a sub has nothing to block."""
        return self.action is not RuleAction.BLOCK_SUB or self.element(key)[self.sub] != ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A metric that met its condition.

    value: in the window. bound: that it is beyond.
    usual: the value of the same hours of the weeks before. chance: of such a value if nothing changed. None = not
        compared.
    """

    metric: str
    is_below: bool
    value: Decimal
    bound: Decimal
    usual: Decimal | None = None
    chance: float | None = None

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        usual = None if self.usual is None else str(self.usual)
        return {
            "metric": self.metric, "below": self.is_below, "value": str(self.value), "bound": str(self.bound),
            "usual": usual, "chance": self.chance,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFiring:
    """That a rule found something, and what it did.

    element: what, by slice; element_key: the same as text.
    since, until: the first window that met the conditions. met_until: the end of the last one.
    readings: the metrics of the first window.
    changed: what was changed, as undoing needs it; {} = nothing.
    webhook_due: when the webhook is called next; None = not, or no more.
    """

    id: str
    rule_id: str
    fired_at: int
    element: dict[str, Any]
    element_key: str
    offer_id: int | None = None
    affiliate_id: int | None = None
    advertiser_id: str | None = None
    sub_index: str = ""
    sub_value: str = ""
    since: int
    until: int
    met_until: int
    readings: list[dict[str, Any]] = field(default_factory=list)
    action: RuleAction
    changed: dict[str, Any] = field(default_factory=dict)
    undone_at: int | None = None
    undone_by: str = ""
    webhook_due: int | None = None
    webhook_attempts: int = 0


def find_faults(rule: Rule) -> Fields:
    """Return the faults of a rule, by parameter name."""
    faults: dict[str, list[str]] = {}
    if not rule.conditions:
        faults["conditions"] = ["At least one condition must be named."]
    for place, condition in enumerate(rule.conditions):
        if condition.is_usual and METRICS[condition.metric].is_money:
            sentence = "Amounts cannot be compared with the usual: name a count or a share."
            faults[f"conditions[{place}][usual]"] = [sentence]
        if condition.is_usual and condition.is_below and condition.bound > 100:
            faults[f"conditions[{place}][value]"] = ["A value cannot be more than 100 percent below the usual."]
    if rule.needs_goals and not (rule.first_goal and rule.second_goal):
        faults["first_goal"] = ["goal_share needs first_goal and second_goal."]
    if rule.needs_goals and any(not METRICS[each.metric].of_goals for each in rule.conditions):
        faults["conditions"] = ["goal_share cannot be combined with other metrics."]
    return faults | _action_faults(rule)


_NEEDED: Final[Mapping[RuleAction, tuple[str, ...]]] = {
    RuleAction.BLOCK_SUB: ("offer", "affiliate"),
    RuleAction.DISCONNECT: ("offer", "affiliate"),
    RuleAction.OFFER_STATUS: ("offer",),
}
"""Action to the slices that it acts by."""
_NEW_STATUSES: Final[Mapping[RuleAction, tuple[str, ...]]] = {
    RuleAction.OFFER_STATUS: TAKING_NO_CLICKS,
    RuleAction.CONVERSION_STATUS: ("confirmed", "pending", "declined", "hold"),
}


def _action_faults(rule: Rule) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    needed = _NEEDED.get(rule.action, ())
    if not set(needed) <= set(rule.each):
        faults["each"] = [f"The action {rule.action.value} needs each to name {' and '.join(needed)}."]
    elif rule.action is RuleAction.BLOCK_SUB and not rule.sub:
        faults["each"] = ["The action block_sub needs each to name one sub."]
    allowed = _NEW_STATUSES.get(rule.action, ("",))
    if rule.new_status not in allowed:
        shown = ", ".join(allowed) if allowed != ("",) else "empty"
        faults["new_status"] = [f"With the action {rule.action.value} this value must be: {shown}."]
    return faults
