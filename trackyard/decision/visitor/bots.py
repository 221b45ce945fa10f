"""Bots and prefetches: requests without a person (docs/spec/tracking.md#bots).

A bot is a user agent that the crawler-user-agents project lists or that ua-parser calls a spider. Command-line clients
and libraries are no bots: affiliates and staff try their links with them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from ua_parser import Domain, UserAgent
from ua_parser.core import Matcher
from ua_parser.lazy import UserAgentMatcher  # the others compile each pattern for Python's re, which is not used
from ua_parser.regex import Resolver

from trackyard.domain.statistics.quality.origins import BOT as BOT_SIGNAL
from trackyard.domain.statistics.quality.origins import HEADLESS

_LIBRARY_TAG: Final = "http-library"
"""The tag of tools that make requests and are no crawlers."""
_BOT: Final = "bot"
_TOOL: Final = "tool"
_OTHER_TOOLS: Final = (r"^Java/", r"^PostmanRuntime/", r"^insomnia/", r"^Dart/", r"^PowerShell/", r"WindowsPowerShell/")
"""Tools that are not in the list."""

_PREFETCH_HEADERS: Final = (b"sec-purpose", b"purpose", b"x-purpose", b"x-moz")
_PREFETCH_WORDS: Final = (b"prefetch", b"prerender", b"preview")

_HEADLESS_WORDS: Final = ("headless", "phantomjs", "puppeteer", "playwright", "slimerjs", "selenium", "webdriver")
"""Words of browsers that run without a screen."""


def agent_signals(ua: str, bot: bool) -> int:
    """Return the signals of a user agent (docs/spec/quality.md#signals)."""
    lower = ua.lower()
    headless = any(word in lower for word in _HEADLESS_WORDS)
    return (BOT_SIGNAL if bot else 0) | (HEADLESS if headless else 0)


@cache
def _resolver() -> Callable[[str, Domain], Any]:
    """Return all patterns as one automaton: 2.5 µs an agent; one by one takes 250."""
    from crawleruseragents import CRAWLER_USER_AGENTS_DATA as KNOWN

    tools = [entry["pattern"] for entry in KNOWN if _LIBRARY_TAG in entry["tags"]]
    bots = [entry["pattern"] for entry in KNOWN if _LIBRARY_TAG not in entry["tags"]]
    # The first match decides: a bot that names its library is a bot.
    matchers: list[Matcher[UserAgent]] = [UserAgentMatcher(pattern, _BOT) for pattern in bots]
    matchers += [UserAgentMatcher(pattern, _TOOL) for pattern in (*tools, *_OTHER_TOOLS)]
    return Resolver((matchers, [], []))


def is_bot(ua: str, spider: bool) -> bool:
    """Return whether a user agent is that of a bot. spider: ua-parser calls it one."""
    found = _resolver()(ua, Domain.USER_AGENT).user_agent
    if found is None:
        return spider
    return bool(found.family == _BOT)


def is_prefetch(headers: dict[bytes, bytes]) -> bool:
    """Return whether a browser only prefetches the link. headers: by lower-case name."""
    purposes = b""
    for name in _PREFETCH_HEADERS:
        if name in headers:
            purposes += b" " + headers[name].lower()
    if not purposes:
        return False
    return any(word in purposes for word in _PREFETCH_WORDS)
