"""Where a click goes, as a URL that can stand in a header (docs/spec/tracking.md#redirects)."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

from trackyard.base.zones import find_zone, local_day
from trackyard.decision.click.hit import Hit
from trackyard.decision.target.deep_links import append_macro_url, append_path, find_deep_link, wants_deep_link
from trackyard.decision.targeting.targeting import chosen_url
from trackyard.domain.tracking.macros import Template, encode_value
from trackyard.domain.tracking.ruleset import RulesetOffer

_URL_CHARACTERS = "%:/?#[]@!$&'()*+,;=-._~{}"
"""What may stand in a URL as it is; braces because an unknown macro stays as written."""
_DEEPLINK: Final = "{deeplink}"
_ADVERTISER_MACRO: Final = ("{advertiser_id}", "%7Badvertiser_id%7D")
"""A macro that URLs of staff may have and deep links may not: affiliates, who write these, do not see who the
advertiser is (docs/spec/callers.md#visibility-for-affiliates)."""
_UTC: Final = ZoneInfo("UTC")


def accepted_url(hit: Hit) -> str:
    """The target of an accepted click: what its deep link asks for, else its landing's URL, the targeting group's or
    the offer's; the offer's macro_url is appended. Plain ASCII."""
    if "redirect" in hit.params or "path" in hit.params:
        return _deep_link_template(hit, chosen_url(hit)).fill(hit)
    route = hit.route
    if route is None or not route.single_url or "l" in hit.params:
        return _url_template(_with_macro_url(hit, chosen_url(hit))).fill(hit)
    target = route.target
    if not isinstance(target, _UrlTemplate):
        target = route.target = _url_template(_with_macro_url(hit, route.offer.url))
    return target.fill(hit)


def find_rejected_url(hit: Hit) -> str | None:
    """The target of a refused click: the offer's trafficback URL, the platform's, the offer's preview URL.

    Plain ASCII; None when there is none of them: the visitor sees that the offer is not available.
    """
    offer = hit.offer
    url = offer.trafficback_url if offer is not None else ""
    url = url or hit.ruleset.platform.trafficback_url or (offer.preview_url if offer is not None else "")
    return _url_template(url).fill(hit) if url else None


def impression_url(hit: Hit, offer: RulesetOffer) -> str:
    """Where a view of `offer` is told of. Plain ASCII."""
    return _url_template(offer.impressions_url).fill(hit)


def _deep_link_template(hit: Hit, url: str) -> "_UrlTemplate":
    """The target of a click that wants a place inside the site. A URL with {deeplink} says itself where it belongs."""
    link = find_deep_link(hit)
    if link is None or _DEEPLINK in url:
        return _url_template(_with_macro_url(hit, url))
    # Not kept: visitors write as many of these as they like.
    return _compile_url(
        _with_macro_url(
            hit, link.url.replace(*_ADVERTISER_MACRO) or append_path(url, link.path.replace(*_ADVERTISER_MACRO))
        )
    )


def _with_macro_url(hit: Hit, url: str) -> str:
    """The URL with the offer's macro_url, if it has one."""
    offer = hit.offer
    return url if offer is None or not offer.macro_url else append_macro_url(url, offer.macro_url)


class _MacroReader:
    """What reads the value of a macro. `read` gives it encoded: what cannot need it is spared the look."""

    __slots__ = ()

    def read(self, hit: Hit) -> str:
        """The value for a click."""
        raise NotImplementedError


class _ParameterMacro(_MacroReader):
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, hit: Hit) -> str:
        value = hit.params.get(self._name)
        if value is None:
            return ""
        return value if hit.plain else encode_value(value)


class _ClickIdMacro(_MacroReader):
    __slots__ = ()

    def read(self, hit: Hit) -> str:
        return hit.click_id


class _CountryMacro(_MacroReader):
    __slots__ = ()

    def read(self, hit: Hit) -> str:
        return encode_value(hit.country)


class _OsMacro(_MacroReader):
    __slots__ = ()

    def read(self, hit: Hit) -> str:
        return encode_value(hit.agent.os) if hit.read is None else hit.read.os


