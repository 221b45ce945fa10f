"""Why clicks are rejected and conversions are declined, in the words of pages, and what mends it.

The tracking reference has the same reasons in the words of the API (docs/tracking/clicks.md).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.offers_shown.choices import country_names
from trackyard.domain.tracking.reference.texts import reference_texts


class Mend(StrEnum):
    """A button of a page that explains a result."""

    OFFER = "offer"
    ACTIVATE_OFFER = "activate offer"
    CONNECT = "connect"
    AFFILIATE = "affiliate"
    ADVERTISER = "advertiser"
    TEST = "test"
    HEALTH = "health"
    CONFIRM = "confirm"


@dataclass(frozen=True, slots=True)
class ReasonWords:
    """A reason.

    because: completes `Rejected because …` or `Declined because …`; {value} is what decided.
    advice: what mends it.
    mends: the buttons, the first one is the usual one.
    """

    because: str
    advice: str
    mends: tuple[Mend, ...]


_OFFER_TEST: Final = (Mend.OFFER, Mend.TEST)
REJECTIONS: Final[Mapping[str, ReasonWords]] = {
    "invalid-offer": ReasonWords(
        lazy_gettext("its link names no offer: {value} is not the number of one"),
        lazy_gettext("Correct the link. A macro of the traffic source that was not replaced ends here too."),
        (Mend.AFFILIATE,),
    ),
    "unknown-offer": ReasonWords(
        lazy_gettext("no offer {value} exists"),
        lazy_gettext("Look the number up in the list of offers. Give a SmartLink at least one offer."),
        (Mend.AFFILIATE,),
    ),
    "invalid-affiliate": ReasonWords(
        lazy_gettext("its link names no affiliate: {value} is not the number of one"),
        lazy_gettext("Correct the link: pid is the number of the affiliate, not its name."),
        (Mend.OFFER,),
    ),
    "unknown-affiliate": ReasonWords(
        lazy_gettext("no affiliate {value} exists"),
        lazy_gettext("Look the number up in the list of affiliates and correct the link."),
        (Mend.OFFER,),
    ),
    "inactive-offer": ReasonWords(
        lazy_gettext("the offer took no clicks at that time: {value}"),
        lazy_gettext("Activate the offer, or change its dates and its schedule."),
        (Mend.ACTIVATE_OFFER, Mend.OFFER, Mend.TEST),
    ),
    "inactive-affiliate": ReasonWords(
        lazy_gettext("the affiliate was not active"),
        lazy_gettext("Approve or activate the affiliate. Its clicks count from then on."),
        (Mend.AFFILIATE,),
    ),
    "unknown-advertiser": ReasonWords(
        lazy_gettext("the advertiser of the offer does not exist any more"),
        lazy_gettext("Give the offer another advertiser."),
        (Mend.OFFER,),
    ),
    "disabled-affiliate": ReasonWords(
        lazy_gettext("the affiliate may not use the offer: {value}"),
        lazy_gettext(
            "Connect the affiliate to the offer. If it is on the advertiser's blacklist, remove it there first."
        ),
        (Mend.CONNECT, Mend.AFFILIATE, Mend.OFFER),
    ),
    "bot": ReasonWords(
        lazy_gettext("it was a known bot, or a browser that loads pages ahead of its user"),
        lazy_gettext("Nothing, for real bots. A monitor of your own needs another user agent."),
        (Mend.OFFER,),
    ),
    "mistargeting-ip": ReasonWords(
        lazy_gettext("the offer does not take the visitor's address {value}"),
        lazy_gettext("Change the addresses of targeting. If all visitors share an address, check the trusted proxies."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-country": ReasonWords(
        lazy_gettext("the visitor was in {value}, and the offer does not take that country"),
        lazy_gettext("Allow the country, or give the offer a trafficback URL for such visitors."),
        _OFFER_TEST,
    ),
    "mistargeting-region": ReasonWords(
        lazy_gettext("the visitor's region was {value}, and the offer does not take it"),
        lazy_gettext("Allow the region. Regions are known only with a city database."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-city": ReasonWords(
        lazy_gettext("the visitor's city was {value}, and the offer does not take it"),
        lazy_gettext("Allow the city. Cities are known only with a city database."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-zip": ReasonWords(
        lazy_gettext("the visitor's postal code was {value}, and the offer does not take it"),
        lazy_gettext("Allow the postal code. Postal codes are known only with a city database that has them."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-isp": ReasonWords(
        lazy_gettext("the visitor's provider was {value}, and the offer does not take it"),
        lazy_gettext("Allow the provider. Providers are known only with a provider database."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-organization": ReasonWords(
        lazy_gettext("the visitor's network belongs to {value}, and the offer does not take it"),
        lazy_gettext("Allow the organization. Organizations are known only with a provider database."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-os": ReasonWords(
        lazy_gettext("the visitor's system was {value}, and the offer does not take it"),
        lazy_gettext("Allow the system or its version."),
        _OFFER_TEST,
    ),
    "mistargeting-device": ReasonWords(
        lazy_gettext("the visitor's device was {value}, and the offer does not take it"),
        lazy_gettext("Allow the device, or give the offer a trafficback URL for such visitors."),
        _OFFER_TEST,
    ),
    "mistargeting-model": ReasonWords(
        lazy_gettext("the visitor's device was a {value}, and the offer does not take that model"),
        lazy_gettext("Allow the model. Desktop browsers have none."),
        _OFFER_TEST,
    ),
    "mistargeting-browser": ReasonWords(
        lazy_gettext("the visitor's browser was {value}, and the offer does not take it"),
        lazy_gettext("Allow the browser. Browsers inside apps have names of their own."),
        _OFFER_TEST,
    ),
    "mistargeting-browser-version": ReasonWords(
        lazy_gettext("the visitor's browser was {value}, and the offer does not take that version"),
        lazy_gettext("Allow the browser or its version."),
        _OFFER_TEST,
    ),
    "mistargeting-brand": ReasonWords(
        lazy_gettext("the visitor's device was made by {value}, and the offer does not take that brand"),
        lazy_gettext("Allow the brand. Desktop browsers have none."),
        _OFFER_TEST,
    ),
    "mistargeting-connection": ReasonWords(
        lazy_gettext("the visitor's connection was {value}, and the offer does not take it"),
        lazy_gettext("Allow the connection. Connections are known only with a connection database."),
        (*_OFFER_TEST, Mend.HEALTH),
    ),
    "mistargeting-proxy": ReasonWords(
        lazy_gettext("the visitor came through a proxy, a VPN or a data center"),
        lazy_gettext("Nothing, for real proxies. A server that reports clicks must send the visitor's address."),
        _OFFER_TEST,
    ),
    "mistargeting-known-bot": ReasonWords(
        lazy_gettext("it was a known bot, and the offer takes none"),
        lazy_gettext("Nothing, for real bots. A monitor of your own needs another user agent."),
        _OFFER_TEST,
    ),
    "mistargeting-referrer": ReasonWords(
        lazy_gettext("the visitor came from {value}, and the offer does not take that page"),
        lazy_gettext("Change the referrers of targeting. Many browsers and apps send none, or only the host."),
        _OFFER_TEST,
    ),
    "mistargeting-ua": ReasonWords(
        lazy_gettext("the user agent was {value}, and the offer does not take it"),
        lazy_gettext("Change the user agents of targeting."),
        _OFFER_TEST,
    ),
    "mistargeting-sub": ReasonWords(
        lazy_gettext("the offer does not take these subs: {value}"),
        lazy_gettext("Compare the subs with the rules of the offer. They compare exactly, upper and lower case too."),
        _OFFER_TEST,
    ),
    "mistargeting-sub-account": ReasonWords(
        lazy_gettext("the sub account is not allowed: {value}"),
        lazy_gettext("Add the value to the lists of the offer and of its advertiser. Both apply."),
        (Mend.OFFER, Mend.ADVERTISER, Mend.TEST),
    ),
    "empty-sub": ReasonWords(
        lazy_gettext("the link lacks a sub that the offer needs: {value}"),
        lazy_gettext(
            "Add the sub to the link. A macro of the traffic source that gives nothing arrives as an empty value."
        ),
        (Mend.AFFILIATE, Mend.OFFER),
    ),
    "non-unique-clicks": ReasonWords(
        lazy_gettext("the offer takes each visitor once in 24 hours, and this one had been there"),
        lazy_gettext("Nothing, for real visitors. A test click on the page of the offer is not counted."),
        _OFFER_TEST,
    ),
    "duplicate-clicks": ReasonWords(
        lazy_gettext("the visitor clicked on the offer more often on one day than it takes"),
        lazy_gettext("Raise the threshold of the offer, or set it to 0."),
        _OFFER_TEST,
    ),
    "overcap": ReasonWords(
        lazy_gettext("a cap of the offer was full: {value}"),
        lazy_gettext("Raise the cap, or wait for its next period."),
        _OFFER_TEST,
    ),
}
"""Every rejection reason of clicks."""

_CONFIRM: Final = (Mend.CONFIRM,)
DECLINES: Final[Mapping[str, ReasonWords]] = {
    "Suspicious traffic": ReasonWords(
        lazy_gettext("it or its click has a suspicious signal, and the offer declines those"),
        lazy_gettext("Confirm it if the traffic is good, or change what the offer does with suspicious traffic."),
        (Mend.CONFIRM, Mend.OFFER),
    ),
    "Partner is banned": ReasonWords(
        lazy_gettext("the affiliate was banned"),
        lazy_gettext("Lift the ban first; then the conversion can be confirmed."),
        (Mend.AFFILIATE,),
    ),
    "Partner is disabled": ReasonWords(
        lazy_gettext("the affiliate was not active"),
        lazy_gettext("Activate the affiliate first; then the conversion can be confirmed."),
        (Mend.AFFILIATE, Mend.CONFIRM),
    ),
    "Click session lifespan is expired": ReasonWords(
        lazy_gettext("it came {value} after its click, later than the offer allows"),
        lazy_gettext("Raise the click session of the offer, or ask the advertiser to report earlier."),
        (Mend.CONFIRM, Mend.OFFER),
    ),
    "Min click session lifespan is not reached": ReasonWords(
        lazy_gettext("it came {value} after its click, sooner than the offer allows"),
        lazy_gettext(
            "Lower the shortest click session of the offer. Tests by hand are often faster than real customers."
        ),
        (Mend.CONFIRM, Mend.OFFER),
    ),
    "Repeated conversion": ReasonWords(
        lazy_gettext("the offer pays a click once for each goal, and this click was paid"),
        lazy_gettext("Nothing for a repeat. Confirm it if it is a second sale."),
        _CONFIRM,
    ),
    "IP duplicate": ReasonWords(
        lazy_gettext("the offer pays an address once for each goal, and this address was paid"),
        lazy_gettext("Nothing for a repeat. Confirm it if it is another customer."),
        _CONFIRM,
    ),
    "Payments not found": ReasonWords(
        lazy_gettext("the offer has no payment for this goal, place, device and sub"),
        lazy_gettext(
            "Add a payment for the goal that the advertiser reports, then set the amounts of this conversion."
        ),
        (Mend.OFFER,),
    ),
    "Cap is reached": ReasonWords(
        lazy_gettext("a cap of the offer was full"),
        lazy_gettext("Raise the cap, or confirm the conversion: a change by hand is never declined by a cap."),
        (Mend.CONFIRM, Mend.OFFER),
    ),
}
"""Every decline reason, by the comment that it leaves."""


_FAILURE: Final = re.compile(r"\w+ (?P<value>.+) is (?:denied|not allowed)")
"""The detail of a check of targeting: what it is, its value, and that it does not fit."""


def rejection_label(reason: str) -> str:
    """Return the short name of a rejection reason."""
    found = reference_texts("results")["rejections"].get(reason)
    label: str = found["label"] if found else reason
    return gettext(label)


def rejection_sentence(reason: str, detail: str) -> str:
    """Return why a click was rejected.

    detail: as it was recorded, such as `group 1: country PT is not allowed`.
    """
    words = REJECTIONS.get(reason)
    if words is None:  # an older record
        return gettext("Rejected: %(reason)s.", reason=reason)
    value = detail.partition(": ")[2] if detail.startswith("group ") else detail
    if found := _FAILURE.fullmatch(value):
        value = value[: found.end("value")] if reason == "mistargeting-sub" else found["value"]
    if value == "(unknown)":
        value = gettext("unknown")
    if reason == "mistargeting-country":
        value = dict(country_names()).get(value, value)
    return gettext("Rejected because %(value)s.", value=words.because.format(value=value or gettext("unknown")))


def decline_sentence(comment: str, lasted: str) -> str | None:
    """Return why a conversion was declined on arrival; None for other comments.

    lasted: from click to conversion.
    """
    words = DECLINES.get(comment)
    return (
        None
        if words is None
        else gettext("Declined because %(value)s.", value=words.because.format(value=lasted or gettext("some time")))
    )
