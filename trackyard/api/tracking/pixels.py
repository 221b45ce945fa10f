"""Pixels of affiliates (docs/api/pixels.md)."""

from typing import Annotated, ClassVar
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.tracking import pixels
from trackyard.api.paths import path_number
from trackyard.api.people.views import OfferRef
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.pixels import REJECTED, TAGS
from trackyard.store.offers.offers import OfferName
from trackyard.store.tracking.pixels import Pixel
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Needed, NoParams, Only, Params
from trackyard.wire.response.envelope import Answer, View

Code = Annotated[str, s.Words(least=1, most=20_000)]
Kind = Annotated[str, s.Choice(tuple(TAGS))]
Moderation = Annotated[int, s.Whole(least=min(REJECTED), most=max(REJECTED))]


class ListPixelsOf(Params):
    """Which pixels. moderation_status: any of these; -1 and 2 both mean rejected."""

    moderation_status: AnyOf[Moderation] = ()

    def statuses(self) -> frozenset[int]:
        """Return the stored numbers that are meant; none = all."""
        wanted = frozenset(self.moderation_status)
        return wanted | REJECTED if wanted & REJECTED else wanted


class ListPixels(ListPixelsOf):
    """Which pixels. pid: of any of these affiliates."""

    pid: Annotated[AnyOf[s.Id], Only(admin=True)] = ()


class AddPixel(Params):
    """Code for visitors' browsers, for one offer. moderation_status: 0 waits, 1 accepted, -1 (or 2) rejected."""

    pid: Annotated[s.Id | None, Only(admin=True), Needed(staff=True)] = None
    offer_id: s.Id
    name: s.Name
    code: Code
    code_type: Kind
    is_active: Annotated[s.Flag, Only(admin=True)] = True
    moderation_status: Annotated[Moderation | None, Only(admin=True)] = None


class EditPixel(Params):
    """What changes of a pixel; what is not sent stays."""

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
    """A pixel. moderation_status: 0 waits, 1 accepted, -1 or 2 rejected; visitors get those that are active and
    accepted."""

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
    """Pixels by their id."""

    pixel: dict[str, PixelView]


def list_own(call: Call[Deps], params: ListPixels) -> PixelsAnswer:
    """List the caller's pixels by their id; for staff those of every affiliate that it sees."""
    return _listed(call, pixels.list_pixels(call.deps, call.caller, params.pid, params.statuses()))


def list_of(call: Call[Deps], params: ListPixelsOf) -> PixelsAnswer:
    """List an affiliate's pixels by their id."""
    return _listed(call, pixels.list_of_affiliate(call.deps, call.subject, params.statuses()))


def add(call: Call[Deps], params: AddPixel) -> PixelAnswer:
    """Add a pixel to an offer. An affiliate's waits until staff accept it."""
    return _answer(call, pixels.add_pixel(call.deps, call.caller, **params.model_dump()))


def edit(call: Call[Deps], params: EditPixel) -> PixelAnswer:
    """Change a pixel. Other code of an affiliate waits until staff accept it."""
    changes = params.model_dump(exclude_none=True)
    return _answer(call, pixels.edit_pixel(call.deps, call.caller, call.subject.id, changes))


def remove(call: Call[Deps], _params: NoParams) -> PixelAnswer:
    """Remove a pixel. Answers with what it was."""
    return _answer(call, pixels.remove_pixel(call.deps, call.caller, call.subject.id))


def pixel_view(row: Pixel, offer: OfferName | None, zone: ZoneInfo) -> PixelView:
    """Return a pixel on the wire. offer: None when the offer has no row."""
    return PixelView(
        id=row.id,
        name=row.name,
        code=row.code,
        code_type=row.code_type,
        offer_id=str(row.offer_id),
        offer=None if offer is None else _offer_view(offer),
        pid=str(row.affiliate_id),
        is_active=str(int(row.is_active)),
        moderation_status=str(row.moderation_status),
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
    )


def _answer(call: Call[Deps], row: Pixel) -> PixelAnswer:
    names = pixels.offer_names(call.deps, [row])
    return PixelAnswer(pixel=pixel_view(row, names.get(row.offer_id), call.deps.zone))


def _listed(call: Call[Deps], rows: list[Pixel]) -> PixelsAnswer:
    names = pixels.offer_names(call.deps, rows)
    views = {str(row.id): pixel_view(row, names.get(row.offer_id), call.deps.zone) for row in rows}
    return PixelsAnswer(pixel=views)


def _offer_view(offer: OfferName) -> OfferInPixel:
    return OfferInPixel(id=offer.id, offer_id=offer.hash, title=offer.title, preview_url=offer.preview_url)


def _find(call: Call[Deps]) -> Pixel:
    return pixels.get_pixel(call.deps, call.caller, path_number(call))


def _find_owner(call: Call[Deps]) -> int:
    return pixels.get_owner(call.deps, call.caller, path_number(call))


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="partner.pixels.list",
        method="GET",
        path="/partner/pixels",
        permission=Permission.PIXELS_WRITE,
        params=ListPixels,
        answer=PixelsAnswer,
        handle=list_own,
    ),
    Endpoint(
        id="partner.pixels.list-of",
        method="GET",
        path="/partner/pixels/{id}",
        audience="staff",
        permission=Permission.PIXELS_WRITE,
        params=ListPixelsOf,
        answer=PixelsAnswer,
        find=_find_owner,
        handle=list_of,
    ),
    Endpoint(
        id="partner.pixel.add",
        method="POST",
        path="/partner/pixel",
        permission=Permission.PIXELS_WRITE,
        params=AddPixel,
        answer=PixelAnswer,
        handle=add,
    ),
    Endpoint(
        id="partner.pixel.edit",
        method="POST",
        path="/partner/pixel/{id}",
        permission=Permission.PIXELS_WRITE,
        params=EditPixel,
        answer=PixelAnswer,
        find=_find,
        handle=edit,
    ),
    Endpoint(
        id="partner.pixel.remove",
        method="DELETE",
        path="/partner/pixel/{id}/remove",
        permission=Permission.PIXELS_WRITE,
        answer=PixelAnswer,
        find=_find,
        handle=remove,
    ),
)
