"""A test click on an affiliate's own link, in words (docs/spec/console.md#portal). It records nothing."""

from dataclasses import dataclass

from trackyard.api.offers.view_affiliate import AffiliateOfferView
from trackyard.api.tracking import click_check
from trackyard.api.tracking.click_check import VisitorView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.words import sentences_of
from trackyard.domain.tracking.reference.results import results
from trackyard.domain.tracking.subs import SUBS


@dataclass(frozen=True, slots=True)
class OwnClickTest:
    """The form of a test click with the typed values.

    sentence: the result, "" before the test. more: where the visitor goes, and the detected country and device.
    fault: the error that prevents a result.
    """

    ip: str
    agent: str
    passes: bool = False
    sentence: str = ""
    more: str = ""
    fault: str = ""


def find_own_test(request: PageRequest, offer: AffiliateOfferView) -> OwnClickTest | None:
    """Return the test of the link in the address; None where the affiliate may not test clicks."""
    if not request.calls.may(click_check.check_own):
        return None
    address = request.address
    ip = address.get("ip").strip() or request.client
    agent = address.get("agent").strip() or request.user_agent
    return _tested(request, offer, ip, agent) if address.get("test") else OwnClickTest(ip, agent)


def test_own_link(request: PageRequest, offer: AffiliateOfferView) -> OwnClickTest | None:
    """Return the test of the link in the address, with the person's own IP address and browser.

    None where the affiliate may not test clicks.
    """
    if not request.calls.may(click_check.check_own):
        return None
    return _tested(request, offer, request.client, request.user_agent)


def _tested(request: PageRequest, offer: AffiliateOfferView, ip: str, agent: str) -> OwnClickTest:
    address = request.address
    named = [(f"params[{name}]", address.get(name).strip()) for name in SUBS]
    sent = [*named, ("params[l]", address.get("landing")), ("ip", ip), ("ua", agent)]
    try:
        asked = [pair for pair in sent if pair[1]]
        check = request.calls.ask(click_check.check_own, asked, {"id": str(offer.id)}).check
    except RequestError as refusal:
        return OwnClickTest(ip, agent, fault=sentences_of(refusal))
    if check.passes:
        sentence = gettext("The click gets through.")
    else:
        found = results().rejections[check.reason]
        sentence = gettext("The click is rejected: %(reason)s.", reason=gettext(found.portal))
    goes = gettext("The visitor sees a page without the offer.")
    if check.target:
        goes = gettext("The visitor goes to %(address)s .", address=check.target)
    return OwnClickTest(ip, agent, check.passes, sentence, f"{goes} {_seen_as(check.visitor)}")


def _seen_as(visitor: VisitorView) -> str:
    system = f"{visitor.os} {visitor.os_version}".strip()
    known = (
        visitor.country or gettext("unknown country"),
        visitor.device,
        system,
        visitor.browser,
        visitor.isp,
    )
    seen = ", ".join(each for each in known if each)
    return gettext("Seen as %(visitor)s. Nothing was recorded.", visitor=seen)
