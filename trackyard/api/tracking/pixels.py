"""Pixels of affiliates (docs/api/pixels.md)."""

from typing import Annotated, ClassVar
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.tracking import pixels
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.people.views import OfferRef, offer_ref
from trackyard.api.tracking.macro_warnings import warn_of_macros
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.lists import OfferName
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.macro_registry import MacroPlace
from trackyard.domain.tracking.pixels import REJECTED, TAGS, Pixel
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Only, Params, RequiredFor
from trackyard.wire.response.envelope import Answer, Pagination, View, pagination
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_find_owner = in_scope_by_number(pixels.get_owner_id)
_find = in_scope_by_number(pixels.get_pixel)

Code = Annotated[str, s.BoundedText(minimum=1, maximum=20_000)]
Kind = Annotated[str, s.Choice(tuple(TAGS))]
Moderation = Annotated[int, s.WholeNumber(minimum=min(REJECTED), maximum=max(REJECTED))]


class ListAffiliatePixels(Params):
    """The filter of a list. moderation_status: any of these; -1 and 2 both mean rejected."""

    moderation_status: AnyOf[Moderation] = ()

    def statuses(self) -> frozenset[int]:
        """Return the stored numbers that are meant; none = all."""
        wanted = frozenset(self.moderation_status)
        return wanted | REJECTED if wanted & REJECTED else wanted


class ListPixels(ListAffiliatePixels):
    """The filters of a list. pid: any of these affiliates."""

    pid: Annotated[AnyOf[s.Id], Only(admin=True)] = ()


class AddPixel(Params):
    """Code for visitors' browsers, for one offer.

    moderation_status: 0 waits, 1 accepted, -1 (or 2) rejected.
    """

    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None
    offer_id: s.Id
    name: s.Name
    code: Code
    code_type: Kind
    is_active: Annotated[s.Flag, Only(admin=True)] = True
    moderation_status: Annotated[Moderation | None, Only(admin=True)] = None


class EditPixel(Params):
    """Changes of a pixel; what is not sent stays."""

    edits: ClassVar[bool] = True

    name: s.Name | None = None
    code: Code | None = None
    code_type: Kind | None = None
    is_active: Annotated[s.Flag | None, Only(admin=True)] = None
    moderation_status: Annotated[Moderation | None, Only(admin=True)] = None


class OfferInPixel(OfferRef):
    """The offer that a pixel belongs to."""

    preview_url: str


class PixelView(View):
    """A pixel; visitors get it while it is active and accepted.

    moderation_status: 0 waits, 1 accepted, -1 or 2 rejected.
    """

    id: int
    name: str
    code: str
    code_type: str
    offer_id: str
    offer: OfferInPixel | None
    pid: str
    is_active: str
    moderation_status: str
    created_at: str
    updated_at: str


class PixelAnswer(Answer):
    """One pixel."""

    pixel: PixelView


class PixelsAnswer(Answer):
    """Pixels by their id, all on one page."""

    pixel: dict[str, PixelView]
    pagination: Pagination


@routes.get("/partner/pixels", for_callers(Permission.PIXELS_WRITE), id="partner.pixels.list")
def list_own(request: ApiRequest[Deps], params: ListPixels) -> PixelsAnswer:
    """List the caller's pixels by their id. Staff see pixels of every affiliate in their scope."""
    return _listed(request, pixels.list_pixels(request.deps, request.access, params.pid, params.statuses()))


@routes.get("/partner/pixels/{id}", for_staff(Permission.PIXELS_WRITE), id="partner.pixels.list-of", find=_find_owner)
def list_of_affiliate(request: ApiRequest[Deps], params: ListAffiliatePixels) -> PixelsAnswer:
    """List an affiliate's pixels by their id."""
    return _listed(request, pixels.list_of_affiliate(request.deps, request.subject, params.statuses()))


@routes.post("/partner/pixel", for_callers(Permission.PIXELS_WRITE), id="partner.pixel.add")
def add(request: ApiRequest[Deps], params: AddPixel) -> PixelAnswer:
    """Add a pixel to an offer. An affiliate's waits until staff accept it."""
    pixel = pixels.add_pixel(request.deps, request.access, **params.model_dump())
    warn_of_macros(request, MacroPlace.POSTBACK, {"code": params.code}, likely_only=True)
    return _answer(request, pixel)


@routes.post("/partner/pixel/{id}", for_callers(Permission.PIXELS_WRITE), id="partner.pixel.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditPixel) -> PixelAnswer:
    """Change a pixel. Other code of an affiliate waits until staff accept it."""
    changes = params.model_dump(exclude_none=True)
    pixel = pixels.edit_pixel(request.deps, request.access, request.subject.id, changes)
    warn_of_macros(request, MacroPlace.POSTBACK, {"code": params.code or ""}, likely_only=True)
    return _answer(request, pixel)


@routes.delete(
    "/partner/pixel/{id}/remove", for_callers(Permission.PIXELS_WRITE), id="partner.pixel.remove", find=_find
)
def remove(request: ApiRequest[Deps], _params: NoParams) -> PixelAnswer:
    """Remove a pixel. Answers with the removed record."""
    return _answer(request, pixels.remove_pixel(request.deps, request.access, request.subject.id))


def pixel_view(row: Pixel, offer: OfferName | None, zone: ZoneInfo) -> PixelView:
    """Return the view of a pixel. offer: None when the offer has no row."""
    return view_of(
        PixelView,
        row,
        offer_id=str(row.offer_id),
        offer=offer_ref(OfferInPixel, offer),
        pid=str(row.affiliate_id),
        is_active=str(int(row.is_active)),
        moderation_status=str(row.moderation_status),
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
    )


def _answer(request: ApiRequest[Deps], row: Pixel) -> PixelAnswer:
    names = pixels.offer_names(request.deps, [row])
    return PixelAnswer(pixel=pixel_view(row, names.get(row.offer_id), request.deps.zone))


def _listed(request: ApiRequest[Deps], rows: list[Pixel]) -> PixelsAnswer:
    names = pixels.offer_names(request.deps, rows)
    views = {str(row.id): pixel_view(row, names.get(row.offer_id), request.deps.zone) for row in rows}
    page = pagination(page=1, per_page=max(len(views), 1), total=len(views))
    return PixelsAnswer(pixel=views, pagination=page)
