"""Clicks as browsers send them, on offers that reject some of them.

60 user agents (the k-th most used one 1/k as often as the first), each with the 12 to 15 headers of its browser, about
860 bytes a request; a million addresses. Of twelve offers two reject all devices of these visitors, one has a cap that
is full after 5 clicks, and two take each visitor once: about a fifth of the clicks are rejected.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from bench.traffic import ADDRESSES, OFFERS, SCRIPT, heads, rules
from trackyard.domain.offers.offers import TargetingGroup
from trackyard.domain.tracking.ruleset import ClickCap, Restrictions, RulesetOffer, RulesetRow

_KINDS: Final = 12
"""The rules repeat after so many offers."""
_REJECTING: Final = frozenset({4, 7})
_FULL: Final = frozenset({9})
_UNIQUE: Final = frozenset({2, 10})
_FULL_AFTER: Final = 5
_REQUESTS: Final = 20_000

_WEBKIT: Final = "AppleWebKit/537.36 (KHTML, like Gecko)"
_ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
_FETCH: Final = (
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-User: ?1",
    "Sec-Fetch-Dest: document",
)


def _chrome(version: int, system: str, platform: str, *, is_mobile: bool) -> tuple[str, ...]:
    mobile = " Mobile" if is_mobile else ""
    return (
        "Connection: keep-alive",
        f'sec-ch-ua: "Chromium";v="{version}", "Google Chrome";v="{version}", "Not?A_Brand";v="24"',
        f"sec-ch-ua-mobile: ?{is_mobile:d}",
        f'sec-ch-ua-platform: "{platform}"',
        "Upgrade-Insecure-Requests: 1",
        f"User-Agent: Mozilla/5.0 ({system}) {_WEBKIT} Chrome/{version}.0.0.0{mobile} Safari/537.36",
        f"Accept: {_ACCEPT},application/signed-exchange;v=b3;q=0.7",
        *_FETCH,
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Accept-Language: en-GB,en-US;q=0.9,en;q=0.8,de;q=0.7",
    )


def _safari(version: int, minor: int) -> tuple[str, ...]:
    system = f"iPhone; CPU iPhone OS {version}_{minor} like Mac OS X"
    agent = f"AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{version}.{minor} Mobile/15E148 Safari/604.1"
    return (
        "Connection: keep-alive",
        f"User-Agent: Mozilla/5.0 ({system}) {agent}",
        f"Accept: {_ACCEPT}",
        *(header for header in _FETCH if "User" not in header),
        "Priority: u=0, i",
        "Upgrade-Insecure-Requests: 1",
        "Accept-Encoding: gzip, deflate, br",
        "Accept-Language: en-GB,en;q=0.9",
    )


def _firefox(version: int) -> tuple[str, ...]:
    return (
        "Connection: keep-alive",
        f"User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:{version}.0) Gecko/20100101 Firefox/{version}.0",
        f"Accept: {_ACCEPT}",
        "Accept-Language: en-US,en;q=0.5",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "DNT: 1",
        "Upgrade-Insecure-Requests: 1",
        *_FETCH,
        "Priority: u=0, i",
    )


def browsers() -> list[tuple[str, ...]]:
    """Return the headers of 60 browsers, the most used first."""
    phones = ("SM-S918B", "Pixel 8", "2201117TG", "CPH2581")
    made = []
    for version in range(140, 135, -1):
        made += [_chrome(version, f"Linux; Android 14; {phone}", "Android", is_mobile=True) for phone in phones]
        made.append(_safari(version - 122, version % 7))
        made.append(_safari(version - 122, version % 7 + 1))
        made.append(_safari(version - 122, version % 7 + 2))
        made.append(_chrome(version, "Windows NT 10.0; Win64; x64", "Windows", is_mobile=False))
        made.append(_chrome(version, "Macintosh; Intel Mac OS X 10_15_7", "macOS", is_mobile=False))
        made.append(_chrome(version, "X11; Linux x86_64", "Linux", is_mobile=False))
        made += [_firefox(version), _firefox(version - 5)]
    return made


def browser_heads(offers: int = OFFERS, count: int = _REQUESTS) -> Iterator[list[str]]:
    """Yield requests of browsers as lines, without the address."""
    choose = random.Random(5)
    known = browsers()
    weights = [1 / place for place in range(1, len(known) + 1)]
    for lines in heads(offers, count):
        referer = lines[-1]
        [browser] = choose.choices(known, weights)
        target, _, version = lines[0].rpartition(" ")
        ad = f"{choose.getrandbits(200):050x}"
        yield [f"{target}&sub3={ad[:12]}&sub4=placement-{ad[:4]}&fbclid={ad} {version}", lines[1], *browser, referer]


def browser_rules(offers: int = OFFERS) -> list[RulesetRow]:
    """Return the rules of traffic.py, with offers that reject, are full, or take each visitor once."""
    return [_changed(row) if isinstance(row, RulesetOffer) else row for row in rules(offers)]


def _changed(offer: RulesetOffer) -> RulesetOffer:
    kind = offer.id % _KINDS
    if kind in _REJECTING:
        only = Restrictions(groups=(TargetingGroup(device_type=("tv",)),))
        return msgspec.structs.replace(offer, restrictions=msgspec.msgpack.encode(only))
    if kind in _FULL:
        cap = ClickCap(id=f"{offer.id:024x}", period="day", value=_FULL_AFTER)
        return msgspec.structs.replace(offer, click_caps=(cap,))
    if kind in _UNIQUE:
        return msgspec.structs.replace(offer, restrictions=msgspec.msgpack.encode(Restrictions(unique_only=True)))
    return offer


def write_browser_script(directory: Path, delay_ms: float = 0) -> Path:
    """Write a script for wrk with these clicks; return its path. delay_ms: as of `write_script`."""
    listed = directory / "heads-browsers.txt"
    if not listed.exists():
        listed.write_text("\n".join("|".join(lines) for lines in browser_heads()) + "\n")
    script = directory / f"clicks-browsers-{delay_ms:g}.lua"
    script.write_text(SCRIPT % {"heads": str(listed), "seed": 1, "addresses": ADDRESSES, "delay_ms": delay_ms})
    return script
