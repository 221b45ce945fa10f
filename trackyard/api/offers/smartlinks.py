"""SmartLink categories (docs/api/smartlinks.md)."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from trackyard.actions.deps import Deps
from trackyard.actions.offers import smartlinks
from trackyard.actions.offers.smartlinks import SmartLinkRecord
from trackyard.api.lookups import by_hex
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_READERS = for_staff(Permission.OFFERS_READ)
_WRITERS = for_staff(Permission.SMARTLINKS_WRITE)
_find = by_hex(smartlinks.get_smartlink)

DomainId = Annotated[s.Id | None, Clearable()]
Description = Annotated[s.LongText | None, Clearable()]


class ListSmartLinks(Params):
    """The filter of a list, none = all, and its order.

    name: parts of the name, in any case. order: `_id` is another name of `id`.
    """

    id: Seq[s.Text] = ()
    name: AnyOf[s.Text] = ()
    order: Annotated[str, s.Choice(("id", "_id", "name", "domain", "description", "count_offer", "created_at"))] = "id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"


class ListAffiliateSmartLinks(Params):
    """The filter of a list, none = all."""

    id: Seq[s.Text] = ()


class EditSmartLink(Params):
    """Changes of a SmartLink category."""

    name: s.Name | None = None
    domain_id: DomainId = None
    description: Description = None


class AddSmartLink(EditSmartLink):
    """A new SmartLink category; an empty domain_id is the platform's domain."""

    name: s.Name


class SmartLinkView(View):
    """A SmartLink category. domain: the host of its links. domain_id: null = the platform's domain."""

    _id: str
    name: str
    domain: str
    domain_id: int | None
    use_https: bool
    description: str | None
    count_offer: int
    created_at: str
    updated_at: str


class AffiliateSmartLinkView(View):
    """A SmartLink category as affiliates see it."""

    _id: str
    name: str
    domain: str
    use_https: bool
    description: str | None
    created_at: str


class SmartLinksAnswer(Answer):
    """SmartLink categories."""

    data: list[SmartLinkView]


class AffiliateSmartLinksAnswer(Answer):
    """SmartLink categories, for an affiliate."""

    data: list[AffiliateSmartLinkView]


class SmartLinkAnswer(Answer):
    """One SmartLink category, under both of its keys."""

    data: SmartLinkView
    category: SmartLinkView


class OfferCountView(View):
    """A number of offers."""

    count: int


class SmartLinkOfferCountAnswer(Answer):
    """A number of offers."""

    data: OfferCountView


@routes.get("/admin/smartlink/categories", _READERS, id="admin.smartlink.categories.list")
def list_all(request: ApiRequest[Deps], params: ListSmartLinks) -> SmartLinksAnswer:
    """List the SmartLink categories, by default the oldest first."""
    wanted = [text.lower() for text in params.id] or None
    parts = [text.strip().casefold() for text in params.name if text.strip()]
    found = smartlinks.list_smartlinks(request.deps, wanted)
    if parts:
        found = [each for each in found if any(part in each.smartlink.name.casefold() for part in parts)]
    return SmartLinksAnswer(data=_ordered([_view(request, record) for record in found], params))


@routes.post("/admin/smartlink/category", _WRITERS, id="admin.smartlink.category.add")
def add(request: ApiRequest[Deps], params: AddSmartLink) -> SmartLinkAnswer:
    """Create a SmartLink category."""
    return _answer(request, smartlinks.add_smartlink(request.deps, params.name, params.domain_id, params.description))


@routes.post("/admin/smartlink/category/{id}", _WRITERS, id="admin.smartlink.category.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditSmartLink) -> SmartLinkAnswer:
    """Change a SmartLink category. What is left out stays; an empty domain_id is the platform's domain."""
    return _answer(
        request,
        smartlinks.edit_smartlink(request.deps, request.subject.smartlink.id, params.model_dump(exclude_unset=True)),
    )


@routes.post("/admin/smartlink/category/{id}/remove", _WRITERS, id="admin.smartlink.category.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> SmartLinkAnswer:
    """Remove a SmartLink category from all offers. Answers with the removed record."""
    return _answer(request, smartlinks.remove_smartlink(request.deps, request.subject.smartlink.id))


@routes.get("/admin/smartlink/category/{id}/offers-count", _READERS, id="admin.smartlink.category.count", find=_find)
def count(request: ApiRequest[Deps], _params: NoParams) -> SmartLinkOfferCountAnswer:
    """Count the offers of a SmartLink category. An affiliate counts the active ones it may see."""
    return SmartLinkOfferCountAnswer(
        data=OfferCountView(count=smartlinks.count_offers(request.deps, request.caller, request.subject))
    )


count_for_callers = routes.get(
    "/partner/smartlink/category/{id}/offers-count",
    for_callers(Permission.OFFERS_READ),
    id="partner.smartlink.category.count",
    find=_find,
)(count.handle)


@routes.get(
    "/partner/smartlink/categories", for_callers(Permission.OFFERS_READ), id="partner.smartlink.categories.list"
)
def list_for_affiliates(request: ApiRequest[Deps], params: ListAffiliateSmartLinks) -> AffiliateSmartLinksAnswer:
    """List the SmartLink categories, as affiliates see them."""
    wanted = [text.lower() for text in params.id] or None
    found = smartlinks.list_smartlinks(request.deps, wanted)
    views = [_view(request, record) for record in found]
    return AffiliateSmartLinksAnswer(data=[view_of(AffiliateSmartLinkView, view) for view in views])


_ORDERS: Final[Mapping[str, Callable[[SmartLinkView], Any]]] = {
    "name": lambda view: view.name.casefold(),
    "domain": lambda view: view.domain,
    "description": lambda view: (view.description or "").casefold(),
    "count_offer": lambda view: view.count_offer,
}
"""What the list is ordered by besides the time of creation."""


def _ordered(views: list[SmartLinkView], params: ListSmartLinks) -> list[SmartLinkView]:
    """Return views, oldest first, in the order of a request. Equal ones stay oldest first."""
    falls = params.orderType == "desc"
    if params.order not in _ORDERS:
        return views[::-1] if falls else views
    return sorted(views, key=_ORDERS[params.order], reverse=falls)


def _answer(request: ApiRequest[Deps], record: SmartLinkRecord) -> SmartLinkAnswer:
    view = _view(request, record)
    return SmartLinkAnswer(data=view, category=view)


def _view(request: ApiRequest[Deps], record: SmartLinkRecord) -> SmartLinkView:
    row, platform = record.smartlink, urlsplit(request.deps.tracking_url)
    return view_of(
        SmartLinkView,
        row,
        _id=row.id,
        domain=platform.netloc if record.domain is None else record.domain.url,
        use_https=platform.scheme == "https" if record.domain is None else record.domain.use_https,
        count_offer=record.offers,
        created_at=datetime_text(row.created_at, request.deps.zone),
        updated_at=datetime_text(row.updated_at, request.deps.zone),
    )
