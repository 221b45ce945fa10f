"""A test click on the page of an offer: the verdict in one sentence. It records nothing."""

from dataclasses import dataclass
from typing import Final

from trackyard.api.offers import estimates
from trackyard.api.tracking import click_check
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import AnyForm
from trackyard.console.frame.request import PageRequest
from trackyard.domain.tracking.reference.results import ResultTexts, results

DEVICES: Final[tuple[tuple[str, str], ...]] = (
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/17.4 Mobile/15E148 Safari/604.1",
        lazy_gettext("iPhone, iOS 17.4"),
    ),
    (
        "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
        "Mobile Safari/537.36",
        lazy_gettext("Android 14 phone, Chrome"),
    ),
    (
        "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 "
        "Mobile/15E148 Safari/604.1",
        lazy_gettext("iPad, iPadOS 16.6"),
    ),
    (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
        "Safari/537.36",
        lazy_gettext("Windows computer, Chrome"),
    ),
    (
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 "
        "Safari/605.1.15",
        lazy_gettext("Mac, Safari"),
    ),
)
"""Browsers to choose from: user agent and name."""


_TYPED: Final = ("affiliate", "ip", "device", "agent")


@dataclass(frozen=True, slots=True)
class ClickVerdict:
    """The result of a test click.

    sentence: what happens, because of what. more: what mends it, or where the visitor goes. visitor: as it was seen.
    """

    passes: bool
    sentence: str
    more: str
    visitor: str
    steps: str


@dataclass(frozen=True, slots=True)
class ClickTest:
    """The form of a test click with what was typed.

    verdict: once it was sent. fault: why there is none.
    """

    affiliate: str
    ip: str
    device: str
    agent: str
    verdict: ClickVerdict | None
    fault: str


def find_click_test(request: PageRequest, offer: int) -> ClickTest | None:
    """Return the test in the address; None where the person may not test clicks."""
    if not request.calls.may(click_check.check):
        return None
    address = request.address
    affiliate, ip = address.get("affiliate").strip(), address.get("ip").strip()
    device, agent = address.get("device"), address.get("agent").strip()
    verdict, fault = None, ""
    if address.get("test"):
        sent = [("params[offer_id]", str(offer)), ("params[pid]", affiliate), ("ip", ip), ("ua", agent or device)]
        try:
            check = request.calls.ask(click_check.check, [pair for pair in sent if pair[1]]).check
            verdict = verdict_of(check)
        except RequestError as refusal:
            fault = " ".join(sentence for each in (refusal.fields or {}).values() for sentence in each) or refusal.text
    return ClickTest(affiliate, ip, device, agent, verdict, fault)


def find_typed_test(request: PageRequest, form: AnyForm, offer: int) -> ClickTest | None:
    """Return the test of a click on what was typed of an offer; None where the person may not test clicks.

    A fault of what was typed is shown at its field of the form.
    """
    if not request.calls.may(estimates.of_click):
        return None
    affiliate, ip, device, agent = (request.field(f"test_{name}").strip() for name in _TYPED)
    verdict, fault = None, ""
    if form.is_tried:
        click = [("click_params[pid]", affiliate), ("click_ip", ip), ("click_ua", agent or device)]
        sent = [*form.pairs, *(pair for pair in click if pair[1])]
        try:
            verdict = verdict_of(request.calls.ask(estimates.of_click, sent, {"id": str(offer)}).check)
        except RequestError as refusal:
            fault = _fault_of_click(refusal)
            if not fault:
                form.refuse(refusal)
    return ClickTest(affiliate, ip, device, agent, verdict, fault)


def _fault_of_click(refusal: RequestError) -> str:
    """Return why the click was refused, "" where the fault is in what was typed of the offer."""
    if not refusal.fields:
        return refusal.text
    own = (sentences for name, sentences in refusal.fields.items() if name.startswith("click_"))
    return " ".join(sentence for sentences in own for sentence in sentences)


def verdict_of(check: click_check.ClickCheckView) -> ClickVerdict:
    """Return the result of a test click in words."""
    passed = sum(step.verdict == "passed" for step in check.steps)
    steps = gettext("%(passed)s steps passed. Nothing was recorded.", passed=passed)
    visitor = _visitor(check.visitor)
    if check.passes:
        return ClickVerdict(
            True,
            gettext("The click gets through."),
            gettext("It goes to %(target)s", target=check.target),
            visitor,
            steps,
        )
    texts = results().rejections.get(check.reason, ResultTexts(check.reason))
    detail = f" ({check.detail})" if check.detail else ""
    because = texts.text.replace("`", "").rstrip(".")
    return ClickVerdict(
        False,
        gettext("Rejected: %(because)s%(detail)s.", because=because, detail=detail),
        texts.advice.replace("`", ""),
        visitor,
        steps,
    )


def _visitor(visitor: click_check.VisitorView) -> str:
    known = [
        visitor.country or gettext("unknown country"),
        visitor.device or gettext("unknown device"),
        f"{visitor.os} {visitor.os_version}".strip() or gettext("unknown system"),
        visitor.browser,
        visitor.isp,
        visitor.connection_type,
    ]
    return gettext("Seen as %(visitor)s.", visitor=", ".join(each for each in known if each))
