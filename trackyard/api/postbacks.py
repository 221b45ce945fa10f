"""Postbacks of affiliates (spec: Affiliate methods, Partner postback)."""

from typing import Annotated
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.postbacks import PostbackRecord, add_postback
from trackyard.base.zones import datetime_text
from trackyard.domain.roles import Permission
from trackyard.wire import scalars as s
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.envelope import Answer, View
from trackyard.wire.params import Needed, Params

Status = Annotated[
    str,
    s.Choice(("by_creating", "confirmed", "pending", "declined", "hold"), becomes={"not_found": "declined"}),
]


class AddPostback(Params):
    """A URL to call, for one offer or for all."""

    pid: Annotated[s.Id | None, Needed(staff=True, since="3.1")] = None
    offer_id: s.Id | None = None
    url: s.Url
    status: Status | None = None
    goal: Annotated[str, s.Words(most=255)] = ""

    def stored_status(self, version: str) -> str | None:
        """The status to store: not_found is declined under 3.1."""
        return "declined" if self.status == "not_found" and version != "3.0" else self.status


class PostbackView(View):
    """A postback; `offer_id` null = global, `status` and `goal` null = any."""

    id: int
    url: str
    offer_id: str | None
    status: str | None
    goal: str | None
    created: str
    updated_at: str
    forced: str
    pid: str


class PostbackAnswer(Answer):
    """One postback."""

    postback: PostbackView


def add(call: Call[Deps], params: AddPostback) -> PostbackAnswer:
    """Add a postback URL, for one offer or for all."""
    record = add_postback(
        call.deps,
        call.caller,
        pid=params.pid,
        offer_id=params.offer_id,
        url=params.url,
        status=params.stored_status(call.version),
        goal=params.goal or None,
    )
    return PostbackAnswer(postback=postback_view(record, call.deps.zone))


def postback_view(record: PostbackRecord, zone: ZoneInfo) -> PostbackView:
    """A postback on the wire."""
    row = record.postback
    return PostbackView(
        id=record.id,
        url=row.url,
        offer_id=None if row.offer_id is None else str(row.offer_id),
        status=row.status,
        goal=row.goal,
        created=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
        forced=str(int(row.forced)),
        pid=str(row.affiliate_id),
    )


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
)
