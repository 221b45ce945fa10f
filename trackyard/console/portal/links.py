"""The link of an affiliate, made from the parameters of an address (docs/spec/console.md#portal)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode, urlsplit

from trackyard.api.offers.view_affiliate import AffiliateOfferView, FullAffiliateOfferView
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.domain.tracking.subs import SUBS

LONGEST_SUB: Final = 500
"""Characters of a sub."""
_LONGEST_PATH: Final = 2000


@dataclass(frozen=True, slots=True)
class LinkForm:
    """The form that makes a link, with what was chosen.

    landings: values and titles, the offer itself first. subs: values by name.
    path: the deep link. has_path: whether the offer takes one.
    url, short: the complete addresses; "" while the affiliate may not send clicks.
    """

    landings: tuple[tuple[str, str], ...]
    landing: str
    subs: Mapping[str, str]
    path: str
    has_path: bool
    url: str
    short: str


def link_form(offer: AffiliateOfferView, address: PageAddress, subs: Sequence[str] = SUBS) -> LinkForm:
    """Return the form of an offer. subs: the names of the fields."""
    links = {str(link.id or ""): link for link in offer.links}
    chosen = address.get("landing")
    given = {name: address.get(name).strip()[:LONGEST_SUB] for name in subs}
    has_path = isinstance(offer, FullAffiliateOfferView) and bool(offer.allow_deeplink)
    path = address.get("path").strip()[:_LONGEST_PATH] if has_path else ""
    landings = tuple((value, link.title or "") for value, link in links.items())
    link = links.get(chosen) or links.get("")
    if link is None:
        return LinkForm(landings, "", given, path, has_path, "", "")
    sent = [(name, value) for name, value in given.items() if value] + _deep_link(path)
    place = urlsplit(link.url)
    url = f"{link.url}&{urlencode(sent)}" if sent else link.url
    short = f"{place.scheme}://{place.netloc}/{link.hash}" + (f"?{urlencode(sent)}" if sent else "")
    return LinkForm(landings, str(link.id or ""), given, path, has_path, url, short)


def _deep_link(path: str) -> list[Pair]:
    """Return the parameter of a deep link: a complete address, or what is appended to the target."""
    if not path:
        return []
    return [("redirect" if path.startswith(("http://", "https://")) else "path", path)]
