"""Offers (docs/api/offers.md)."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import OfferPage
from trackyard.actions.offers.offers import add_offer, edit_offer, get_editable_id, remove_offers, update_offers
from trackyard.actions.offers.unpaid import unpaid_sentences
from trackyard.actions.people.scope import writable_scope
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.offers.params import AddOffer, EditOffer, PrivacyName, StatusName
from trackyard.api.offers.view import OfferView, offer_view
from trackyard.api.tracking.macro_warnings import warn_of_macros
from trackyard.domain.offers.deep_link_advice import deep_link_warnings
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.macro_registry import MacroPlace
from trackyard.wire.endpoint import UPLOAD_MAX, ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Only, Params, Seq
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()

_URL_OF_EACH: Final = {"__all__": {"url"}}
_CLICK_URLS: Final[Any] = {
    **dict.fromkeys(("url", "url_preview", "trafficback_url", "macro_url", "parallel_tracking_url"), True),
    "impressions_url": True,
    "additional_impression_destination_urls": _URL_OF_EACH,
    "landings": _URL_OF_EACH,
    "targeting": {"__all__": {"url": True, "urls": _URL_OF_EACH}},
}
"""The parameters with URLs in which a click fills macros, as pydantic includes them."""

_DEEP_LINK_FIELDS: Final = frozenset({"allow_deeplink", "url", "landings", "targeting", "macro_url"})
"""The parameters that decide where deep links lead."""


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

    `allowed_ip` and `disallowed_ip` are IP addresses that may or may not report conversions of this offer; visitors are
    selected by `targeting`. `macro_url` is any text that is appended to the target URL, its macros filled.
    The answer warns of macros in URLs that do not exist, and of visitors that get through without a payment that
    matches.
    An unknown name of a country, operating system, browser, brand, region or city is rejected.
    """
    made = add_offer(request.deps, request.access, params.written(request.deps.zone), params.new_files())
    return _answer(request, params, made)


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
    only texts of the same language. An unknown name of a country, operating system, browser, brand, region or city is
    rejected; one that the offer had before is kept, with a warning. `allowed_ip` and `disallowed_ip` are IP addresses
    that may or may not report conversions of this offer; visitors are selected by `targeting`.
    """
    written = params.written(request.deps.zone)
    edited = edit_offer(request.deps, request.access, request.subject, written, params.new_files(), request.warn)
    return _answer(request, params, edited)


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


def _answer(request: ApiRequest[Deps], params: AddOffer | EditOffer, written: OfferPage) -> OfferAnswer:
    """Return the written offer. The stored one is read once more, for visitors without a payment."""
    [item] = written.offers
    _warn_of_macros(request, params)
    _warn_of_deep_links(request, params, item.offer)
    for sentence in unpaid_sentences(request.deps, item.offer.id):
        request.warn(sentence)
    writable = writable_scope(request.deps, request.caller, Permission.OFFERS_WRITE)
    return OfferAnswer(offer=offer_view(written, request.deps, writable), id=item.offer.id)


def _warn_of_deep_links(request: ApiRequest[Deps], params: AddOffer | EditOffer, offer: Offer) -> None:
    if not _DEEP_LINK_FIELDS.isdisjoint(params.model_fields_set):
        for sentence in deep_link_warnings(offer):
            request.warn(sentence)


def _warn_of_macros(request: ApiRequest[Deps], params: AddOffer | EditOffer) -> None:
    warn_of_macros(request, MacroPlace.OFFER_URL, params.model_dump(include=_CLICK_URLS, exclude_none=True))
    warn_of_macros(
        request,
        MacroPlace.POSTBACK,
        params.model_dump(include={"cross_postback_url", "cross_postback_body"}, exclude_none=True),
    )


def _listed(values: Iterable[object]) -> str:
    return ", ".join(str(value) for value in values)
