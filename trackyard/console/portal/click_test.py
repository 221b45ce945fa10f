"""A test click on an affiliate's own link, in words (docs/spec/console.md#portal). It records nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trackyard.base.errors import RequestError
from trackyard.console.frame.request import PageRequest
from trackyard.domain.tracking.subs import SUBS

_TAKEN_OFF: Final = "you may not send visitors to this offer now. Ask your manager"
_TARGETING: Final = "the offer does not take {what}"
BECAUSE: Final[Mapping[str, str]] = {
    "invalid-offer": "the link names no offer",
    "unknown-offer": "the offer does not exist any more",
    "invalid-affiliate": "the link names no affiliate",
    "unknown-affiliate": "your account is not known yet. Try again in two seconds",
    "inactive-offer": "the offer takes no clicks now",
    "inactive-affiliate": "your account is not active",
    "unknown-advertiser": "the offer takes no clicks now",
    "disabled-affiliate": _TAKEN_OFF,
    "bot": "the visitor is a known bot",
    "mistargeting-ip": _TARGETING.format(what="this IP address"),
    "mistargeting-country": _TARGETING.format(what="this country"),
    "mistargeting-region": _TARGETING.format(what="this region"),
    "mistargeting-city": _TARGETING.format(what="this city"),
    "mistargeting-isp": _TARGETING.format(what="this provider"),
    "mistargeting-os": _TARGETING.format(what="this operating system"),
    "mistargeting-device": _TARGETING.format(what="this kind of device"),
    "mistargeting-browser": _TARGETING.format(what="this browser"),
    "mistargeting-brand": _TARGETING.format(what="devices of this brand"),
    "mistargeting-connection": _TARGETING.format(what="this kind of connection"),
    "mistargeting-proxy": _TARGETING.format(what="visitors behind proxies"),
    "mistargeting-sub": _TARGETING.format(what="these subs"),
    "mistargeting-sub-account": _TARGETING.format(what="these subs"),
    "empty-sub": "the offer needs a sub that the link does not have",
    "non-unique-clicks": "the offer takes each visitor once",
    "overcap": "a cap of the offer is full",
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


def find_own_test(request: PageRequest, offer: Mapping[str, Any]) -> OwnClickTest | None:
    """Return the test of the link that the address names; None where the affiliate may not test clicks."""
    if not request.calls.may("partner.offer.click-check"):
        return None
    address = request.address
    ip = address.get("ip").strip() or request.client
    agent = address.get("agent").strip() or request.user_agent
    if not address.get("test"):
        return OwnClickTest(ip, agent)
    named = [(f"params[{name}]", address.get(name).strip()) for name in SUBS]
    sent = [*named, ("params[l]", address.get("landing")), ("ip", ip), ("ua", agent)]
    try:
        asked = [pair for pair in sent if pair[1]]
        check = request.calls.call("partner.offer.click-check", asked, {"id": str(offer["id"])})["check"]
    except RequestError as refusal:
        fault = " ".join(each for several in (refusal.fields or {}).values() for each in several) or refusal.text
        return OwnClickTest(ip, agent, fault=fault)
    sentence = "The click gets through." if check["passes"] else f"The click is rejected: {BECAUSE[check['reason']]}."
    goes = f"goes to {check['target']} ." if check["target"] else "sees a page without the offer."
    return OwnClickTest(ip, agent, check["passes"], sentence, f"The visitor {goes} {_seen_as(check['visitor'])}")


def _seen_as(visitor: Mapping[str, Any]) -> str:
    system = f"{visitor['os']} {visitor['os_version']}".strip()
    known = (visitor["country"] or "unknown country", visitor["device"], system, visitor["browser"], visitor["isp"])
    return f"Seen as {', '.join(each for each in known if each)}. Nothing was recorded."
