"""Open alerts and findings of the checks, by offer (docs/spec/console.md#offers)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.platform import status
from trackyard.api.platform.alerts import alerts as alerts_api
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.translations import translated_sentence
from trackyard.console.staff.work import work_of

_MOST: Final = 1000
_KINDS: Final = frozenset(
    (
        "offer_rejects",
        "offer_converts_no_more",
        "offer_url_fails",
        "offer_url_loses_click",
        "cap_nearly_full",
        "cap_full",
    )
)
"""Kinds of findings of the checks about an offer."""
_TONES: Final = {"error": "declined", "warning": "pending"}


@dataclass(frozen=True, slots=True)
class OfferFinding:
    """A problem of an offer that needs a person.

    tone: the tone of its mark. link: the page that explains it; "" where the person may not open it.
    """

    sentence: str
    tone: str
    link: str


def findings_of_offers(request: PageRequest, offers: Sequence[int]) -> Mapping[int, Sequence[OfferFinding]]:
    """Return the problems that need a person, by offer; errors come first.

    Checks query databases and hosts, so their findings are from the last page that read them; alerts are read now.
    """
    found: dict[int, dict[str, OfferFinding]] = defaultdict(dict)
    for offer, kind, finding in (*_alerts(request), *_known(request)):
        if offer in offers:
            found[offer].setdefault(kind, finding)
    return {offer: sorted(each.values(), key=lambda one: one.tone != "declined") for offer, each in found.items()}


def _alerts(request: PageRequest) -> list[tuple[int, str, OfferFinding]]:
    if not request.calls.may(alerts_api.list_):
        return []
    alerts = request.calls.ask(alerts_api.list_, [("state", "open"), ("limit", str(_MOST))]).alerts
    return [
        (
            each.offer_id,
            each.finding,
            _finding(request, each.sentence, each.severity, each.link.removeprefix(request.deps.api_url)),
        )
        for each in alerts
        if each.offer_id
    ]


def _known(request: PageRequest) -> list[tuple[int, str, OfferFinding]]:
    if not request.calls.may(status.list_findings):
        return []
    return [
        (
            int(each.subject),
            each.kind,
            _finding(request, translated_sentence(each.sentence), each.severity, work_of(each).link),
        )
        for each in request.seen_findings.known()
        if each.kind in _KINDS and each.subject.isdecimal()
    ]


def _finding(request: PageRequest, sentence: str, severity: str, link: str) -> OfferFinding:
    may_open = request.may_open(link.partition("?")[0])
    return OfferFinding(f"{sentence[:1].upper()}{sentence[1:]}", _TONES[severity], link if may_open else "")
