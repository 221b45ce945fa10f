"""Postbacks of affiliates (docs/api/postbacks.md)."""

from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.tracking import postbacks
from trackyard.actions.tracking.called_addresses import check_called
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import text_or_none
from trackyard.api.tracking.macro_warnings import warn_of_macros
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.macro_registry import MacroPlace
from trackyard.domain.tracking.postbacks import PostbackFilter, StoredPostback
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, CommaList, NoParams, Only, Params, RequiredFor
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_WRITERS = for_callers(Permission.POSTBACKS_WRITE)
_find = in_scope_by_number(postbacks.get_postback)

Status = Annotated[
    str,
    s.Choice(("by_creating", "confirmed", "pending", "declined", "hold"), replacements={"not_found": "declined"}),
]
Goal = Annotated[str, s.BoundedText(maximum=255)]


class AddPostback(Params):
    """A postback URL, for one offer or for all."""

    pid: Annotated[s.Id | None, RequiredFor(staff=True, since="3.1")] = None
    offer_id: s.Id | None = None
    url: s.Url
    status: Status | None = None
    goal: Goal = ""


class EditPostback(Params):
    """Changes of a postback; what is not sent stays. status, goal: "" = any. pid: the new owner."""

    edits: ClassVar[bool] = True

    pid: Annotated[s.Id | None, Only(admin=True)] = None
    url: s.Url
    status: Annotated[Status | None, Clearable()] = None
    goal: Goal = ""

    def changes(self, version: str) -> dict[str, Any]:
        """Return the sent values by column."""
        changes: dict[str, Any] = {"url": self.url}
        if self.pid is not None:
            changes["affiliate_id"] = self.pid
        if "status" in self.model_fields_set:
            changes["status"] = of_version(self.status, version)
        if "goal" in self.model_fields_set:
            changes["goal"] = self.goal or None
        return changes


class RemovePostbacks(Params):
    """The affiliates or the offers."""

    ids: CommaList[s.Id] = ()


class ListPostbacks(Paging):
    """The filters of a list. only_global: without an offer alone; after_id: with a higher id alone."""

    partner_id: AnyOf[s.Id]
    offer_ids: CommaList[s.Id] = ()
    only_global: s.Flag = False
    after_id: Annotated[int, s.WholeNumber(minimum=0)] = 0


class ListOwnPostbacks(Paging):
    """The page of a list."""


class PostbackView(View):
    """A postback; offer_id null = global, status and goal null = any.

    paused: the time since when its deliveries wait, because 20 in a row failed for good; null = they are sent.
    """

    id: int
    url: str
    offer_id: str | None
    status: str | None
    goal: str | None
    created: str
    updated_at: str
    forced: str
    pid: str
    paused: str | None


class PostbackAnswer(Answer):
    """One postback."""

    postback: PostbackView


class PostbacksAnswer(Answer):
    """A page of postbacks."""

    postbacks: list[PostbackView]
    pagination: Pagination


class RemovedPostbacksAnswer(Answer):
    """The number of removed postbacks, in words."""

    message: str


@routes.post("/partner/postback", _WRITERS, id="partner.postback.add")
def add(request: ApiRequest[Deps], params: AddPostback) -> PostbackAnswer:
    """Add a postback URL, for one offer or for all.

    Each macro in the URL is replaced by its value, percent-encoded; the tracking reference in /docs lists them. The
    answer warns of others, which stay as text. A postback for `declined` is also called for `not_found`, which 3.1
    shows as declined.
    """
    check_called(request.deps, {"url": params.url}, {}, request.warn)
    values = params.model_dump() | {"status": of_version(params.status, request.version), "goal": params.goal or None}
    return _written(request, postbacks.add_postback(request.deps, request.access, **values))


