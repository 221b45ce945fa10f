"""Where a click goes, as a URL that can stand in a header (behaviour.md §4)."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from trackyard.decide.hit import Hit
from trackyard.domain.macros import Template, encoded

_URL_CHARACTERS = "%:/?#[]@!$&'()*+,;=-._~{}"
"""What may stand in a URL as it is; braces because an unknown macro stays as written."""


def accepted_url(hit: Hit) -> str:
    """The target of an accepted click: its landing's URL, else the offer's. Plain ASCII."""
    if hit.offer is None:
        raise ValueError("an accepted click has an offer")
    landing = hit.find_landing() if "l" in hit.params else None
    return _target(hit.offer.url if landing is None else landing.url).fill(hit)


def find_refused_url(hit: Hit) -> str | None:
    """The target of a refused click: the offer's trafficback URL, the platform's, the offer's preview URL.

    Plain ASCII; None when there is none of them: the visitor sees that the offer is not available.
    """
    offer = hit.offer
    url = offer.trafficback_url if offer is not None else ""
    url = url or hit.rules.platform.trafficback_url or (offer.preview_url if offer is not None else "")
    return _target(url).fill(hit) if url else None


def _parameter(name: str) -> Callable[[Hit], str]:
    return lambda hit: encoded(hit.params.get(name, ""))


def _day(hit: Hit) -> str:
    return datetime.fromtimestamp(hit.time_ms // 1000, UTC).strftime("%Y-%m-%d")


_MACROS: Final[dict[str, Callable[[Hit], str]]] = {
    # Each gives its value encoded: what cannot need it is spared the look.
    "clickid": lambda hit: hit.click_id,
    "click_id": lambda hit: hit.click_id,
    "pid": _parameter("pid"),
    "offer_id": lambda hit: str(hit.offer.id) if hit.offer is not None else encoded(hit.params.get("offer_id", "")),
    **{f"sub{number}": _parameter(f"sub{number}") for number in range(1, 9)},
    "ip": lambda hit: encoded(hit.ip),
    "geo": lambda hit: hit.country,
    "city": lambda hit: "",
    "referrer": lambda hit: encoded(hit.referrer),
    "device_ua": lambda hit: encoded(hit.ua),
    "os": lambda hit: encoded(hit.agent.os),
    "os_version": lambda hit: encoded(hit.agent.os_version),
    "device_model": lambda hit: encoded(hit.agent.model),
    "browser": lambda hit: encoded(hit.agent.browser),
    "language": lambda hit: hit.language,
    # The last digits of a click id are random already.
    "rand": lambda hit: str(int(hit.click_id[-8:], 16)),
    "time": lambda hit: str(hit.time_ms // 1000),
    "date_only": _day,
    "deeplink": lambda hit: "",
    "offer_name": lambda hit: encoded(hit.offer.title) if hit.offer is not None else "",
    "affiliate_name": lambda hit: encoded(hit.affiliate.name) if hit.affiliate is not None else "",
    "advertiser_id": lambda hit: hit.offer.advertiser if hit.offer is not None else "",
    **{
        name: _parameter(name)
        for name in ("ref_id", "os_id", "ext1", "ext2", "ext3", "user_id", "ios_idfa", "android_id", "fbclid")
    },
}
CLICK_MACROS: Final = frozenset(_MACROS)
"""The macros that URLs of offers may contain."""

_TARGETS_KEPT: Final = 262_144
_targets: "dict[str, _Target]" = {}


def _target(url: str) -> "_Target":
    """The target of a URL, kept: its own characters are made safe for a header once."""
    found = _targets.get(url)
    if found is None:
        if len(_targets) >= _TARGETS_KEPT:
            _targets.clear()
        found = _targets[url] = _Target(Template(quote(url, safe=_URL_CHARACTERS)))
    return found


@lru_cache(maxsize=4096)
def _readers(names: tuple[str, ...]) -> tuple[Callable[[Hit], str], ...]:
    """What reads these macros. One tuple for all URLs with the same ones: what many clicks share stays near."""
    return tuple(_MACROS[name] for name in names)


class _Target:
    """A URL as one format string and the readers of its values: thousands of them are walked at random."""

    __slots__ = ("_format", "_read")

    def __init__(self, source: Template) -> None:
        first, *literals = source.literals
        text = [first.replace("%", "%%")]
        for name, literal in zip(source.names, literals, strict=True):
            text.append("%s" if name in _MACROS else f"{{{name}}}")
            text.append(literal.replace("%", "%%"))
        self._format = "".join(text)
        self._read = _readers(tuple(name for name in source.names if name in _MACROS))

    def fill(self, hit: Hit) -> str:
        """The URL for one click, values percent-encoded."""
        return self._format % tuple([read(hit) for read in self._read])
