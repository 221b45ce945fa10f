"""Deep links: the page of the advertiser's site in a click (docs/spec/tracking.md#deep-links).

Visitors write these, and a tracking link must not lead to a site that staff did not choose: `redirect` has one strict
form, and the target is built from its checked parts.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from trackyard.decision.click.hit import Hit
from trackyard.domain.tracking.international_hosts import ascii_host
from trackyard.domain.tracking.ruleset import RulesetOffer

_PARAMETERS: Final = ("redirect", "path")

_URL: Final = re.compile(r"(https?)://([^\s/?#\\@:\[\]%]{1,253})(?::([0-9]{1,5}))?([/?#].*)?", re.I | re.A | re.S)
"""Scheme, host, port, rest: no user, no backslash and no address in brackets before the rest."""
_HOST: Final = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.A
)
_IP_LIKE: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.A)
"""Hosts that browsers read as an IPv4 address: they have no subdomains."""
_AUTHORITY: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?/*[^/?#]*\Z", re.I | re.A)
"""A URL that ends in its host: a text after it must not become a part of the host."""

_PAIR: Final = re.compile(r"[^\s/?#&={}]+=")
"""A text that begins with a pair of a query."""

_PORTS: Final = {"http": 80, "https": 443}


class _Site(NamedTuple):
    host: str
    port: int


class DeepLink(NamedTuple):
    """A deep link that may be followed.

    url: replaces the offer's, "" = none
    path: is joined to the offer's URL, "" = none
    """

    url: str
    path: str

    @property
    def value(self) -> str:
        """Value of the macro {deeplink}."""
        return self.url or self.path


def wants_deep_link(hit: Hit) -> bool:
    """Return whether the click has a deep link."""
    return any(hit.params.get(name) for name in _PARAMETERS)


def find_deep_link(hit: Hit, offer: RulesetOffer) -> DeepLink | None:
    """Return the deep link of a click; None when there is none or it is not allowed.

    With a `redirect` the `path` is ignored.
    """
    if not offer.allow_deeplink:
        return None
    redirect, path = (hit.params.get(name, "") for name in _PARAMETERS)
    if redirect:
        url = _find_redirect(redirect, _own_urls(offer))
        return None if url is None else DeepLink(url, "")
    return DeepLink("", path) if path else None


def is_ignored(hit: Hit, offer: RulesetOffer) -> bool:
    """Return whether a `redirect` or `path` of the click is ignored."""
    wanted = [hit.params[name] for name in _PARAMETERS if hit.params.get(name)]
    return bool(wanted) and (len(wanted) > 1 or find_deep_link(hit, offer) is None)


def may_lead_to(url: str, own_urls: Iterable[str]) -> bool:
    """Return whether a `redirect` may lead to a URL.

    own_urls: the URL, the preview URL and the landings of the offer.
    """
    return _find_redirect(url, own_urls) is not None


def join_path(url: str, path: str) -> str:
    """Return a URL with the path, query and fragment of a deep link in their places.

    path: a path, or a query when it begins with "?" or "&". The URL keeps its query, before the query of the
    deep link. Of two fragments the deep link's stays, unless the URL's has a macro. The host stays the same.
    """
    base, url_hash, url_fragment = url.partition("#")
    base, _, query = base.partition("?")
    path, path_hash, path_fragment = path.partition("#")
    if path[:1] == "&":
        path = f"?{path[1:]}"
    path, _, path_query = path.partition("?")
    if path:
        base = f"{base.removesuffix('/')}/{path.lstrip('/')}"
    joined = "&".join(part.strip("&") for part in (query, path_query) if part)
    has_own = path_fragment and "{" not in url_fragment
    fragment = path_hash + path_fragment if has_own else url_hash + url_fragment
    return f"{base}?{joined}{fragment}" if joined else base + fragment


def leave_out_filled(link: str, *texts: str) -> str:
    """Return a deep link without the parameters that a URL or a `macro_url` fills with a macro.

    A deep link that was copied from a browser has the click id of another click, and shops read one of the two. Names
    of lists, such as `size[]`, may be there several times.
    """
    if "=" not in link:
        return link
    names = {name for text in texts for name in _filled_names(text)}
    base, mark, fragment = link.partition("#")
    path, question, query = ("", base[:1], base[1:]) if base[:1] == "&" else base.partition("?")
    if not names or not query:
        return link
    pairs = [pair for pair in query.split("&") if pair.partition("=")[0] not in names]
    return path + (question if pairs else "") + "&".join(pairs) + mark + fragment


def _filled_names(text: str) -> list[str]:
    """Return the parameters that have a macro in a URL or a query."""
    query = text.partition("#")[0].rpartition("?")[2]
    pairs = [pair.partition("=") for pair in query.split("&")]
    return [name for name, _, value in pairs if "{" in value and name and not name.endswith("]")]


def _append_text(url: str, text: str) -> str:
    """Return a URL with a text appended as written; the host stays the same."""
    if text[:1] not in ("/", "?", "#") and _AUTHORITY.match(url):
        return f"{url}/{text}"
    return url + text


def append_macro_url(url: str, text: str) -> str:
    """Return a target URL with an offer's `macro_url` appended, before the fragment of the URL.

    A text that begins with "&", "?" or a name and "=" is a query: it is joined by "?" where the URL has no query, and
    else by "&". Another text is appended as written, and the host stays the same.
    """
    if not text:
        return url
    base, hash_sign, fragment = url.partition("#")
    if text[0] == "#" and not hash_sign:
        return url + text
    if text[0] not in "?&" and not _PAIR.match(text):
        return _append_text(base, text) + hash_sign + fragment
    if not base.endswith(("?", "&")):
        base += "&" if "?" in base else "?"
    return base + text.lstrip("?&") + hash_sign + fragment


def _find_redirect(text: str, own_urls: Iterable[str]) -> str | None:
    """Return the URL of `redirect`, rebuilt; None = it leads to no site of the offer."""
    found = _URL.fullmatch(text)
    if found is None:
        return None
    scheme, host, port, rest = found[1].lower(), _find_host(found[2]), found[3], found[4] or "/"
    if host is None:
        return None
    site = _Site(host, int(port) if port else _PORTS[scheme])
    if not any(_is_allowed_site(site, known) for known in _sites(own_urls)):
        return None
    port_suffix = "" if site.port == _PORTS[scheme] else f":{site.port}"
    return f"{scheme}://{host}{port_suffix}{rest}"


def _is_allowed_site(site: _Site, known: _Site) -> bool:
    """Return whether a site is a known one or its subdomain, on a web port or the known port."""
    if site.port != known.port and site.port not in _PORTS.values():
        return False
    if site.host == known.host:
        return True
    return site.host.endswith(f".{known.host}") and not _IP_LIKE.fullmatch(known.host)


def _own_urls(offer: RulesetOffer) -> Iterable[str]:
    """Return the offer's URL, preview URL and landings."""
    return (offer.url, offer.preview_url, *(landing.url for landing in offer.landings))


def _sites(urls: Iterable[str]) -> list[_Site]:
    """Return the sites of the URLs that have a fixed host."""
    return [site for site in map(_find_site, urls) if site is not None]


@lru_cache(maxsize=4096)
def _find_site(url: str) -> _Site | None:
    """Return the site of a URL of staff; None = its host is not fixed, or is not a valid name."""
    found = _URL.fullmatch(url)
    host = None if found is None else _find_host(found[2])
    if found is None or host is None:
        return None
    return _Site(host, int(found[3]) if found[3] else _PORTS[found[1].lower()])


def _find_host(text: str) -> str | None:
    """Return a host in ASCII and lower case, without a final dot; None for an invalid host."""
    try:
        host = ascii_host(text).lower().removesuffix(".")
    except UnicodeError:
        return None
    return host if _HOST.fullmatch(host) else None
