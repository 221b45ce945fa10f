"""The visitor of a click: geo record, system, browser, device, bot.

Both look-ups have bounded caches: few user agents make most of the traffic.
"""

import re
from hashlib import blake2b
from typing import Final

import msgspec
from ua_parser import Domain, PartialResult
from ua_parser.loaders import load_lazy_builtins
from ua_parser.regex import Resolver

from trackyard.decision.target.json_text import quoted
from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.visitor.bots import agent_signals, is_bot
from trackyard.decision.visitor.cache import BoundedCache
from trackyard.decision.visitor.client_hints import ClientHints, RawHints
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.decision.visitor.geo import GeoLookup
from trackyard.domain.statistics.click_columns import Source, columns_from
from trackyard.domain.tracking.macros import encode_value

BOT: Final = "bot"
"""The device of an agent that is a bot."""


class Agent(msgspec.Struct, frozen=True, gc=False):
    """The facts of a user agent; "" = unknown. device: one of DEVICES, or bot."""

    os: str = ""
    os_version: str = ""
    browser: str = ""
    browser_version: str = ""
    device: str = ""
    brand: str = ""
    device_model: str = ""


_AGENT_COLUMNS: Final = columns_from(Source.AGENT)


VisitorKey = tuple[int, int]
"""A visitor as the numbers of its address and of its user agent or ADDRESS_ONLY."""

ADDRESS_ONLY: Final = -1
"""The second number of a visitor by address alone, for uniqIpOnly; no fingerprint is negative."""

BY_SUB: Final = -3
"""The second number of a visitor by a sub, for host_uniqueness_type sub3. Python's hash of -2 equals the hash of -1."""

_FIRST_COUNTED: Final = -4


class ParsedAgent:
    """A parsed user agent.

    ua: as it was sent
    system: the operating system in lower case; `os`: the same as a value in a URL
    columns: the user agent and its parts as columns of a record
    origin: its signals (docs/spec/quality.md#signals)
    fingerprint: see `agent_fingerprint`
    """

    __slots__ = ("agent", "bot", "columns", "fingerprint", "origin", "os", "system", "ua")

    def __init__(self, ua: str, agent: Agent) -> None:
        self.ua = ua
        self.agent = agent
        self.bot = agent.device == BOT
        self.origin = agent_signals(ua, self.bot)
        self.system = agent.os.casefold()
        self.os = encode_value(agent.os)
        self.columns = agent_columns(ua, agent)
        self.fingerprint = agent_fingerprint(ua)


def agent_columns(ua: str, agent: Agent) -> str:
    """Return a user agent and its facts as columns of a click, JSON."""
    return ",".join([quoted(ua if name == "ua" else getattr(agent, name)) for name in _AGENT_COLUMNS])


def visitor_key(ip: str, ua: str) -> VisitorKey:
    """Return the key of the visitor with an address and a user agent."""
    return address_number(ip), agent_fingerprint(ua)


def sub_visitor(sub: str) -> VisitorKey:
    """Return the key of the visitor with a sub."""
    return agent_fingerprint(sub), BY_SUB


def counted_visitors(visitor: VisitorKey, clicks: int) -> list[VisitorKey]:
    """Return a key for each unique click that a visitor may have.

    Of several the second number is negative: no cookie belongs to them.
    """
    if clicks == 1:
        return [visitor]
    return [(visitor[0], _FIRST_COUNTED - abs(hash((visitor[1], number)))) for number in range(clicks)]


def agent_fingerprint(ua: str) -> int:
    """Return a number of a user agent or another text; two share it with a probability of 1e-17."""
    return int.from_bytes(blake2b(ua.encode("utf-8", "replace"), digest_size=7).digest(), "big")


