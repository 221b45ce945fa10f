"""Offers with deep links that could not work, in sentences with the remedy. Pure.

docs/spec/tracking.md#deep-links
"""

import re
from collections.abc import Iterator
from typing import Final

from trackyard.domain.offers.offers import Offer
from trackyard.domain.tracking.macros import with_braces

_PLACED: Final = "{deeplink}"
_CLICK_IDS: Final = ("{clickid}", "{click_id}")
_KNOWN: Final = frozenset({"deeplink", "clickid", "click_id"})
_WITHIN: Final = re.compile(r"(?<=.)https?(?:://|%3A%2F%2F)", re.IGNORECASE)
"""A URL within a URL: the page's, behind a server that redirects to it."""
_NO_FOLDER: Final = re.compile(r"https?://[^/?#]+/(?:[^?#]*/)?([^/?#]*(?:\{[^/?#]*\}|\.[A-Za-z]{3,5}))(?=[?#]|$)")
_ID_PAIR: Final = re.compile(r"[^?&#]+=\{click_?id\}")
_QUERY: Final = re.compile(r"[?&#]|[^\s/?#&={}]+=")
"""Begins a macro_url that is joined as a query or a fragment."""


def deep_link_warnings(offer: Offer) -> Iterator[str]:
    """Yield a sentence for each reason why deep links to an offer may lose the page or the click id."""
    if not offer.allow_deeplink:
        return
    replaced = [(name, url) for name, url in _urls(offer) if url and _PLACED not in url]
    for name, url in replaced:
        yield from (f"[{name}] {sentence}" for sentence in _path_sentences(url))
    macro_url = with_braces(offer.macro_url or "", _KNOWN)
    with_id = next((url for _, url in replaced if any(each in url for each in _CLICK_IDS)), "")
    if with_id and not any(each in macro_url for each in _CLICK_IDS):
        found = _ID_PAIR.search(with_id)
        yield (
            "[macro_url] A link with redirect= replaces the URL, so that the click id does not arrive. "
            f"Move {found[0] if found else '{clickid}'} from the URL to macro_url, which such links get, too."
        )
    if macro_url and not _QUERY.match(macro_url):
        yield (
            "[macro_url] This text is appended as it is written, also behind the query of a deep link. "
            "Write it as a query, such as &c={clickid}."
        )


def _urls(offer: Offer) -> Iterator[tuple[str, str]]:
    """Yield the URLs to which deep links are joined, by the name of their parameter."""
    yield "url", with_braces(offer.url, _KNOWN)
    for index, landing in enumerate(offer.landings):
        yield f"landings[{index}][url]", with_braces(landing.url, _KNOWN)
    for index, group in enumerate(offer.targeting):
        yield f"targeting[{index}][url]", with_braces(group.url, _KNOWN)
        for place, each in enumerate(group.urls):
            yield f"targeting[{index}][urls][{place}][url]", with_braces(each.url, _KNOWN)


def _path_sentences(url: str) -> Iterator[str]:
    """Yield what happens to the path of a deep link at a URL."""
    if _WITHIN.search(url):
        yield (
            "A deep link is joined to this URL, not to the URL within it. "
            "Write {deeplink} where the page of the shop belongs."
        )
        return
    found = _NO_FOLDER.match(url)
    if found is not None:
        yield (
            f"A deep link is joined behind {found[1]}, which may not be a folder. "
            "Try one, or write {deeplink} where the page of the shop belongs."
        )
