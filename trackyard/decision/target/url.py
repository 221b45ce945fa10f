"""Targets of clicks as URLs that are safe in a header (docs/spec/tracking.md#redirects)."""

from hashlib import blake2b
from typing import Final

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.click.steps import UNKNOWN_OFFER
from trackyard.decision.target.deep_links import append_macro_url, find_deep_link, join_path, leave_out_filled
from trackyard.decision.target.templates import (
    CLICK_MACROS,
    VALUES,
    UrlTemplate,
    compile_url,
    offer_template,
    url_template,
)
from trackyard.domain.tracking.macros import with_braces
from trackyard.domain.tracking.ruleset import RulesetOffer
from trackyard.domain.tracking.subs import SUBS

_DEEPLINK: Final = "{deeplink}"
_VISITOR_MACROS: Final = frozenset({"clickid", "click_id", "pid", "offer_id", *SUBS})
"""The macros of texts that visitors write: what the visitor knows anyway. Others would reveal the affiliate or the
advertiser (docs/spec/tracking.md#deep-links)."""
_STAFF_MACROS: Final = [(f"{{{name}}}", f"%7B{name}%7D") for name in sorted(CLICK_MACROS - _VISITOR_MACROS)]
"""The macros that stay unfilled in texts of visitors, and how they are written into the URL."""


def accepted_url(hit: Hit, route: OfferRoute) -> str:
    """Return the target of an accepted click, plain ASCII, with the offer's macro_url appended.

    The deep link goes first, then the landing, the targeting group's URL and the offer's.
    """
    offer = route.offer
    if "redirect" in hit.params or "path" in hit.params:
        return _deep_link_template(hit, route, chosen_url(hit, route)).fill(hit, offer)
    if not route.single_url or "l" in hit.params:
        return offer_template(append_macro_url(chosen_url(hit, route), offer.macro_url), _own_subs(route)).fill(
            hit, offer
        )
    target = route.target
    if target is None:
        target = route.target = offer_template(append_macro_url(offer.url, offer.macro_url), _own_subs(route))
    return target.fill(hit, offer)


def rejected_url(hit: Hit, offer: RulesetOffer) -> str | None:
    """Return the target of a rejected click, plain ASCII; None when there is none.

    The offer's trafficback URL goes first, then the platform's and the offer's preview URL.
    """
    url = offer.trafficback_url or hit.platform.trafficback_url or offer.preview_url
    return url_template(url).fill(hit, offer) if url else None


def rejected_click_url(hit: Hit, route: OfferRoute) -> str | None:
    """Return the target of a rejected click; a private offer answers strangers as an unknown one."""
    return rejected_url(hit, UNKNOWN_OFFER.offer if route.is_hidden(hit) else route.offer)


def impression_url(hit: Hit, route: OfferRoute) -> str:
    """Return where an impression of an offer is reported, plain ASCII; "" = nowhere.

    A visitor always gets the same of several targets; the share that is missing to 100 goes to impressions_url.
    """
    offer = route.offer
    url = offer.impressions_url
    if offer.impression_urls:
        share = _visitor_share(hit, offer.id)
        for item in offer.impression_urls:
            if share < item.weight:
                url = item.url
                break
            share -= item.weight
    if not url:
        return ""
    # The values of the offer are for targets of clicks alone.
    return offer_template(url, route.subs_key or None).fill(hit, offer)


def chosen_url(hit: Hit, route: OfferRoute) -> str:
    """Return the URL of an accepted click before its macros are filled.

    It is the landing's, the targeting group's or the offer's. A landing goes first: the link selects it, while a
    group's URLs replace the offer's own.
    """
    landing = route.find_landing(hit)
    if landing is not None:
        return landing.url
    targeting = route.targeting
    if targeting is None or not targeting.has_urls:
        return route.offer.url
    group = targeting.find_group(hit, route.personal_only)
    return (group.find_url(_visitor_share(hit, route.id)) if group is not None else "") or route.offer.url


def _visitor_share(hit: Hit, offer_id: int) -> int:
    """Return 0..99, always the same for a visitor of an offer: by address and user agent."""
    key = f"{offer_id}\0{hit.ip}\0{hit.ua}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big") % 100


def _deep_link_template(hit: Hit, route: OfferRoute, url: str) -> UrlTemplate:
    """Return the target of a deep link; a URL with {deeplink} places it by itself."""
    offer = route.offer
    link = find_deep_link(hit, offer)
    if link is None or _DEEPLINK in with_braces(url, CLICK_MACROS):
        return offer_template(append_macro_url(url, offer.macro_url), _own_subs(route))
    # Not cached: visitors write as many of these as they like. Only staff write encoded braces.
    url, macro_url = with_braces(url, CLICK_MACROS), with_braces(offer.macro_url, CLICK_MACROS)
    if link.url:
        wanted = leave_out_filled(_without_staff_macros(link.url), macro_url)
    else:
        wanted = join_path(url, leave_out_filled(_without_staff_macros(link.path), url, macro_url))
    return compile_url(append_macro_url(wanted, macro_url), _own_subs(route))


def _own_subs(route: OfferRoute) -> str | None:
    """Return how targets of clicks have subs, see UrlTemplate."""
    return VALUES + route.subs_key if route.offer.replaced_subs else route.subs_key or None


def _without_staff_macros(text: str) -> str:
    """Return a text of a visitor in which the macros of staff are plain text."""
    if "{" in text:
        for macro, written in _STAFF_MACROS:
            text = text.replace(macro, written)
    return text
