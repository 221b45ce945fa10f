"""Connections of affiliates to offers (docs/api/connections.md)."""

from trackyard.actions.deps import Deps
from trackyard.actions.offers import connections
from trackyard.api.lookups import in_scope_by_number, in_scope_by_reference
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()
_find_offer = in_scope_by_reference(connections.get_offer)
_CONNECTORS = for_staff(Permission.OFFERS_CONNECT)
_find_affiliate = in_scope_by_number(connections.get_affiliate)


class ConnectionParams(Params):
    """An affiliate, and the offers it is connected to or taken off."""

    offer_id: Seq[s.Id]
    pid: s.Id
    notice: s.Flag = True


class ConnectionMessageAnswer(Answer):
    """The result in words."""

    message: str


@routes.post("/offer/enable-affiliate", _CONNECTORS, id="offer.affiliate.enable")
def enable_affiliate(request: ApiRequest[Deps], params: ConnectionParams) -> ConnectionMessageAnswer:
    """Connect an affiliate to offers, all or none.

    A mail names the offers that are new to it, unless notice=0.
    """
    connections.connect_affiliate(request.deps, request.access, params.pid, params.offer_id, notice=params.notice)
    return ConnectionMessageAnswer(message=f"Affiliate {params.pid} is connected to offers: {_listed(params.offer_id)}")


@routes.post("/offer/disable-affiliate", _CONNECTORS, id="offer.affiliate.disable")
def disable_affiliate(request: ApiRequest[Deps], params: ConnectionParams) -> ConnectionMessageAnswer:
    """Take an affiliate off offers, public ones too, until it is connected again.

    A mail names the offers, unless notice=0.
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


def _listed(offer_ids: tuple[int, ...]) -> str:
    return ", ".join(str(number) for number in dict.fromkeys(offer_ids))
