"""Rules in words, for pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.actions.statistics.automation.words import (
    ACTION_NAMES,
    METRIC_NAMES,
    SLICE_NAMES,
    number_words,
)
from trackyard.api.statistics.automation.rules import ConditionView, FiringView, RuleView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.said import in_own_words
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


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule in words. word, tone: of its state."""

    id: str
    title: str
    judged: str
    conditions: str
    action: str
    word: str
    tone: str
    failure: str
    is_on: bool
    is_kpi: bool
    judged_until: str


@dataclass(frozen=True, slots=True)
class FiringLine:
    """A firing in words. effect: what was changed; undone: when, "" = it is not."""

    id: str
    rule_id: str
    rule: str
    fired: str
    summary: str
    window: str
    effect: str
    undone: str
    links: tuple[tuple[str, str], ...]


def rule_line(request: PageRequest, rule: RuleView) -> RuleLine:
    """Return a rule in words."""
    if rule.failure and rule.is_on:
        word, tone = gettext("cannot run"), "declined"
    else:
        word, tone = (gettext("on"), "confirmed") if rule.is_on else (gettext("off"), "pending")
    return RuleLine(
        id=rule.id,
        title=rule.title,
        judged=judged_words(rule),
        conditions=condition_words(rule.conditions),
        action=action_words(rule),
        word=word,
        tone=tone,
        failure=in_own_words(rule.failure) if rule.is_on else "",
        is_on=rule.is_on,
        is_kpi=rule.kind == "kpi",
        judged_until=request.time_of(rule.judged_until),
    )


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


def firing_line(request: PageRequest, firing: FiringView, *, is_past: bool = False) -> FiringLine:
    """Return a firing in words. is_past: whether it is one of a look back, which changed nothing."""
    since, until = request.time_of(firing.since), request.time_of(firing.until)
    return FiringLine(
        id=firing.id,
        rule_id=firing.rule_id,
        rule=firing.rule_title,
        fired=request.time_of(firing.fired_at),
        summary=firing.summary,
        window=f"{since} – {until}",
        effect=str(ACTION_NAMES[RuleAction(firing.action)]) if is_past else _effect(firing),
        undone="" if firing.undone_at is None else request.time_of(firing.undone_at),
        links=tuple(_links(request, firing.element)),
    )


def _effect(firing: FiringView) -> str:
    if not firing.changed:
        return gettext("nothing was changed")
    if "conversions" in firing.changed:
        return ngettext("%(num)d conversion changed", "%(num)d conversions changed", firing.changed_conversions)
    return str(ACTION_NAMES[RuleAction(firing.action)])


def _links(request: PageRequest, element: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Yield the pages of what a firing is about: address and words."""
    places = (
        ("offer", "/console/offers"),
        ("affiliate", "/console/affiliates"),
        ("advertiser", "/console/advertisers"),
    )
    for name, place in places:
        if name in element and request.may_open(place):
            yield f"{place}/{element[name]}", f"{SLICE_NAMES[name]} {element[name]}"
