"""Postbacks of affiliates (docs/api/postbacks.md)."""

from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.tracking import postbacks
from trackyard.api.paging import Paging
from trackyard.api.paths import path_number
from trackyard.api.statistics.times import text_or_none
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.store.tracking.postbacks import Postback, PostbackFilter
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, CommaList, Needed, NoParams, Only, Params
from trackyard.wire.response.envelope import Answer, Pagination, View, pagination

Status = Annotated[
    str,
    s.Choice(("by_creating", "confirmed", "pending", "declined", "hold"), becomes={"not_found": "declined"}),
]
Goal = Annotated[str, s.Words(most=255)]


class AddPostback(Params):
    """A URL to call, for one offer or for all."""

    pid: Annotated[s.Id | None, Needed(staff=True, since="3.1")] = None
    offer_id: s.Id | None = None
    url: s.Url
    status: Status | None = None
    goal: Goal = ""


class EditPostback(Params):
    """What changes of a postback; what is not sent stays. status, goal "" = any · pid: whose it is from now on."""

    edits: ClassVar[bool] = True

    pid: Annotated[s.Id | None, Only(admin=True)] = None
    url: s.Url
    status: Annotated[Status | None, Clearable()] = None
    goal: Goal = ""

    def changes(self, version: str) -> dict[str, Any]:
        """By column, what was sent."""
        changes: dict[str, Any] = {"url": self.url}
        if self.pid is not None:
            changes["affiliate_id"] = self.pid
        if "status" in self.model_fields_set:
            changes["status"] = of_version(self.status, version)
        if "goal" in self.model_fields_set:
            changes["goal"] = self.goal or None
        return changes


class RemoveOf(Params):
    """Of whom, or for which offers."""

    ids: CommaList[s.Id] = ()


class ListPostbacks(Paging):
    """Which postbacks. partner_id: of any of these affiliates · offer_ids: for any of these offers · only_global: 1 =
    those for no offer alone · after_id: those with a higher id."""

    partner_id: AnyOf[s.Id]
    offer_ids: CommaList[s.Id] = ()
    only_global: s.Flag = False
    after_id: Annotated[int, s.Whole(least=0)] = 0


class PostbackView(View):
    """A postback; `offer_id` null = global, `status` and `goal` null = any. paused: since when its calls wait, because
    20 in a row failed for good; null = they are made."""

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


class RemovedAnswer(Answer):
    """How many are gone."""

    message: str


def add(call: Call[Deps], params: AddPostback) -> PostbackAnswer:
    """Add a postback URL, for one offer or for all.

    Each macro in the URL is replaced by its value, percent-encoded: {clickid} {transactionid} {action_id} {offerid}
    {offer_id} {offer_name} {pid} {status} {status_name} {sum} {order_sum} {currency} {goal} {goal_name} {ip} {geo}
    {city} {os} {device_type} {uagent} {referrer} {sub1} to {sub8}, {custom_field1} to {custom_field7} (also as
    {custom_field_1}), {date} {time} {date_only} {click_date} {timestamp} {comment} {ref_id} {os_id} {ext1} {ext2}
    {ext3} {user_id} {rand}. A postback for `declined` is also called for `not_found`, which 3.1 shows as declined.
    """
    record = postbacks.add_postback(
        call.deps,
        call.caller,
        pid=params.pid,
        offer_id=params.offer_id,
        url=params.url,
        status=of_version(params.status, call.version),
        goal=params.goal or None,
    )
    return _answer(call, record)


def edit(call: Call[Deps], params: EditPostback) -> PostbackAnswer:
    """Change a postback. One that was paused is resumed."""
    changes = params.changes(call.version)
    return _answer(call, postbacks.edit_postback(call.deps, call.caller, call.subject.id, changes))


def remove(call: Call[Deps], _params: NoParams) -> PostbackAnswer:
    """Remove a postback. Answers with what it was. Calls that are queued are not made any more."""
    return _answer(call, postbacks.remove_postback(call.deps, call.caller, call.subject.id))