@routes.post("/partner/postback/{id}", _WRITERS, id="partner.postback.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditPostback) -> PostbackAnswer:
    """Change a postback. One that was paused is resumed."""
    check_called(request.deps, {"url": params.url}, {"url": request.subject.url}, request.warn)
    changes = params.changes(request.version)
    return _written(request, postbacks.edit_postback(request.deps, request.access, request.subject.id, changes))


@routes.delete("/partner/postback/{id}/remove", _WRITERS, id="partner.postback.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> PostbackAnswer:
    """Remove a postback. Its queued deliveries are dropped. Answers with the removed record."""
    return _answer(request, postbacks.remove_postback(request.deps, request.access, request.subject.id))


@routes.delete("/partner/postbacks/by-affiliates", _WRITERS, id="partner.postbacks.remove-by-affiliates")
def remove_by_affiliates(request: ApiRequest[Deps], params: RemovePostbacks) -> RemovedPostbacksAnswer:
    """Remove every postback of affiliates; by an affiliate: its own id only."""
    return _removed(postbacks.remove_of_affiliates(request.deps, request.access, params.ids))


@routes.delete("/partner/postbacks/by-offers", _WRITERS, id="partner.postbacks.remove-by-offers")
def remove_by_offers(request: ApiRequest[Deps], params: RemovePostbacks) -> RemovedPostbacksAnswer:
    """Remove the postbacks for offers, of every affiliate that the caller sees. Global ones stay."""
    return _removed(postbacks.remove_of_offers(request.deps, request.access, params.ids))


@routes.get("/admin/postbacks", for_staff(Permission.POSTBACKS_WRITE), id="admin.postbacks.list")
def list_(request: ApiRequest[Deps], params: ListPostbacks) -> PostbacksAnswer:
    """List the postbacks of affiliates, oldest first."""
    chosen = PostbackFilter(
        affiliate_ids=params.partner_id, **params.model_dump(include={"offer_ids", "only_global", "after_id"})
    )
    found, total = postbacks.list_postbacks(request.deps, request.access, chosen, **params.place(request))
    views = [postback_view(row, request.deps.zone, request.version) for row in found]
    return PostbacksAnswer(postbacks=views, pagination=params.pagination(request, total))


@routes.get("/partner/postbacks", for_affiliates(Permission.POSTBACKS_WRITE), id="partner.postbacks.list")
def list_own(request: ApiRequest[Deps], params: ListOwnPostbacks) -> PostbacksAnswer:
    """List the postbacks of the calling affiliate, oldest first."""
    own = request.access.affiliate_id
    chosen = PostbackFilter(affiliate_ids=() if own is None else (own,))
    found, total = postbacks.list_postbacks(request.deps, request.access, chosen, **params.place(request))
    views = [postback_view(row, request.deps.zone, request.version) for row in found]
    return PostbacksAnswer(postbacks=views, pagination=params.pagination(request, total))


def of_version(status: str | None, version: str) -> str | None:
    """Return a status of a postback under a version. not_found is declined under 3.1, stored and shown."""
    return "declined" if status == "not_found" and version != "3.0" else status


def postback_view(row: StoredPostback, zone: ZoneInfo, version: str) -> PostbackView:
    """Return the view of a postback."""
    return view_of(
        PostbackView,
        row,
        offer_id=None if row.offer_id is None else str(row.offer_id),
        status=of_version(row.status, version),
        created=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
        forced=str(int(row.forced)),
        pid=str(row.affiliate_id),
        paused=text_or_none(row.paused_at, zone),
    )


def _written(request: ApiRequest[Deps], row: StoredPostback) -> PostbackAnswer:
    warn_of_macros(request, MacroPlace.POSTBACK, {"url": row.url})
    return _answer(request, row)


def _answer(request: ApiRequest[Deps], row: StoredPostback) -> PostbackAnswer:
    return PostbackAnswer(postback=postback_view(row, request.deps.zone, request.version))


def _removed(count: int) -> RemovedPostbacksAnswer:
    if count == 0:
        return RemovedPostbacksAnswer(message="No postbacks were removed")
    return RemovedPostbacksAnswer(message=f"{count} postback{'s were' if count > 1 else ' was'} removed")
