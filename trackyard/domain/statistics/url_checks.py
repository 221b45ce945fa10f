"""Checks of the URLs of offers: hops, time, and whether the click id arrives. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

HOUR_MS: Final = 3_600_000
EVERY_MS: Final = 6 * HOUR_MS
"""How long after a check an offer is checked again."""
FIRST_MS: Final = 10 * 60_000
"""How long after it was seen first an offer is checked."""
HOST_PAUSE_MS: Final = HOUR_MS
"""A host is visited once in this time, whatever the number of its offers."""
MOST_HOPS: Final = 5
SLOW_MS: Final = 3000
MADE_UP: Final = "not checked, since names that end in .example lead nowhere"
"""Said of URLs of examples and demonstrations."""
_CLICK_MACRO: Final = "{clickid}"
_MACRO: Final = re.compile(r"\{[A-Za-z0-9_.:-]{1,64}\}")
_OTHER: Final = "test"


@dataclass(frozen=True, slots=True)
class UrlHop:
    """One request of a check. status: 0 = no answer. milliseconds: until the first byte of the answer."""

    url: str
    status: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class UrlCheck:
    """The result of a check of an offer's URL. checked_at: UTC milliseconds.

    error: why there was no answer; "" = an answer came. loses_click: whether the last URL lacks the click id.
    """

    checked_at: int
    hops: Sequence[UrlHop]
    error: str = ""
    loses_click: bool = False

    @property
    def status(self) -> int:
        """Return the status of the last answer, 0 without one."""
        return self.hops[-1].status if self.hops else 0

    @property
    def milliseconds(self) -> int:
        """Return the time until the first byte of the last answer, with the time of all hops."""
        return sum(each.milliseconds for each in self.hops)

    @property
    def fails(self) -> bool:
        """Return whether a visitor would reach no page."""
        return self.error != MADE_UP and (bool(self.error) or not 200 <= self.status < 400)

    @property
    def is_slow(self) -> bool:
        """Return whether a visitor waits long."""
        return not self.fails and self.milliseconds >= SLOW_MS

    def document(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return asdict(self) | {"hops": [asdict(each) for each in self.hops]}


def check_of(document: Mapping[str, Any]) -> UrlCheck:
    """Return a stored check."""
    return UrlCheck(**{**document, "hops": tuple(UrlHop(**each) for each in document["hops"])})


def probe_url(template: str, click_id: str) -> str:
    """Return the URL of an offer with a click id. Other macros are filled with a word."""
    return _MACRO.sub(_OTHER, template.replace(_CLICK_MACRO, click_id))


def host_of(url: str) -> str:
    """Return the host of a URL, "" for one that has none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_made_up(host: str) -> bool:
    """Return whether a host has a name that is reserved for examples (RFC 2606)."""
    return host.endswith(".example")


def next_hop(url: str, status: int, location: str) -> str:
    """Return where an answer leads, "" = nowhere."""
    if status not in (301, 302, 303, 307, 308) or not location:
        return ""
    try:
        target = urljoin(url, location)
        return target if urlsplit(target).scheme in ("http", "https") and urlsplit(target).hostname else ""
    except ValueError:
        return ""


def loses_click(template: str, hops: Sequence[UrlHop], click_id: str) -> bool:
    """Return whether a click id was sent and the last address after redirects lacks it."""
    return _CLICK_MACRO in template and len(hops) > 1 and hops[-1].status < 400 and click_id not in hops[-1].url
