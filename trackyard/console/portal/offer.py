"""One offer of an affiliate: conditions, link, request for it (docs/spec/console.md#portal)."""

from dataclasses import dataclass
from typing import Final

from trackyard.api.offers import lists, tickets
from trackyard.api.offers.feeds import product_feeds
from trackyard.api.offers.view_affiliate import FullAffiliateOfferView
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import every_row, rows_file
from trackyard.console.offers.own_listing import CONNECTED, connection_of
from trackyard.console.offers_shown.caps import find_meters
from trackyard.console.offers_shown.payments import payment_conditions, payment_goal
from trackyard.console.offers_shown.who_gets_through import sentences
from trackyard.console.offers_shown.words import payout
from trackyard.console.people.threads import threads_card
from trackyard.console.portal.click_test import find_own_test
from trackyard.console.portal.links import link_form
from trackyard.console.portal.words import sentences_of
from trackyard.console.qr_codes import qr_svg
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.people.threads import ThreadSubject

pages = Pages()

LONGEST_COMMENT: Final = 2000
_NO_COMMENT: Final = lazy_gettext("Say how you want to promote the offer.")


@dataclass(frozen=True, slots=True)
class OwnPayment:
    """A payment in words, as the affiliate earns it."""

    goal: str
    only: str
    payout: str


def find_own_offer(request: PageRequest) -> FullAffiliateOfferView:
    """Return the offer of the path as the affiliate sees it. Raises NotFound."""
    return request.calls.ask_as(lists.AffiliateOfferAnswer, lists.get, path=request.path).offer


@pages.get("/portal/offers/{id}", audience="affiliate", needs=(lists.get,))
def offer_page(request: PageRequest) -> PageAnswer:
    """Show an offer."""
    return _page(request, find_own_offer(request))


@pages.get("/portal/offers/{id}/products", audience="affiliate", needs=(lists.get, product_feeds.list_for_affiliate))
def products(request: PageRequest) -> PageAnswer:
    """Give the products of the offer's feed with the affiliate's links, as a CSV file."""
    offer = find_own_offer(request)
    if not offer.product_feed_id:
        raise NotFound
    sent = [("affiliate_id", str(request.person.caller.id)), ("offer_id", str(offer.id))]
    path = {"id": offer.product_feed_id}
    rows = every_row(request, product_feeds.list_for_affiliate, lambda answer: answer.data, sent, path)
    return rows_file(f"products-of-offer-{offer.id}", rows)


@pages.post("/portal/offers/{id}/request", audience="affiliate", needs=(tickets.request_connection,))
def ask_to_join(request: PageRequest) -> PageAnswer:
    """Ask for the connection to an offer."""
    offer = find_own_offer(request)
    comment = request.field("comment").strip()
    if not comment:
        return _page(request, offer, comment, _NO_COMMENT, 400)
    try:
        sent = [("offer_id", str(offer.id)), ("comment", comment[:LONGEST_COMMENT])]
        answer = request.calls.ask(tickets.request_connection, sent)
    except BadInput as refusal:
        return _page(request, offer, comment, sentences_of(refusal), 400)
    return Redirect(f"/portal/offers/{offer.id}", f"{offer.title}: {answer.message.lower()}.")


def _page(
    request: PageRequest, offer: FullAffiliateOfferView, comment: str = "", fault: str = "", status: int = 200
) -> PageAnswer:
    connection, link = connection_of(offer), link_form(offer, request.address)
    meters = find_meters(request.calls, [offer.id] if offer.caps else [], request.deps.currency)
    return request.page(
        "portal/offer.html",
        status,
        offer=offer,
        rule=OfferStatus(offer.status).rule,
        connection=connection,
        is_connected=connection is CONNECTED,
        may_ask=offer.required_approval and request.calls.may(tickets.request_connection),
        sentences=sentences(offer, request.time_of, is_own=True),
        payments=[OwnPayment(payment_goal(each), payment_conditions(each), payout(each)) for each in offer.payments],
        meters=meters.get(offer.id, []),
        written=threads_card(request, ThreadSubject.OFFER, offer.id),
        link=link,
        click_test=find_own_test(request, offer) if connection is CONNECTED else None,
        code=qr_svg(link.short, gettext("QR code of %(short)s", short=link.short))
        if link.short and request.address.get("qr")
        else None,
        kpi=next((text for text in (offer.kpi.get("en"), *offer.kpi.values()) if text), ""),
        comment=comment,
        fault=fault,
        longest_comment=LONGEST_COMMENT,
        api_request_path=request.calls.address(lists.get, path={"id": str(offer.id)}),
    )