def remove_by_affiliates(call: Call[Deps], params: RemoveOf) -> RemovedAnswer:
    """Remove every postback of affiliates; by an affiliate: its own id only."""
    return _removed(postbacks.remove_of_affiliates(call.deps, call.caller, params.ids))


def remove_by_offers(call: Call[Deps], params: RemoveOf) -> RemovedAnswer:
    """Remove the postbacks for offers, of every affiliate that the caller sees. Global ones stay."""
    return _removed(postbacks.remove_of_offers(call.deps, call.caller, params.ids))


def list_(call: Call[Deps], params: ListPostbacks) -> PostbacksAnswer:
    """List the postbacks of affiliates, oldest first."""
    limit = params.clamped(call)
    chosen = PostbackFilter(
        affiliate_ids=params.partner_id,
        offer_ids=params.offer_ids,
        only_global=params.only_global,
        after_id=params.after_id,
    )
    found, total = postbacks.list_postbacks(call.deps, call.caller, chosen, page=params.page, limit=limit)
    views = [postback_view(row, call.deps.zone, call.version) for row in found]
    return PostbacksAnswer(postbacks=views, pagination=pagination(page=params.page, per_page=limit, total=total))


def of_version(status: str | None, version: str) -> str | None:
    """A status of a postback under a version: not_found is declined under 3.1, stored and shown."""
    return "declined" if status == "not_found" and version != "3.0" else status


def postback_view(row: Postback, zone: ZoneInfo, version: str) -> PostbackView:
    """A postback on the wire."""
    return PostbackView(
        id=row.id,
        url=row.url,
        offer_id=None if row.offer_id is None else str(row.offer_id),
        status=of_version(row.status, version),
        goal=row.goal,
        created=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
        forced=str(int(row.forced)),
        pid=str(row.affiliate_id),
        paused=text_or_none(row.paused_at, zone),
    )


def _answer(call: Call[Deps], row: Postback) -> PostbackAnswer:
    return PostbackAnswer(postback=postback_view(row, call.deps.zone, call.version))


def _removed(count: int) -> RemovedAnswer:
    if count == 0:
        return RemovedAnswer(message="No postbacks were removed")
    return RemovedAnswer(message=f"{count} postback{'s were' if count > 1 else ' was'} removed")


def _find(call: Call[Deps]) -> Postback:
    return postbacks.get_postback(call.deps, call.caller, path_number(call))


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="partner.postback.add",
        method="POST",
        path="/partner/postback",
        permission=Permission.POSTBACKS_WRITE,
        params=AddPostback,
        answer=PostbackAnswer,
        handle=add,
    ),
    Endpoint(
        id="partner.postback.edit",
        method="POST",
        path="/partner/postback/{id}",
        permission=Permission.POSTBACKS_WRITE,
        params=EditPostback,
        answer=PostbackAnswer,
        find=_find,
        handle=edit,
    ),
    Endpoint(
        id="partner.postback.remove",
        method="DELETE",
        path="/partner/postback/{id}/remove",
        permission=Permission.POSTBACKS_WRITE,
        answer=PostbackAnswer,
        find=_find,
        handle=remove,
    ),
    Endpoint(
        id="partner.postbacks.remove-by-affiliates",
        method="DELETE",
        path="/partner/postbacks/by-affiliates",
        permission=Permission.POSTBACKS_WRITE,
        params=RemoveOf,
        answer=RemovedAnswer,
        handle=remove_by_affiliates,
    ),
    Endpoint(
        id="partner.postbacks.remove-by-offers",
        method="DELETE",
        path="/partner/postbacks/by-offers",
        permission=Permission.POSTBACKS_WRITE,
        params=RemoveOf,
        answer=RemovedAnswer,
        handle=remove_by_offers,
    ),
    Endpoint(
        id="admin.postbacks.list",
        method="GET",
        path="/admin/postbacks",
        audience="staff",
        permission=Permission.POSTBACKS_WRITE,
        params=ListPostbacks,
        answer=PostbacksAnswer,
        handle=list_,
    ),
)
