"""URL templates: macros compiled once and filled for each click (docs/spec/tracking.md#redirects)."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final
from urllib.parse import quote
from zlib import crc32
from zoneinfo import ZoneInfo

from trackyard.base.zones import find_zone, local_day
from trackyard.decision.click.hit import Hit
from trackyard.decision.target.deep_links import find_deep_link, wants_deep_link
from trackyard.domain.tracking.international_hosts import ascii_host
from trackyard.domain.tracking.macro_registry import MacroPlace, parameter_macros
from trackyard.domain.tracking.macros import Template, encode_value, with_braces
from trackyard.domain.tracking.ruleset import RulesetOffer
from trackyard.domain.tracking.subs import SUBS, encrypted_sub

_URL_CHARACTERS: Final = "%:/?#[]@!$&'()*+,;=-._~{}"
"""Characters that stay in a URL as they are; braces because an unknown macro stays as written."""
_HOST: Final = re.compile(r"([a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?)([^/?#@:\\]+)", re.I | re.A)
"""What comes before the host of a URL, and the host."""
_UTC: Final = ZoneInfo("UTC")

VALUES: Final = "values "
"""Begins `own_subs` of URLs in which values of the offer replace subs."""

MacroFunction = Callable[[Hit, RulesetOffer], str]


class _MacroReader:
    """Reads the value of a macro, percent-encoded where it needs it."""

    __slots__ = ()

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        """Return the value for a click."""
        raise NotImplementedError


class _ParameterMacro(_MacroReader):
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        value = hit.params.get(self._name)
        if value is None:
            return ""
        return value if hit.plain else encode_value(value)


class _OwnSub(_MacroReader):
    """A sub as the advertiser gets it: a value of the offer, or the link's.

    The value of the offer is a random one, but the same for a click.

    own: see UrlTemplate
    """

    __slots__ = ("_key", "_name", "_replaces")

    def __init__(self, name: str, own: str) -> None:
        self._name = name
        self._replaces = own.startswith(VALUES)
        self._key = own.removeprefix(VALUES)

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        sent = hit.params.get(self._name, "")
        for each in offer.replaced_subs if self._replaces else ():
            if each.sub == self._name and (each.always or not sent):
                chosen = crc32((self._name + hit.click_id).encode()) % len(each.values)
                return encode_value(each.values[chosen])
        return encode_value(encrypted_sub(sent, self._key, hit.affiliate.id if hit.affiliate else 0))


class _ClickIdMacro(_MacroReader):
    __slots__ = ()

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        return hit.click_id


class _CountryMacro(_MacroReader):
    __slots__ = ()

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        return encode_value(hit.country)


class _OsMacro(_MacroReader):
    __slots__ = ()

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        return hit.parsed.os


class _FunctionMacro(_MacroReader):
    """A macro of fewer URLs."""

    __slots__ = ("_read",)

    def __init__(self, read: MacroFunction) -> None:
        self._read = read

    def read(self, hit: Hit, offer: RulesetOffer) -> str:
        return self._read(hit, offer)


def _day(hit: Hit, offer: RulesetOffer) -> str:
    return local_day(hit.time_ms, find_zone(hit.platform.timezone) or _UTC).isoformat()


def _deep_link(hit: Hit, offer: RulesetOffer) -> str:
    link = find_deep_link(hit, offer) if wants_deep_link(hit) else None
    return "" if link is None else encode_value(link.value)


_FUNCTION_MACROS: Final[dict[str, MacroFunction]] = {
    "offer_id": lambda hit, offer: str(offer.id) if offer.id else encode_value(hit.params.get("offer_id", "")),
    "ip": lambda hit, offer: encode_value(hit.ip),
    "city": lambda hit, offer: encode_value(hit.place.city),
    "referrer": lambda hit, offer: encode_value(hit.referrer),
    "device_ua": lambda hit, offer: encode_value(hit.ua),
    "os_version": lambda hit, offer: encode_value(hit.agent.os_version),
    "device_model": lambda hit, offer: encode_value(hit.agent.device_model),
    "browser": lambda hit, offer: encode_value(hit.agent.browser),
    "language": lambda hit, offer: hit.language,
    # The last digits of a click id are random already.
    "rand": lambda hit, offer: str(int(hit.click_id[-8:], 16)),
    "time": lambda hit, offer: str(hit.time_ms // 1000),
    "date_only": _day,
    "deeplink": _deep_link,
    "offer_name": lambda hit, offer: encode_value(offer.title),
    "affiliate_name": lambda hit, offer: encode_value(hit.affiliate.name) if hit.affiliate is not None else "",
    "advertiser_id": lambda hit, offer: offer.advertiser,
}
_PARAMETERS: Final = ("pid", *parameter_macros(MacroPlace.OFFER_URL))
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
_templates: "dict[str, UrlTemplate]" = {}


def url_template(url: str) -> "UrlTemplate":
    """Return the compiled URL, cached."""
    found = _templates.get(url)
    if found is None:
        if len(_templates) >= _TEMPLATE_CACHE_SIZE:
            _templates.clear()
        found = _templates[url] = compile_url(with_braces(url, CLICK_MACROS))
    return found


def offer_template(url: str, own_subs: str | None) -> "UrlTemplate":
    """Return a compiled URL of an offer, cached. own_subs: see `UrlTemplate`."""
    if own_subs is None:
        return url_template(url)
    key = f"{own_subs}\n{url}"  # no URL has a line break
    found = _templates.get(key)
    if found is None:
        if len(_templates) >= _TEMPLATE_CACHE_SIZE:
            _templates.clear()
        found = _templates[key] = compile_url(with_braces(url, CLICK_MACROS), own_subs)
    return found


def compile_url(url: str, own_subs: str | None = None) -> "UrlTemplate":
    """Compile a URL; its own characters are made safe for a header. own_subs: see `UrlTemplate`."""
    return UrlTemplate(Template(quote(with_ascii_host(url), safe=_URL_CHARACTERS)), own_subs)


def with_ascii_host(url: str) -> str:
    """Return a URL with its international host in the ASCII form of DNS (`xn--…`).

    A host without such a form stays as it is.
    """
    found = None if url.isascii() else _HOST.match(url)
    if found is None:
        return url
    try:
        host = ascii_host(found[2])
    except UnicodeError:
        return url
    return f"{found[1]}{host}{url[found.end() :]}"


class _UrlPiece:
    """A macro in a URL, and the text behind it."""

    __slots__ = ("literal", "macro")

    def __init__(self, macro: _MacroReader, literal: str) -> None:
        self.macro = macro
        self.literal = literal


@lru_cache(maxsize=4096)
def _url_pieces(names: tuple[str, ...], literals: tuple[str, ...]) -> tuple[_UrlPiece, ...]:
    """Return macros with their texts, one tuple for all URLs that have the same ones."""
    return tuple([_UrlPiece(_reader_of(name), literal) for name, literal in zip(names, literals, strict=True)])


def _reader_of(name: str) -> _MacroReader:
    """Return the reader of a macro, or of a sub as the advertiser gets it: `=name=own_subs`."""
    if not name.startswith("="):
        return _MACROS[name]
    _, sub, own = name.split("=")
    return _OwnSub(sub, own)


class UrlTemplate:
    """A compiled URL: the text before its first macro, and the rest, which many URLs share.

    Thousands of URLs are filled at random, and shared parts stay in the cache of the processor.

    own_subs: the key of the codes that the advertiser gets instead of subs, "" = it gets the subs; behind VALUES where
        values of the offer replace some; None = it gets what the link has
    """

    __slots__ = ("_first", "_rest")

    def __init__(self, source: Template, own_subs: str | None = None) -> None:
        first, *literals = source.literals
        texts, names = [first], []
        for name, literal in zip(source.names, literals, strict=True):
            if name in _MACROS:
                names.append(f"={name}={own_subs}" if own_subs is not None and name in SUBS else name)
                texts.append(literal)
            else:
                texts[-1] += f"{{{name}}}{literal}"
        self._first, *rest = texts
        self._rest = _url_pieces(tuple(names), tuple(rest))

    def fill(self, hit: Hit, offer: RulesetOffer) -> str:
        """Return the URL for one click, values percent-encoded."""
        texts = [self._first]
        for piece in self._rest:
            texts.append(piece.macro.read(hit, offer))
            texts.append(piece.literal)
        return "".join(texts)
