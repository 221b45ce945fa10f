"""The decision on a click as the evidence of its page: the steps in their order, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.tracking.click_check import ClickCheckView, ClickStepView, RecordedClickView
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.staff.traffic.reasons import rejection_sentence

_GROUPS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (lazy_gettext("The link names an offer"), ("invalid-offer", "unknown-offer")),
    (lazy_gettext("The link names an affiliate"), ("invalid-affiliate", "unknown-affiliate")),
    (lazy_gettext("Offer is active"), ("inactive-offer", "unknown-advertiser")),
    (lazy_gettext("Affiliate may run it"), ("inactive-affiliate", "disabled-affiliate")),
    (lazy_gettext("No bot"), ("bot",)),
    (lazy_gettext("Address"), ("mistargeting-ip", "mistargeting-proxy")),
    (lazy_gettext("Place"), ("mistargeting-country", "mistargeting-region", "mistargeting-city", "mistargeting-zip")),
    (lazy_gettext("Provider and connection"), (
        "mistargeting-isp", "mistargeting-organization", "mistargeting-connection",
    )),
    (lazy_gettext("System, device and browser"), (
        "mistargeting-os", "mistargeting-device", "mistargeting-model", "mistargeting-browser",
        "mistargeting-browser-version", "mistargeting-brand", "mistargeting-known-bot", "mistargeting-ua",
    )),
    (lazy_gettext("Where the visitor comes from"), ("mistargeting-referrer",)),
    (lazy_gettext("Subs"), ("mistargeting-sub", "mistargeting-sub-account", "empty-sub")),
    (lazy_gettext("First click of the visitor"), ("non-unique-clicks", "duplicate-clicks")),
    (lazy_gettext("Caps"), ("overcap",)),
)  # fmt: skip
"""The steps of a decision under the names that people look for."""
STEP_NAMES: Final = frozenset(step for _, steps in _GROUPS for step in steps)


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A line of the evidence. tone: passed, refused, or "" for what was not checked."""

    label: str
    tone: str
    text: str


def evidence_of(click: RecordedClickView, today: ClickCheckView) -> list[EvidenceLine]:
    """Return the decision on a recorded click, step by step.

    click, today: of the API. The record names the step that decided; the others are those of today's rules.
    """
    reason = "" if click.passed else click.reason
    verdicts = {step.name: step for step in today.steps}
    lines = list(_lines(reason, click.detail, verdicts))
    lines.append(EvidenceLine(gettext("Where it went"), "passed", _target(click, today)))
    return lines


def _lines(reason: str, detail: str, verdicts: Mapping[str, ClickStepView]) -> Iterator[EvidenceLine]:
    for label, steps in _GROUPS:
        if reason in steps:
            yield EvidenceLine(label, "refused", rejection_sentence(reason, detail))
        elif reason:
            yield _of_rejected(label, steps, reason)
        else:
            yield EvidenceLine(label, "passed", _today_differs(steps, verdicts) or gettext("passed"))


def _of_rejected(label: str, steps: Sequence[str], reason: str) -> EvidenceLine:
    """Return a line of a click that another step rejected: steps before it passed."""
    order = [step for _, group in _GROUPS for step in group]
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
        if not today.passes:  # its target of today is that of rejected clicks
            return gettext("to the page of the offer")
        return gettext("to %(target)s, with the rules of today and without a deep link", target=today.target)
    if today.passes or not today.target:
        return gettext("to the trafficback URL of the offer, or to the page that says that the offer is not available")
    return gettext("to %(target)s, with the rules of today", target=today.target)
