"""A test click on an affiliate's own link, in words (docs/spec/console.md#portal). It records nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.offers.view_affiliate import AffiliateOfferView
from trackyard.api.tracking import click_check
from trackyard.api.tracking.click_check import VisitorView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.request import PageRequest
from trackyard.domain.tracking.subs import SUBS

_TAKEN_OFF: Final = lazy_gettext("you may not send visitors to this offer now. Ask your manager")
_NO_CLICKS: Final = lazy_gettext("the offer takes no clicks now")
_SUBS: Final = lazy_gettext("the offer does not take these subs")
BECAUSE: Final[Mapping[str, str]] = {
    "invalid-offer": lazy_gettext("the link names no offer"),
    "unknown-offer": lazy_gettext("the offer does not exist any more"),
    "invalid-affiliate": lazy_gettext("the link names no affiliate"),
    "unknown-affiliate": lazy_gettext("your account is not known yet. Try again in two seconds"),
    "inactive-offer": _NO_CLICKS,
    "inactive-affiliate": lazy_gettext("your account is not active"),
    "unknown-advertiser": _NO_CLICKS,
    "disabled-affiliate": _TAKEN_OFF,
    "bot": lazy_gettext("the visitor is a known bot"),
    "mistargeting-ip": lazy_gettext("the offer does not take this IP address"),
    "mistargeting-country": lazy_gettext("the offer does not take this country"),
    "mistargeting-region": lazy_gettext("the offer does not take this region"),
    "mistargeting-city": lazy_gettext("the offer does not take this city"),
    "mistargeting-zip": lazy_gettext("the offer does not take this postal code"),
    "mistargeting-isp": lazy_gettext("the offer does not take this provider"),
    "mistargeting-organization": lazy_gettext("the offer does not take networks of this organization"),
    "mistargeting-os": lazy_gettext("the offer does not take this operating system"),
    "mistargeting-device": lazy_gettext("the offer does not take this kind of device"),
    "mistargeting-model": lazy_gettext("the offer does not take this model of device"),
    "mistargeting-browser": lazy_gettext("the offer does not take this browser"),
    "mistargeting-browser-version": lazy_gettext("the offer does not take this version of the browser"),
    "mistargeting-brand": lazy_gettext("the offer does not take devices of this brand"),
    "mistargeting-connection": lazy_gettext("the offer does not take this kind of connection"),
    "mistargeting-proxy": lazy_gettext("the offer does not take visitors behind proxies"),
    "mistargeting-known-bot": lazy_gettext("the visitor is a known bot"),
    "mistargeting-referrer": lazy_gettext("the offer does not take visitors from this page"),
    "mistargeting-ua": lazy_gettext("the offer does not take this user agent"),
    "mistargeting-sub": _SUBS,
    "mistargeting-sub-account": _SUBS,
    "empty-sub": lazy_gettext("the offer needs a sub that the link does not have"),
    "non-unique-clicks": lazy_gettext("the offer takes each visitor once"),
    "duplicate-clicks": lazy_gettext("the visitor clicked too often on this day"),
    "overcap": lazy_gettext("a cap of the offer is full"),
}
"""Reason to what completes `Rejected: …`. It says nothing about the advertiser, nor what decided."""


@dataclass(frozen=True, slots=True)
class OwnClickTest:
    """The form of a test click with what was typed.

    sentence: the result, "" before it was sent. more: where the visitor goes, and as what it was seen.
    fault: why there is no result.
    """

    ip: str
    agent: str
    passes: bool = False
    sentence: str = ""
    more: str = ""
    fault: str = ""


def find_own_test(request: PageRequest, offer: AffiliateOfferView) -> OwnClickTest | None:
    """Return the test of the link that the address names; None where the affiliate may not test clicks."""
    if not request.calls.may(click_check.check_own):
        return None
    address = request.address
    ip = address.get("ip").strip() or request.client
    agent = address.get("agent").strip() or request.user_agent
    return _tested(request, offer, ip, agent) if address.get("test") else OwnClickTest(ip, agent)


def test_own_link(request: PageRequest, offer: AffiliateOfferView) -> OwnClickTest | None:
    """Return the test of the link that the address names, as the person itself would click it.

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
        fault = " ".join(each for several in (refusal.fields or {}).values() for each in several) or refusal.text
        return OwnClickTest(ip, agent, fault=fault)
    if check.passes:
        sentence = gettext("The click gets through.")
    else:
        sentence = gettext("The click is rejected: %(reason)s.", reason=BECAUSE[check.reason])
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
