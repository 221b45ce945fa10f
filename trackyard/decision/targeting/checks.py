"""Properties that a click must have, one class each.

See docs/spec/tracking.md#restrictions-and-targeting-groups.

Deny wins over allow; an empty allow allows all; an unknown property fails an allow list and passes a deny list. A check
is compiled once and runs at every click of the offer.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from trackyard.decision.click.hit import Hit
from trackyard.decision.targeting.ip_lists import AddressSet
from trackyard.decision.targeting.texts import TextMatch
from trackyard.decision.targeting.versions import VersionSet
from trackyard.domain.tracking.subs import SUBS as NAMES

SUBS: Final = ("", *NAMES)
"""Parameters by the number of their sub."""

NamedVersions = Mapping[str, VersionSet | None]
"""Versions by the lower-case name of a system or browser; None = all."""

EMPTY_WORDS: Final[frozenset[str]] = frozenset()

EMPTY: Final = "(empty)"
"""An empty value in words."""
_NO_VERSION: Final = "(unknown version)"


class TargetingCheck:
    """A property that a click must have. A click without it is rejected for `reason`."""

    __slots__ = ()
    reason: ClassVar[str] = ""

    def passes(self, hit: Hit) -> bool:
        """Return whether the click has the property."""
        raise NotImplementedError

    def detail(self, hit: Hit) -> str:
        """Return why a click does not pass, in words; as long as the text of the visitor."""
        raise NotImplementedError

    def admits(self, word: str) -> bool:
        """Return whether clicks with a word may pass; clicks do not ask this."""
        raise NotImplementedError


class IpCheck(TargetingCheck):
    """Addresses. None = no list."""

    __slots__ = ("_allow", "_deny")
    reason = "mistargeting-ip"

    def __init__(self, allow: AddressSet | None, deny: AddressSet | None) -> None:
        self._allow = allow
        self._deny = deny

    def passes(self, hit: Hit) -> bool:
        if self._deny is not None and self._deny.contains(hit.ip):
            return False
        return self._allow is None or self._allow.contains(hit.ip)

    def detail(self, hit: Hit) -> str:
        return describe_failure("IP address", hit.ip, self._deny is not None and self._deny.contains(hit.ip))


class Ipv6Check(TargetingCheck):
    """No address of IPv6."""

    __slots__ = ()
    reason = "mistargeting-ip"

    def passes(self, hit: Hit) -> bool:
        return ":" not in hit.ip

    def detail(self, hit: Hit) -> str:
        return describe_failure("IP address", hit.ip, True)


class WordCheck(TargetingCheck):
    """A property that is one word, lower-case in both lists."""

    __slots__ = ("_allow", "_deny")
    noun: ClassVar[str] = ""

    def __init__(self, allow: frozenset[str], deny: frozenset[str] = EMPTY_WORDS) -> None:
        self._allow = allow
        self._deny = deny

    def text_of(self, hit: Hit) -> str:
        """Return the word of a click as written; "" = unknown."""
        raise NotImplementedError

    def passes(self, hit: Hit) -> bool:
        word = self.text_of(hit).casefold()
        return word not in self._deny and (not self._allow or word in self._allow)

    def admits(self, word: str) -> bool:
        folded = word.casefold()
        return folded not in self._deny and (not self._allow or folded in self._allow)

    def detail(self, hit: Hit) -> str:
        word = self.text_of(hit)
        return describe_failure(self.noun, word, word.casefold() in self._deny)


class CountryCheck(WordCheck):
    """Country codes in upper case, as geo records have them: no folding at each click."""

    __slots__ = ()
    reason = "mistargeting-country"

    def passes(self, hit: Hit) -> bool:
        country = hit.country
        return country not in self._deny and (not self._allow or country in self._allow)

    def admits(self, word: str) -> bool:
        return word not in self._deny and (not self._allow or word in self._allow)

    def detail(self, hit: Hit) -> str:
        return describe_failure("country", hit.country, hit.country in self._deny)


class PlaceCheck(TargetingCheck):
    """A check of the GeoNames id of a click. All places of a country that is allowed as a whole pass."""

    __slots__ = ("_allow", "_deny", "_whole_countries")
    noun: ClassVar[str] = ""

    def __init__(self, allow: frozenset[int], whole_countries: frozenset[str], deny: frozenset[int]) -> None:
        self._allow = allow
        self._whole_countries = whole_countries
        self._deny = deny

    def number(self, hit: Hit) -> int:
        """Return the id of the place of a click; 0 = unknown."""
        raise NotImplementedError

    def passes(self, hit: Hit) -> bool:
        number = self.number(hit)
        if number in self._deny:
            return False
        return not self._allow or number in self._allow or hit.country in self._whole_countries

    @property
    def is_open(self) -> bool:
        """Return whether it takes places of every country."""
        return not self._allow

    def detail(self, hit: Hit) -> str:
        number = self.number(hit)
        return describe_failure(self.noun, self.name(hit) or str(number or ""), number in self._deny)

    def name(self, hit: Hit) -> str:
        """Return the name of the place of a click; "" = unknown."""
        return ""


class RegionCheck(PlaceCheck):
    """Regions."""

    __slots__ = ()
    reason = "mistargeting-region"
    noun = "region"

    def number(self, hit: Hit) -> int:
        return hit.place.region_id


class CityCheck(PlaceCheck):
    """Cities."""

    __slots__ = ()
    reason = "mistargeting-city"
    noun = "city"

    def number(self, hit: Hit) -> int:
        return hit.place.city_id

    def name(self, hit: Hit) -> str:
        return hit.place.city


class IspCheck(TargetingCheck):
    """Providers by country and lower-case name.

    Country "" = in any country. Every provider of a whole country is allowed.
    """

    __slots__ = ("_allow", "_whole_countries")
    reason = "mistargeting-isp"

    def __init__(self, allow: frozenset[tuple[str, str]], whole_countries: frozenset[str] = EMPTY_WORDS) -> None:
        self._allow = allow
        self._whole_countries = whole_countries

    def passes(self, hit: Hit) -> bool:
        name = hit.place.isp.casefold()
        return (hit.country, name) in self._allow or ("", name) in self._allow or hit.country in self._whole_countries

    def detail(self, hit: Hit) -> str:
        return describe_failure("provider", hit.place.isp, False)


class OsCheck(TargetingCheck):
    """Operating systems. denies: the listed systems are rejected instead of accepted."""

    __slots__ = ("_denies", "_named")
    reason = "mistargeting-os"

    def __init__(self, named: NamedVersions, denies: bool = False) -> None:
        self._named = named
        self._denies = denies

    def passes(self, hit: Hit) -> bool:
        name = hit.parsed.system
        if name not in self._named:
            return self._denies
        versions = self._named[name]
        return (versions is None or versions.contains(hit.agent.os_version)) is not self._denies

    def admits(self, word: str) -> bool:
        name = word.casefold()
        if name not in self._named:
            return self._denies
        return not self._denies or self._named[name] is not None

    def detail(self, hit: Hit) -> str:
        system = hit.agent.os
        if system.casefold() in self._named:
            system = f"{system} {hit.agent.os_version or _NO_VERSION}"
        return describe_failure("system", system, self._denies)


class BrowserVersionCheck(TargetingCheck):
    """Browsers with versions."""

    __slots__ = ("_allow", "_deny")
    reason = "mistargeting-browser-version"

    def __init__(self, allow: NamedVersions, deny: NamedVersions) -> None:
        self._allow = allow
        self._deny = deny

    def passes(self, hit: Hit) -> bool:
        return not self._is_in(hit, self._deny) and (not self._allow or self._is_in(hit, self._allow))

    def _is_in(self, hit: Hit, named: NamedVersions) -> bool:
        name = hit.agent.browser.casefold()
        if name not in named:
            return False
        versions = named[name]
        return versions is None or versions.contains(hit.agent.browser_version)

    def detail(self, hit: Hit) -> str:
        browser = hit.agent.browser
        if browser.casefold() in self._allow or browser.casefold() in self._deny:
            browser = f"{browser} {hit.agent.browser_version or _NO_VERSION}"
        return describe_failure("browser", browser, self._is_in(hit, self._deny))


class DeviceCheck(WordCheck):
    """Kinds of devices."""

    __slots__ = ()
    reason = "mistargeting-device"
    noun = "device"

    def text_of(self, hit: Hit) -> str:
        return hit.agent.device


class BrowserCheck(WordCheck):
    """Browsers."""

    __slots__ = ()
    reason = "mistargeting-browser"
    noun = "browser"

    def text_of(self, hit: Hit) -> str:
        return hit.agent.browser


class BrandCheck(WordCheck):
    """Makers of devices."""

    __slots__ = ()
    reason = "mistargeting-brand"
    noun = "brand"

    def text_of(self, hit: Hit) -> str:
        return hit.agent.brand


class ConnectionCheck(WordCheck):
    """Kinds of connections."""

    __slots__ = ()
    reason = "mistargeting-connection"
    noun = "connection"

    def text_of(self, hit: Hit) -> str:
        return hit.place.connection


class ModelCheck(WordCheck):
    """Models of devices."""

    __slots__ = ()
    reason = "mistargeting-model"
    noun = "model"

    def text_of(self, hit: Hit) -> str:
        return hit.agent.device_model


class ZipCheck(WordCheck):
    """Postal codes."""

    __slots__ = ()
    reason = "mistargeting-zip"
    noun = "postal code"

    def text_of(self, hit: Hit) -> str:
        return hit.place.zip


class OrganizationCheck(WordCheck):
    """Organizations of networks."""

    __slots__ = ()
    reason = "mistargeting-organization"
    noun = "organization"

    def text_of(self, hit: Hit) -> str:
        return hit.place.organization


class TextCheck(TargetingCheck):
    """Parts or expressions of a text that the browser sends. None = no list."""

    __slots__ = ("_allow", "_deny", "_deny_empty")
    noun: ClassVar[str] = ""

    def __init__(self, allow: TextMatch | None, deny: TextMatch | None, deny_empty: bool) -> None:
        self._allow = allow
        self._deny = deny
        self._deny_empty = deny_empty

    def text(self, hit: Hit) -> str:
        """Return the text of a click."""
        raise NotImplementedError

    def passes(self, hit: Hit) -> bool:
        text = self.text(hit)
        if not text:
            return not self._deny_empty and self._allow is None
        if self._deny is not None and self._deny(text):
            return False
        return self._allow is None or self._allow(text)

    def detail(self, hit: Hit) -> str:
        text = self.text(hit)
        denied = self._deny(text) if text and self._deny is not None else not text and self._deny_empty
        return describe_failure(self.noun, text or EMPTY, denied)


class ReferrerCheck(TextCheck):
    """Pages that visitors come from."""

    __slots__ = ()
    reason = "mistargeting-referrer"
    noun = "referrer"

    def text(self, hit: Hit) -> str:
        return hit.referrer


class AgentCheck(TextCheck):
    """User agents."""

    __slots__ = ()
    reason = "mistargeting-ua"
    noun = "user agent"

    def text(self, hit: Hit) -> str:
        return hit.ua


class CrawlerCheck(TargetingCheck):
    """No user agent of a known bot."""

    __slots__ = ()
    reason = "mistargeting-ua"

    def passes(self, hit: Hit) -> bool:
        return not hit.parsed.bot

    def detail(self, hit: Hit) -> str:
        return "the user agent belongs to a bot"


class KnownBotCheck(CrawlerCheck):
    """No known bot."""

    __slots__ = ()
    reason = "mistargeting-known-bot"


class ProxyCheck(TargetingCheck):
    """No address of a proxy."""

    __slots__ = ()
    reason = "mistargeting-proxy"

    def passes(self, hit: Hit) -> bool:
        return not hit.place.proxy

    def detail(self, hit: Hit) -> str:
        return f"IP address {hit.ip} is a proxy"


def describe_failure(noun: str, value: str, denied: bool) -> str:
    """Return why a value is rejected, in words."""
    return f"{noun} {value or '(unknown)'} is {'denied' if denied else 'not allowed'}"