class _FunctionMacro(_MacroReader):
    """A macro that fewer URLs have."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[Hit], str]) -> None:
        self._read = read

    def read(self, hit: Hit) -> str:
        return self._read(hit)


def _day(hit: Hit) -> str:
    return local_day(hit.time_ms, find_zone(hit.ruleset.platform.timezone) or _UTC).isoformat()


def _deep_link(hit: Hit) -> str:
    link = find_deep_link(hit) if wants_deep_link(hit) else None
    return "" if link is None else encode_value(link.value)


_FUNCTION_MACROS: Final[dict[str, Callable[[Hit], str]]] = {
    "offer_id": lambda hit: (
        str(hit.offer.id) if hit.offer is not None else encode_value(hit.params.get("offer_id", ""))
    ),
    "ip": lambda hit: encode_value(hit.ip),
    "city": lambda hit: encode_value(hit.place.city),
    "referrer": lambda hit: encode_value(hit.referrer),
    "device_ua": lambda hit: encode_value(hit.ua),
    "os_version": lambda hit: encode_value(hit.agent.os_version),
    "device_model": lambda hit: encode_value(hit.agent.model),
    "browser": lambda hit: encode_value(hit.agent.browser),
    "language": lambda hit: hit.language,
    # The last digits of a click id are random already.
    "rand": lambda hit: str(int(hit.click_id[-8:], 16)),
    "time": lambda hit: str(hit.time_ms // 1000),
    "date_only": _day,
    "deeplink": _deep_link,
    "offer_name": lambda hit: encode_value(hit.offer.title) if hit.offer is not None else "",
    "affiliate_name": lambda hit: encode_value(hit.affiliate.name) if hit.affiliate is not None else "",
    "advertiser_id": lambda hit: hit.offer.advertiser if hit.offer is not None else "",
}
_PARAMETERS: Final = (
    "pid",
    *(f"sub{number}" for number in range(1, 9)),
    *("ref_id", "os_id", "ext1", "ext2", "ext3", "user_id", "ios_idfa", "android_id", "fbclid"),
)
_MACROS: Final[dict[str, _MacroReader]] = {
    "clickid": _ClickIdMacro(),
    "click_id": _ClickIdMacro(),
    "geo": _CountryMacro(),
    "os": _OsMacro(),
    **{name: _ParameterMacro(name) for name in _PARAMETERS},
    **{name: _FunctionMacro(read) for name, read in _FUNCTION_MACROS.items()},
}
CLICK_MACROS: Final = frozenset(_MACROS)
"""The macros that URLs of offers may contain."""

_TEMPLATE_CACHE_SIZE: Final = 262_144
_templates: "dict[str, _UrlTemplate]" = {}


def _url_template(url: str) -> "_UrlTemplate":
    """The target of a URL, kept: its own characters are made safe for a header once."""
    found = _templates.get(url)
    if found is None:
        if len(_templates) >= _TEMPLATE_CACHE_SIZE:
            _templates.clear()
        found = _templates[url] = _compile_url(url)
    return found


def _compile_url(url: str) -> "_UrlTemplate":
    return _UrlTemplate(Template(quote(url, safe=_URL_CHARACTERS)))


class _UrlPiece:
    """A macro in a URL, and the text behind it."""

    __slots__ = ("literal", "macro")

    def __init__(self, macro: _MacroReader, literal: str) -> None:
        self.macro = macro
        self.literal = literal


@lru_cache(maxsize=4096)
def _url_pieces(names: tuple[str, ...], literals: tuple[str, ...]) -> tuple[_UrlPiece, ...]:
    """Macros, each with its text. One tuple for all URLs with the same ones: what many clicks share stays near."""
    return tuple([_UrlPiece(_MACROS[name], literal) for name, literal in zip(names, literals, strict=True)])


class _UrlTemplate:
    """A URL as the text before its first macro, and what follows, which many URLs share: thousands of them are walked
    at random."""

    __slots__ = ("_first", "_rest")

    def __init__(self, source: Template) -> None:
        first, *literals = source.literals
        texts, names = [first], []
        for name, literal in zip(source.names, literals, strict=True):
            if name in _MACROS:
                names.append(name)
                texts.append(literal)
            else:
                texts[-1] += f"{{{name}}}{literal}"
        self._first, *rest = texts
        self._rest = _url_pieces(tuple(names), tuple(rest))

    def fill(self, hit: Hit) -> str:
        """The URL for one click, values percent-encoded."""
        texts = [self._first]
        for piece in self._rest:
            texts.append(piece.macro.read(hit))
            texts.append(piece.literal)
        return "".join(texts)
