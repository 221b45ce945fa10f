"""Rules in words, for pages."""

from collections.abc import Iterable
from typing import Final

from trackyard.actions.statistics.automation.words import (
    ACTION_NAMES,
    METRIC_NAMES,
    SLICE_NAMES,
    number_words,
)
from trackyard.api.statistics.automation.rules import ConditionView, RuleView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.translations import translated_sentence
from trackyard.domain.statistics.automation.rules import EACH, RuleAction
from trackyard.domain.tracking.subs import SUBS

PATH: Final = "/console/rules"

_STATUS_NAMES: Final = {
    "stopped": lazy_gettext("stopped"),
    "suspended": lazy_gettext("suspended"),
    "confirmed": lazy_gettext("confirmed"),
    "pending": lazy_gettext("pending"),
    "declined": lazy_gettext("declined"),
    "hold": lazy_gettext("on hold"),
}
"""Statuses that rules set, in words."""
METRIC_CHOICES: Final = tuple(METRIC_NAMES.items())
ACTION_CHOICES: Final = tuple((action.value, name) for action, name in ACTION_NAMES.items())
EACH_CHOICES: Final = tuple((name, SLICE_NAMES.get(name, name)) for name in EACH)
SUB_CHOICES: Final = tuple((name, name) for name in SUBS)
STATUS_CHOICES: Final = tuple(_STATUS_NAMES.items())


def state_of(rule: RuleView) -> tuple[str, str]:
    """Return the state of a rule, and the class of its mark."""
    if rule.is_on:
        return (gettext("cannot run"), "declined") if rule.failure else (gettext("on"), "confirmed")
    return gettext("off"), "pending"


def failure_of(rule: RuleView) -> str:
    """Return why a rule cannot run; "" for a rule that is off, or runs."""
    return translated_sentence(rule.failure) if rule.is_on else ""


def rule_values(request: PageRequest, rule: RuleView) -> dict[str, object]:
    """Return a rule and its words, as templates show them."""
    return {
        "rule": rule,
        "judged": judged_words(rule),
        "conditions": condition_words(rule.conditions),
        "action": action_words(rule),
        "state": state_of(rule),
        "failure": failure_of(rule),
        "judged_until": request.time_of(rule.judged_until),
    }


def judged_words(rule: RuleView) -> str:
    """Return the subjects of a rule, in words."""
    each = " × ".join(str(SLICE_NAMES.get(name, name)) for name in rule.each) or gettext("the whole network")
    named = (
        (gettext("offers"), rule.offers),
        (gettext("affiliates"), rule.affiliates),
        (gettext("advertisers"), rule.advertisers),
        (gettext("countries"), rule.countries),
    )
    narrowed = [f"{noun} {', '.join(map(str, ids))}" for noun, ids in named if ids]
    narrowed += [f"{each.sub} {each.value}" for each in rule.subs]
    hours = ngettext("%(num)d hour", "%(num)d hours", rule.hours)
    return "; ".join([f"{each}, {hours}", *narrowed])


def condition_words(conditions: Iterable[ConditionView]) -> str:
    """Return the conditions of a rule."""
    return "; ".join(map(_condition, conditions))


def _condition(condition: ConditionView) -> str:
    values = {"metric": METRIC_NAMES[condition.metric], "value": number_words(str(condition.value))}
    if condition.usual:
        if condition.compare == "below":
            return gettext("%(metric)s more than %(value)s percent below the usual", **values)
        return gettext("%(metric)s more than %(value)s percent above the usual", **values)
    if condition.compare == "below":
        return gettext("%(metric)s below %(value)s", **values)
    return gettext("%(metric)s above %(value)s", **values)


def action_words(rule: RuleView) -> str:
    """Return the action of a rule, in words."""
    name = str(ACTION_NAMES[RuleAction(rule.action)])
    status = _STATUS_NAMES.get(rule.new_status)
    return f"{name}: {status}" if status else name
