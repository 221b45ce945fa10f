"""The decision on a click as the evidence of its page: the steps in their order, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.tracking.click_check import ClickCheckView, ClickStepView, RecordedClickView
from trackyard.base.texts.marks import gettext
from trackyard.console.staff.traffic.reasons import rejection_sentence
from trackyard.domain.tracking.reference.results import results


def _groups() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, each in results().rejections.items():
        if each.step:
            found[each.step] = (*found.get(each.step, ()), name)
    return found


_GROUPS: Final = _groups()
"""The steps of a decision under the names that people look for."""
STEP_NAMES: Final = frozenset(step for steps in _GROUPS.values() for step in steps)


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A line of the evidence. tone: passed, refused, or "" for what was not checked."""

    label: str
    tone: str
    text: str


def evidence_of(click: RecordedClickView, today: ClickCheckView) -> list[EvidenceLine]:
    """Return the decision on a recorded click, step by step.

    click: the record, which has the step that decided. today: the check with today's rules, which has the other steps.
    """
    reason = "" if click.passed else click.reason
    verdicts = {step.name: step for step in today.steps}
    lines = list(_lines(reason, click.detail, verdicts))
    lines.append(EvidenceLine(gettext("Where it went"), "passed", _target(click, today)))
    return lines


def _lines(reason: str, detail: str, verdicts: Mapping[str, ClickStepView]) -> Iterator[EvidenceLine]:
    for name, steps in _GROUPS.items():
        label = gettext(name)
        if reason in steps:
            yield EvidenceLine(label, "refused", rejection_sentence(reason, detail))
        elif reason:
            yield _of_rejected(label, steps, reason)
        else:
            yield EvidenceLine(label, "passed", _today_differs(steps, verdicts) or gettext("passed"))


def _of_rejected(label: str, steps: Sequence[str], reason: str) -> EvidenceLine:
    """Return a line of a click that another step rejected: steps before it passed."""
    order = [step for group in _GROUPS.values() for step in group]
    place = {step: number for number, step in enumerate(order)}
    if reason in place and max(place[step] for step in steps) < place[reason]:
        return EvidenceLine(label, "passed", gettext("passed"))
    return EvidenceLine(label, "", gettext("not checked"))


def _today_differs(steps: Sequence[str], verdicts: Mapping[str, ClickStepView]) -> str:
    """Return why a step that passed would reject the same click now, "" when it would not."""
    for step in steps:
        now = verdicts.get(step)
        if now is not None and now.verdict == "refused":
            sentence = rejection_sentence(step, now.detail)
            return gettext(
                "passed. With the rules of today it would be %(value)s%(sentence)s",
                value=sentence[0].lower(),
                sentence=sentence[1:],
            )
    return ""


def _target(click: RecordedClickView, today: ClickCheckView) -> str:
    """Return where a click went, as far as the record and the rules of today show it."""
    if click.passed:
        if not today.passes:  # today it would go where rejected clicks go
            return gettext("to the page of the offer")
        return gettext("to %(target)s, with the rules of today and without a deep link", target=today.target)
    if today.passes or not today.target:
        return gettext("to the trafficback URL of the offer, or to the page of an offer that is not available")
    return gettext("to %(target)s, with the rules of today", target=today.target)
