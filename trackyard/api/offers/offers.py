"""Offers (docs/api/offers.md)."""

from collections.abc import Iterable
from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import get_written
from trackyard.actions.offers.offers import add_offer, edit_offer, get_editable_id, remove_offers, update_offers
from trackyard.actions.people.scope import scope_for
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.offers.params import AddOffer, EditOffer, PrivacyName, StatusName
from trackyard.api.offers.view import OfferView, offer_view
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import UPLOAD_MAX, ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Only, Params, Seq
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()


class OfferAnswer(Answer):
    """One offer."""

    offer: OfferView
    id: int


class OffersMessageAnswer(Answer):
    """The result in words."""

    message: str


class RemoveOffers(Params):
    """Offers to remove."""

    offer_id: Seq[s.Id]


class UpdateOffers(Params):
    """Offers, and what all of them get."""

    offer_id: Seq[s.Id]
    status: StatusName | None = None
    privacy: Annotated[PrivacyName | None, Only(since="3.1")] = None


@routes.post("/admin/offer", for_staff(Permission.OFFERS_WRITE), id="admin.offer.add", body_max=UPLOAD_MAX)
def add(request: ApiRequest[Deps], params: AddOffer) -> OfferAnswer:
    """Create an offer.

    `allowed_ip` and `disallowed_ip` are addresses that may or may not report conversions of this offer; visitors are
    selected by `targeting`. `macro_url` is any text that is appended to the target URL, its macros filled.
    An unknown name of a country, operating system, browser, brand, region or city is rejected.
    """
    return _shown(
        request, add_offer(request.deps, request.access, params.written(request.deps.zone), params.new_files())
    )


@routes.post(
    "/admin/offer/{id}",
    for_staff(Permission.OFFERS_WRITE),
    id="admin.offer.edit",
    find=in_scope_by_reference(get_editable_id),
    body_max=UPLOAD_MAX,
)
def edit(request: ApiRequest[Deps], params: EditOffer) -> OfferAnswer:
    """Change an offer.

    What is not sent stays; an empty value clears. A list replaces the stored one; a payment with the goal of the
    stored one in its place keeps what it does not say. A tier keeps its counters while only value and modifier_value
    change, an empty commission_tiers deletes all; any other tier counts from the edit on. Texts by language replace
    those of their language alone. An unknown name of a country, operating system, browser, brand, region or city is
    rejected; one that the offer had before is kept, with a warning. `allowed_ip` and `disallowed_ip` are addresses that
    may or may not report conversions of this offer; visitors are selected by `targeting`.
    """
    written = params.written(request.deps.zone)
    return _shown(
        request, edit_offer(request.deps, request.access, request.subject, written, params.new_files(), request.warn)
    )


@routes.post("/admin/offer/delete", for_staff(Permission.OFFERS_WRITE), id="admin.offer.delete")
def remove(request: ApiRequest[Deps], params: RemoveOffers) -> OffersMessageAnswer:
    """Remove offers, all or none. Their clicks and conversions stay."""
    gone = remove_offers(request.deps, request.access, params.offer_id)
    return OffersMessageAnswer(message=f"Removed offers: {_listed(f'{offer.id} ({offer.title})' for offer in gone)}")


@routes.post("/admin/offer/mass-update", for_staff(Permission.OFFERS_WRITE), id="admin.offer.mass-update")
def update(request: ApiRequest[Deps], params: UpdateOffers) -> OffersMessageAnswer:
    """Change the status or privacy of several offers, all or none. Without either nothing changes."""
    changes = {name: value for name in ("status", "privacy") if (value := getattr(params, name)) is not None}
    return OffersMessageAnswer(
        message=f"Updated offers: {_listed(update_offers(request.deps, request.access, params.offer_id, changes))}"
    )


def _shown(request: ApiRequest[Deps], offer: Offer) -> OfferAnswer:
    writable = scope_for(request.deps, request.caller, Permission.OFFERS_WRITE)
    return OfferAnswer(offer=offer_view(get_written(request.deps, offer.id), request.deps, writable), id=offer.id)


def _listed(values: Iterable[object]) -> str:
    return ", ".join(str(value) for value in values)
