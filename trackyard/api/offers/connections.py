"""Connections of affiliates to offers, and the links that they give (docs/api/connections.md)."""

from typing import Final
from urllib.parse import urlencode

from trackyard.actions.deps import Deps
from trackyard.actions.offers import connections
from trackyard.actions.offers.lists import get_for_affiliate
from trackyard.api.every_sub import with_every_sub
from trackyard.api.lookups import in_scope_by_number, in_scope_by_reference
from trackyard.api.offers.view import level_of
from trackyard.api.offers.view_affiliate import ViewContext, links_of
from trackyard.base.errors import BadInput
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()
_find_offer = in_scope_by_reference(connections.get_offer)
_CONNECTORS = for_staff(Permission.OFFERS_CONNECT)
_NOT_CONNECTED: Final = "Affiliate {affiliate} may not send clicks to offer {offer}: connect it first."
_find_affiliate = in_scope_by_number(connections.get_affiliate)


class ConnectionParams(Params):
    """An affiliate, and the offers it is connected to or taken off."""

    offer_id: Seq[s.Id]
    pid: s.Id
    notice: s.Flag = True


@with_every_sub
class LinkParams(Params):
    """The affiliate of a link, and values that the link carries."""

    affiliate_id: s.Id
    sub1: s.LongText = ""


class TrackingLinkAnswer(Answer):
    """A tracking link of an affiliate."""

    tracking_link: str


class OfferPrivacyAnswer(Answer):
    """Who may send clicks to an offer.

    privacy_level: 0 public, 1 protected, 2 private.
    """

    affiliates_disabled: list[int]
    affiliates_enabled: list[int]
    privacy_level: int


class CountedOffers(Params):
    """The offers of which affiliates are counted."""

    offer_id: Seq[s.Id]


class OfferAffiliatesView(View):
    """How many affiliates staff connected to an offer, and how many they disconnected from it."""

    offer_id: int
    enabled: int
    disabled: int


class OffersAffiliatesAnswer(Answer):
    """Numbers of affiliates, by the numbers of offers."""

    offers: list[OfferAffiliatesView]


class ConnectionMessageAnswer(Answer):
    """The result in words."""

    message: str


@routes.post("/offer/enable-affiliate", _CONNECTORS, id="offer.affiliate.enable")
def enable_affiliate(request: ApiRequest[Deps], params: ConnectionParams) -> ConnectionMessageAnswer:
    """Connect an affiliate to offers, all or none.

    A mail lists the offers that are new to it, unless notice=0.
    """
    connections.connect_affiliate(request.deps, request.access, params.pid, params.offer_id, notice=params.notice)
    return ConnectionMessageAnswer(message=f"Affiliate {params.pid} is connected to offers: {_listed(params.offer_id)}")


@routes.post("/offer/disable-affiliate", _CONNECTORS, id="offer.affiliate.disable")
def disable_affiliate(request: ApiRequest[Deps], params: ConnectionParams) -> ConnectionMessageAnswer:
    """Take an affiliate off offers, public ones too, until it is connected again.

    A mail lists the offers, unless notice=0.
    """
    connections.disconnect_affiliate(request.deps, request.access, params.pid, params.offer_id, notice=params.notice)
    return ConnectionMessageAnswer(
        message=f"Affiliate {params.pid} is disconnected from offers: {_listed(params.offer_id)}"
    )


@routes.post("/admin/offer/{id}/disable-affiliates", _CONNECTORS, id="admin.offer.disable-affiliates", find=_find_offer)
def disable_affiliates(request: ApiRequest[Deps], _params: NoParams) -> ConnectionMessageAnswer:
    """Take every affiliate off a private or protected offer.

    A manager's call takes off its own affiliates.
    """
    offer: Offer = request.subject
    count = connections.disconnect_affiliates(request.deps, request.access, offer.id)
    return ConnectionMessageAnswer(message=f"Affiliates disconnected from offer {offer.id}: {count}")


@routes.post(
    "/admin/affiliate/{id}/disable-offers", _CONNECTORS, id="admin.affiliate.disable-offers", find=_find_affiliate
)
def disable_offers(request: ApiRequest[Deps], _params: NoParams) -> ConnectionMessageAnswer:
    """Take an affiliate off every private or protected offer."""
    affiliate: Affiliate = request.subject
    count = connections.disconnect_offers(request.deps, request.access, affiliate.id)
    return ConnectionMessageAnswer(message=f"Offers that affiliate {affiliate.id} is disconnected from: {count}")


@routes.get("/offers/{id}/privacy", _CONNECTORS, id="offer.privacy.get", find=_find_offer)
def show_privacy(request: ApiRequest[Deps], _params: NoParams) -> OfferPrivacyAnswer:
    """Show who may send clicks to an offer: its privacy, and affiliates with a decision by staff.

    Managers see their own affiliates alone.
    """
    offer: Offer = request.subject
    states = connections.list_states(request.deps, request.access, offer.id)
    return OfferPrivacyAnswer(
        affiliates_disabled=[each for each, enabled in states.items() if not enabled],
        affiliates_enabled=[each for each, enabled in states.items() if enabled],
        privacy_level=level_of(offer),
    )


@routes.get("/admin/offers/affiliates", _CONNECTORS, id="admin.offers.affiliates")
def count_affiliates(request: ApiRequest[Deps], params: CountedOffers) -> OffersAffiliatesAnswer:
    """Count the affiliates with a decision by staff, of several offers at once.

    Offers that the caller does not see are left out. Managers count their own affiliates alone.
    """
    found = connections.count_affiliates(request.deps, request.access, params.offer_id)
    views = [
        OfferAffiliatesView(offer_id=number, enabled=enabled, disabled=disabled)
        for number, (enabled, disabled) in found.items()
    ]
    return OffersAffiliatesAnswer(offers=views)


@routes.post("/admin/offer/{id}/tracking-link", _CONNECTORS, id="admin.offer.tracking-link", find=_find_offer)
def make_link(request: ApiRequest[Deps], params: LinkParams) -> TrackingLinkAnswer:
    """Make the tracking link of an affiliate for an offer. Nothing is stored, so that a link never ends.

    400 for an affiliate that may not send clicks to the offer: connect it first.
    """
    offer: Offer = request.subject
    page = get_for_affiliate(request.deps, request.access, offer, params.affiliate_id)
    view_context = ViewContext(params.affiliate_id, request.deps, request.version)
    links = links_of(offer, page.related, view_context)
    if not links:
        raise BadInput({"affiliate_id": [_NOT_CONNECTED.format(affiliate=params.affiliate_id, offer=offer.id)]})
    subs = {name: value for name in SUBS if (value := getattr(params, name))}
    return TrackingLinkAnswer(tracking_link=links[0].url + (f"&{urlencode(subs)}" if subs else ""))


def _listed(offer_ids: tuple[int, ...]) -> str:
    return ", ".join(str(number) for number in dict.fromkeys(offer_ids))
