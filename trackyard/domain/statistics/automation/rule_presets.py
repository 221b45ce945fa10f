"""Rules to begin with: thresholds that others publish, and our own (docs/spec/automation.md#presets)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.statistics.automation.rules import RuleAction, RuleCondition

_INTEGR8: Final = "https://bunny.integr8.co/docs/fraud-prevention/conversion-fraud/conversion-rejection-threshold/"
_TRACK360: Final = "https://track360.io/learn/affiliate-program-auditing-and-diagnostics/traffic-quality-diagnostics"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePreset:
    """The fields of a rule that a person may begin with.

    title: also the rule's. reason: why the threshold is as it is. source: the page that publishes it, "" = ours.
    needs_goals: whether the person must name two goals.
    """

    title: str
    reason: str
    source: str = ""
    each: tuple[str, ...]
    hours: int
    condition: RuleCondition
    minimum: int
    action: RuleAction = RuleAction.NOTIFY
    needs_goals: bool = False


def _below(metric: str, bound: int, *, usual: bool = False) -> RuleCondition:
    return RuleCondition(metric, is_below=True, bound=Decimal(bound), is_usual=usual)


def _above(metric: str, bound: int) -> RuleCondition:
    return RuleCondition(metric, is_below=False, bound=Decimal(bound))


PRESETS: Final[Mapping[str, RulePreset]] = MappingProxyType(
    {
        "declined_sub": RulePreset(
            title=lazy_gettext("Most conversions of a sub are declined"),
            reason=lazy_gettext("Integr8 blocks a sub with more than 70 percent of rejected conversions, by default."),
            source=_INTEGR8,
            each=("offer", "affiliate", "sub1"),
            hours=168,
            condition=_above("declined_share", 70),
            minimum=20,
            action=RuleAction.BLOCK_SUB,
        ),
        "too_many_registrations": RulePreset(
            title=lazy_gettext("Clicks convert too often"),
            reason=lazy_gettext("Track360 names more than 60 percent of clicks with a registration a sign of bots."),
            source=_TRACK360,
            each=("offer", "affiliate"),
            hours=24,
            condition=_above("cr", 60),
            minimum=100,
        ),
        "few_deposits": RulePreset(
            title=lazy_gettext("Few registrations deposit"),
            reason=lazy_gettext("Track360 names less than 8 percent of first deposits per registration a red flag."),
            source=_TRACK360,
            each=("offer", "affiliate"),
            hours=720,
            condition=_below("goal_share", 8),
            minimum=100,
            needs_goals=True,
        ),
        "sub_dies": RulePreset(
            title=lazy_gettext("A sub converts no more"),
            reason=lazy_gettext("Less than a fifth of the usual CR is a broken page or other traffic, not a bad day."),
            each=("offer", "affiliate", "sub1"),
            hours=24,
            condition=_below("cr", 80, usual=True),
            minimum=100,
        ),
        "silent_postbacks": RulePreset(
            title=lazy_gettext("Postbacks of an offer are silent"),
            reason=lazy_gettext("Clicks go on and less than a tenth of the usual conversions comes in a day."),
            each=("offer",),
            hours=24,
            condition=_below("conversions", 90, usual=True),
            minimum=100,
        ),
        "rejected_clicks": RulePreset(
            title=lazy_gettext("Most clicks are rejected"),
            reason=lazy_gettext("Half of the clicks without a target is a wrong link; the health judges the same."),
            each=("offer", "affiliate"),
            hours=24,
            condition=_above("rejected_share", 50),
            minimum=100,
        ),
        "marked_clicks": RulePreset(
            title=lazy_gettext("Many suspicious clicks"),
            reason=lazy_gettext("The bound and the least volume of our finding: honest traffic of the demo is below."),
            each=("offer", "affiliate"),
            hours=168,
            condition=_above("marked_share", 20),
            minimum=300,
        ),
    }
)
"""Every preset by name."""
