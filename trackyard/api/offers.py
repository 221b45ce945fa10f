"""Offers and who is connected to them (spec: Admin: offers)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.offer_lists import get_offer
from trackyard.actions.offers import add_offer, connect_affiliate
from trackyard.api.offer_params import AddOffer
from trackyard.api.offer_view import OfferView, offer_view
from trackyard.domain.roles import Permission
from trackyard.wire import scalars as s
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.envelope import Answer
from trackyard.wire.params import OneOrMany, Params


class OfferAnswer(Answer):
    """One offer."""

    offer: OfferView
    id: int


class EnableAffiliate(Params):
    """An affiliate, and the offers it is connected to."""

    offer_id: OneOrMany[s.Id]
    pid: s.Id
    notice: Annotated[bool, s.ZeroOne()] = True


class MessageAnswer(Answer):
    """What was done, in words."""

    message: str


def add(call: Call[Deps], params: AddOffer) -> OfferAnswer:
    """Create an offer."""
    row = add_offer(call.deps, call.caller, params.new_offer())
    shown = get_offer(call.deps, call.caller, str(row.id))
    return OfferAnswer(offer=offer_view(shown, call.deps), id=row.id)


def enable_affiliate(call: Call[Deps], params: EnableAffiliate) -> MessageAnswer:
    """Connect an affiliate to offers."""
    connect_affiliate(call.deps, call.caller, params.pid, params.offer_id)
    offers = ", ".join(str(number) for number in params.offer_id)
    return MessageAnswer(message=f"Affiliate {params.pid} is connected to offers: {offers}")


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="admin.offer.add",
        method="POST",
        path="/admin/offer",
        audience="staff",
        permission=Permission.OFFERS_WRITE,
        params=AddOffer,
        answer=OfferAnswer,
        handle=add,
    ),
    Endpoint(
        id="offer.affiliate.enable",
        method="POST",
        path="/offer/enable-affiliate",
        audience="staff",
        permission=Permission.OFFERS_CONNECT,
        params=EnableAffiliate,
        answer=MessageAnswer,
        handle=enable_affiliate,
    ),
)
