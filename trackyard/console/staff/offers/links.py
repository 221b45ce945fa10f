"""The tracking links of an offer for an affiliate."""

from dataclasses import dataclass

from trackyard.api.offers import lists
from trackyard.api.offers.view import OfferView
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.request import PageRequest
from trackyard.domain.offers.choices import OfferStatus


@dataclass(frozen=True, slots=True)
class OfferLink:
    """A link to publish. title: of its landing page, "" = the offer itself."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class OfferLinks:
    """The links of an affiliate. warning: why clicks on them are rejected, "" = they are not."""

    affiliate: str
    links: tuple[OfferLink, ...]
    warning: str


def find_links(request: PageRequest, offer: OfferView) -> OfferLinks:
    """Return the links for the affiliate of the address; without one, the beginning of all links.

    The API gives links of affiliates that may send traffic. For others the link is put together, with a warning.
    """
    affiliate = request.address.get("affiliate").strip()
    given = affiliate if affiliate.isascii() and affiliate.isdecimal() and len(affiliate) < 10 else ""
    base = _base(request, offer.id)
    plain = (OfferLink("", f"{base}{given}"),)
    if not given or not request.calls.may(lists.list_own):
        return OfferLinks(given, plain, "")
    found = request.calls.ask(lists.list_own, [("pid", given), ("int_id[]", str(offer.id))]).offers
    links = tuple(OfferLink(each.title or "", each.url) for own in found for each in own.links)
    if links:
        return OfferLinks(given, links, "")
    reason = (
        gettext("the offer is not active")
        if not OfferStatus(offer.status).rule.takes_clicks
        else gettext("the affiliate is not connected to the offer")
    )
    return OfferLinks(given, plain, gettext("Clicks on this link are rejected now: %(reason)s.", reason=reason))


def _base(request: PageRequest, number: int) -> str:
    """Return the beginning of an offer's links."""
    sent = [("int_id[]", str(number)), *(("status[]", each) for each in OfferStatus)]
    found = request.calls.ask_as(lists.OffersAnswer, lists.list_offers, sent).offers
    return found[0].link if found else ""
