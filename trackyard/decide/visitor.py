"""Who clicked: country of the address, system, browser and device of the user agent.

Both look-ups stand behind bounded caches: few user agents make most of the traffic.
"""

import re
from pathlib import Path
from typing import Final, Generic, TypeVar

import maxminddb
import msgspec
from ua_parser import Domain, PartialResult
from ua_parser.loaders import load_lazy_builtins
from ua_parser.regex import Resolver

COUNTRY_DATABASE: Final = Path(__file__).parent / "data" / "country.mmdb"
"""The database that is shipped; its licence stands beside it."""

_K = TypeVar("_K")
_V = TypeVar("_V")


class Place(msgspec.Struct, frozen=True, gc=False):
    """What an address says. country: ISO code or "" · region_id, city_id: GeoNames, 0 = unknown · connection: wi-fi,
    cellular or "" · proxy: whether it is known to hide who is behind it."""

    country: str = ""
    region_id: int = 0
    city_id: int = 0
    city: str = ""
    isp: str = ""
    connection: str = ""
    proxy: bool = False


class Agent(msgspec.Struct, frozen=True, gc=False):
    """What a user agent says. Every field is "" when unknown; device: one of DEVICES, or bot."""

    os: str = ""
    os_version: str = ""
    browser: str = ""
    browser_version: str = ""
    device: str = ""
    brand: str = ""
    model: str = ""


class RecentlyUsed(Generic[_K, _V]):
    """A cache of at most 2 * `size` entries that keeps what is used: a young and an old generation.

    A hit costs one dict look-up; there is no list to reorder.
    """

    __slots__ = ("_old", "_size", "_young")

    def __init__(self, size: int) -> None:
        self._size = size
        self._young: dict[_K, _V] = {}
        self._old: dict[_K, _V] = {}

    def find(self, key: _K) -> _V | None:
        """The value kept under `key`."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.keep(key, found)
        return found

    def keep(self, key: _K, value: _V) -> None:
        """Keeps a value; the least recently used ones may go."""
        if len(self._young) >= self._size:
            self._old = self._young
            self._young = {}
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young) + len(self._old)


class Visitors:
    """Look-ups of addresses and user agents. `database`: any MMDB whose records carry a country.

    Errors: maxminddb.InvalidDatabaseError, OSError when the database cannot be opened.
    """

    def __init__(self, database: Path = COUNTRY_DATABASE, *, addresses: int = 4_000, agents: int = 5_000) -> None:
        self._database = maxminddb.open_database(database)
        self._resolve = Resolver(load_lazy_builtins())
        self._places: RecentlyUsed[str, Place] = RecentlyUsed(addresses)
        self._agents: RecentlyUsed[str, Agent] = RecentlyUsed(agents)

    def place(self, ip: str) -> Place:
        """What an address says. `ip` must be an address or ""."""
        found = self._places.find(ip)
        if found is None:
            found = Place(country_of(self._database.get(ip)) if ip else "")
            self._places.keep(ip, found)
        return found

    def agent(self, ua: str) -> Agent:
        """What a user agent says."""
        found = self._agents.find(ua)
        if found is None:
            found = read_agent(ua, self._resolve(ua, Domain.ALL))
            self._agents.keep(ua, found)
        return found

    def close(self) -> None:
        """Gives the database back."""
        self._database.close()


def country_of(record: object) -> str:
    """The code in a record of a flat database (country_code) or of a GeoIP2 one (country.iso_code)."""
    if not isinstance(record, dict):
        return ""
    code = record.get("country_code")
    if code is None and isinstance(record.get("country"), dict):
        code = record["country"].get("iso_code")
    return code if isinstance(code, str) else ""


def read_agent(ua: str, parsed: PartialResult) -> Agent:
    """The agent of a parsed user agent. Names are those of the ua-parser project, generic brands left out."""
    browser, system, device = parsed.user_agent, parsed.os, parsed.device
    os_name = system.family if system else ""
    brand = (device.brand or "") if device else ""
    model = (device.model or "") if device else ""
    kind = _device_type(ua, os_name, brand, model)
    if brand.startswith("Generic") or brand == "Spider":
        brand = ""
        model = "" if kind == "bot" or model in ("K", "Smartphone") else model
    return Agent(
        os=os_name,
        os_version=_version(system.major, system.minor, system.patch) if system else "",
        browser=browser.family if browser else "",
        browser_version=_version(browser.major, browser.minor, browser.patch) if browser else "",
        device=kind,
        brand=brand,
        model=model,
    )


def _version(*parts: str | None) -> str:
    return ".".join(part for part in parts if part)


DEVICES: Final = ("mobile", "tablet", "desktop", "mediahub", "ereader", "console", "tv", "smartwatch")
"""The kinds of devices, in the words of targeting (spec: Targeting group)."""

_SIGNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
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


def _device_type(ua: str, os_name: str, brand: str, model: str) -> str:
    if brand == "Spider":
        return "bot"
    for kind, sign in _SIGNS:
        if sign.search(ua):
            return kind
    if os_name == "Android":
        # By Google's rule an Android that does not say Mobile is a tablet.
        return "tablet"
    return "desktop" if os_name in _DESKTOPS else ""
