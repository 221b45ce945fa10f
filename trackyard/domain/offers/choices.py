"""Closed sets of an offer's fields, as they are stored and sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

LANGUAGES: Final = ("ru", "en", "es", "ka", "vi")
"""The languages of texts (docs/spec/types.md#texts-in-several-languages)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferStatusRule:
    """The consequences of an offer status. Texts are in English.

    takes_clicks: whether clicks count, and its URL and its caps are watched.
    is_listed: whether affiliates without a connection see it, and lists have it that no status narrows.
    is_over: whether it has ended, so that postbacks make no conversions.
    label, mark: the status on pages: its name, and the name's shape and colour.
    """

    takes_clicks: bool = False
    is_listed: bool = False
    is_over: bool = False
    label: str
    mark: str


class OfferStatus(StrEnum):
    """The status of an offer. OFFER_STATUS_RULES has what follows from each."""

    ACTIVE = "active"
    STOPPED = "stopped"
    SUSPENDED = "suspended"

    @property
    def rule(self) -> OfferStatusRule:
        """Return the rule of the status."""
        return OFFER_STATUS_RULES[self]


OFFER_STATUS_RULES: Final[Mapping[OfferStatus, OfferStatusRule]] = MappingProxyType(
    {
        OfferStatus.ACTIVE: OfferStatusRule(takes_clicks=True, is_listed=True, label="Active", mark="active"),
        OfferStatus.STOPPED: OfferStatusRule(is_over=True, label="Stopped", mark="stopped"),
        OfferStatus.SUSPENDED: OfferStatusRule(label="Suspended", mark="suspended"),
    }
)
"""Every status, in the order in which pages list them."""
TAKING_CLICKS: Final = tuple(status for status, rule in OFFER_STATUS_RULES.items() if rule.takes_clicks)
TAKING_NO_CLICKS: Final = tuple(status for status, rule in OFFER_STATUS_RULES.items() if not rule.takes_clicks)
LISTED: Final = tuple(status for status, rule in OFFER_STATUS_RULES.items() if rule.is_listed)
OVER: Final = tuple(status for status, rule in OFFER_STATUS_RULES.items() if rule.is_over)


class Privacy(StrEnum):
    """The affiliates that may use an offer without a connection by staff."""

    PUBLIC = "public"
    PROTECTED = "protected"
    PRIVATE = "private"


class RedirectType(StrEnum):
    """The form of a redirect to the target (docs/spec/tracking.md#redirects)."""

    HTTP_302 = "http302"
    HTTP_302_HIDDEN = "http302hidden"
    JS = "js"
    META = "meta"


REDIRECT_MEANINGS: Final[Mapping[RedirectType, str]] = {
    RedirectType.HTTP_302: (
        "A redirect by its status. The advertiser sees the page that the visitor came from, as far as browsers show it."
    ),
    RedirectType.HTTP_302_HIDDEN: (
        "A redirect by its status with `Referrer-Policy: no-referrer`: the advertiser does not see the page that the "
        "visitor came from."
    ),
    RedirectType.JS: (
        "A page with a script that replaces itself. It passes no referrer, and browsers without scripts follow a "
        "refresh."
    ),
    RedirectType.META: "A page with a refresh in its head. It passes no referrer and needs no script.",
}
"""What each redirect type does, for the tracking reference."""


class HoldUnit(StrEnum):
    """The unit of a hold period."""

    DAYS = "days"
    HOURS = "hours"


class QualityMode(StrEnum):
    """What is done with conversions that have a suspicious signal, as one of their click."""

    COUNT = "count"
    MARK = "mark"
    HOLD = "hold"
    REJECT = "reject"


class CallMethod(StrEnum):
    """How a URL of an offer is called."""

    GET = "get"
    POST = "post"


class Freshness(StrEnum):
    """A label of how new an offer is, for people."""

    DEFAULT = "default"
    OLD = "old"
    FRESH = "fresh"
    EXCLUSIVE = "exclusive"


class ClickSigning(StrEnum):
    """The service that is meant to sign the clicks of an offer."""

    NONE = "no_sign"
    APPSFLYER = "appsflyer"
    KOCHAVA = "kochava"


class HostUniqueness(StrEnum):
    """What makes a visitor unique."""

    COOKIE = "cookie"
    SUB3 = "sub3"


class CapScope(StrEnum):
    """The way in which a cap counts values: all together, each on its own, or a list."""

    ALL = "all"
    EACH = "each"
    EXACT = "exact"


def preferred_text(texts: Mapping[str, str]) -> str:
    """Return the English text, else the Russian, else the first that is not empty."""
    return texts.get("en") or texts.get("ru") or next((text for text in texts.values() if text), "")