class VisitorLookup:
    """Look-ups of addresses and user agents."""

    def __init__(
        self, databases: AddressDatabases | None = None, *, addresses: int = 4_000, agents: int = 5_000
    ) -> None:
        self._places = GeoLookup(databases or AddressDatabases(), cache_size=addresses)
        self._resolve = Resolver(load_lazy_builtins())
        self._agents: BoundedCache[str | tuple[str, RawHints], ParsedAgent] = BoundedCache(agents)
        self.agent("")  # builds the lazy parts before the first visitor comes
        self.find_geo = self._places.find
        self.place = self._places.place
        """Returns the record of an address; the argument must be an address or ""."""
        self.refresh = self._places.refresh
        """Opens databases that were replaced; may run during look-ups."""

    def agent(self, ua: str, hints: RawHints | None = None) -> Agent:
        """Return the facts of a user agent and of its client hints."""
        return self.read(ua, hints).agent

    def read(self, ua: str, hints: RawHints | None = None) -> ParsedAgent:
        """Return the parsed user agent, cached."""
        key = ua if hints is None else (ua, hints)
        found = self._agents.find(key)
        if found is None:
            found = ParsedAgent(ua, self._read(ua, None if hints is None else ClientHints(hints)))
            self._agents.add(key, found)
        return found

    def _read(self, ua: str, hints: ClientHints | None) -> Agent:
        described = ua if hints is None else hints.with_client_hints(ua)
        found = read_agent(described, self._resolve(described, Domain.ALL))
        return found if hints is None or found.device == BOT else _apply_hints(found, hints)

    def close(self) -> None:
        self._places.close()


def _apply_hints(agent: Agent, hints: ClientHints) -> Agent:
    """Return an agent with the facts of its hints added."""
    browser, browser_version = hints.browser(agent.browser, agent.browser_version)
    device, same = agent.device, agent.os == hints.system
    if hints.mobile and device in ("", "tablet"):
        device = "mobile"
    return msgspec.structs.replace(
        agent,
        os_version=hints.version if same and hints.version else agent.os_version,
        browser=browser,
        browser_version=browser_version,
        device=device,
        device_model=agent.device_model or (hints.model if same else ""),
    )


def read_agent(ua: str, parsed: PartialResult) -> Agent:
    """Return the agent of a parsed user agent, named as in ua-parser and without generic brands."""
    browser, system, device = parsed.user_agent, parsed.os, parsed.device
    os_name = system.family if system else ""
    brand = (device.brand or "") if device else ""
    model = (device.model or "") if device else ""
    kind = BOT if is_bot(ua, brand == _SPIDER) else _device_type(ua, os_name)
    if brand.startswith("Generic") or brand == _SPIDER:
        model = "" if brand == _SPIDER or kind == BOT or model in _NO_MODELS else model
        brand = ""
    return Agent(
        os=os_name,
        os_version=_version(system.major, system.minor, system.patch) if system else "",
        browser=browser.family if browser else "",
        browser_version=_version(browser.major, browser.minor, browser.patch) if browser else "",
        device=kind,
        brand=brand,
        device_model=model,
    )


def _version(*parts: str | None) -> str:
    return ".".join(part for part in parts if part)


_SPIDER: Final = "Spider"
_NO_MODELS: Final = frozenset({"K", "Smartphone", "Feature Phone"})
"""Models that mean an unknown model."""

DEVICES: Final = ("mobile", "tablet", "desktop", "mediahub", "ereader", "console", "tv", "smartwatch")
"""The kinds of devices, in the words of targeting (docs/spec/tracking.md#restrictions-and-targeting-groups)."""

_DEVICE_PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("mediahub", re.compile(r"apple ?tv|roku|\baft[a-z0-9]+\b|crkey", re.I)),
    ("tv", re.compile(r"smart-?tv|googletv|hbbtv|netcast|web0s|tizen.*tv\b|bravia", re.I)),
    ("console", re.compile(r"playstation|xbox|nintendo", re.I)),
    ("smartwatch", re.compile(r"\bwatch\b|watchos|sm-r\d{3}", re.I)),
    ("tablet", re.compile(r"ipad|tablet|playbook|kindle fire|silk/(?!.*mobile)", re.I)),
    ("ereader", re.compile(r"kindle|\bkobo\b|\bnook\b|pocketbook", re.I)),
    ("mobile", re.compile(r"iphone|ipod|mobile|mobi\b|blackberry|opera mini|windows phone|symbian", re.I)),
)
_DESKTOPS: Final = frozenset(
    {
        "Windows",
        "Mac OS X",
        "Mac OS",
        "Linux",
        "Ubuntu",
        "Debian",
        "Fedora",
        "Chrome OS",
        "FreeBSD",
        "OpenBSD",
        "Red Hat",
        "SUSE",
    }
)


def _device_type(ua: str, os_name: str) -> str:
    for kind, pattern in _DEVICE_PATTERNS:
        if pattern.search(ua):
            return kind
    if os_name == "Android":
        # By Google's rule an Android that does not say Mobile is a tablet.
        return "tablet"
    return "desktop" if os_name in _DESKTOPS else ""
