"""Messages of staff to affiliates, and the messages that an affiliate has (docs/spec/messages.md)."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.messages import drafts as messages
from trackyard.api.lookups import in_scope_by_hex, path_hex
from trackyard.api.offers.promo_codes import Moment
from trackyard.api.paging import Paging
from trackyard.base.zones import datetime_text
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.messages import (
    LONGEST_TEXT,
    Message,
    MessageAudience,
    MessageState,
    ReceivedMessage,
)
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View

routes = Routes[Deps]()
_WRITERS: Final = for_staff(Permission.AFFILIATES_WRITE)
_READERS: Final = for_affiliates(Permission.NEWS_READ)
_find: Final = in_scope_by_hex(messages.get_message)
_PARTS: Final = {
    "affiliate_ids": "affiliates",
    "offer_ids": "offers",
    "tags": "tags",
    "countries": "countries",
    "managers": "managers",
    "statuses": "statuses",
}
"""Parameter to condition of the audience."""

LetterText = Annotated[str, s.BoundedText(minimum=1, maximum=LONGEST_TEXT)]
Status = Annotated[AffiliateStatus, s.Choice(AffiliateStatus)]
State = Annotated[MessageState, s.Choice(MessageState)]


class ListMessages(Paging):
    """Which messages are listed. state: any of these."""

    state: AnyOf[State] = ()


class AddMessage(Params):
    """A draft. The audience is all affiliates that meet every condition; without statuses the active ones."""

    title: s.Name
    text: LetterText
    affiliate_ids: Seq[s.Id] = ()
    offer_ids: Seq[s.Id] = ()
    tags: Seq[s.Name] = ()
    countries: Seq[s.Country] = ()
    managers: Seq[s.Hex] = ()
    statuses: Seq[Status] = ()


class EditMessage(Params):
    """Changes of a draft; what is not sent stays. An empty list removes a condition."""

    edits: ClassVar[bool] = True

    title: s.Name | None = None
    text: LetterText | None = None
    affiliate_ids: Seq[s.Id] | None = None
    offer_ids: Seq[s.Id] | None = None
    tags: Seq[s.Name] | None = None
    countries: Seq[s.Country] | None = None
    managers: Seq[s.Hex] | None = None
    statuses: Seq[Status] | None = None


class SendMessage(Params):
    """When a message is sent; without a time at once."""

    send_at: Moment | None = None


class WrittenMessageView(View):
    """A message to affiliates."""

    id: str
    title: str
    text: str
    state: str
    author: str
    author_name: str
    affiliate_ids: list[int]
    offer_ids: list[int]
    tags: list[str]
    countries: list[str]
    managers: list[str]
    statuses: list[str]
    send_at: str | None
    sent_at: str | None
    people: int
    mails: int
    reason: str
    created_at: str


class WrittenMessagesAnswer(Answer):
    """Messages to affiliates, the newest first."""

    messages: list[WrittenMessageView]
    pagination: Pagination


class WrittenMessageAnswer(Answer):
    """One message to affiliates."""

    message: WrittenMessageView


class MessagePreviewAnswer(Answer):
    """A message as it would be sent now, and how many people would get it."""

    affiliates: int
    people: int
    mails: int
    names: list[str]
    subject: str
    body: str
    html: str


class ReceivedMessageView(View):
    """A message that the calling person has."""

    id: str
    title: str
    text: str
    sent_at: str
    is_read: bool


class ReceivedMessagesAnswer(Answer):
    """The messages that the calling person has, the newest first."""

    messages: list[ReceivedMessageView]
    unread: int
    pagination: Pagination


class ReceivedMessageAnswer(Answer):
    """One message that the calling person has."""

    message: ReceivedMessageView


@routes.get("/admin/messages", _WRITERS, id="admin.messages.list")
def list_(request: ApiRequest[Deps], params: ListMessages) -> WrittenMessagesAnswer:
    """List messages to affiliates, the newest first. Managers see their own messages."""
    found, total = messages.list_messages(request.deps, request.access, params.state, **params.place(request))
    return WrittenMessagesAnswer(messages=_views(request.deps, found), pagination=params.pagination(request, total))


@routes.get("/admin/messages/{id}", _WRITERS, id="admin.message.get", find=_find)
def show(request: ApiRequest[Deps], _params: NoParams) -> WrittenMessageAnswer:
    """Show one message."""
    return _answer(request.deps, request.subject)


@routes.post("/admin/messages", _WRITERS, id="admin.message.add")
def add(request: ApiRequest[Deps], params: AddMessage) -> WrittenMessageAnswer:
    """Write a draft. Nothing is sent before `send`."""
    audience = MessageAudience(**{part: getattr(params, name) for name, part in _PARTS.items()})
    return _answer(
        request.deps, messages.add_message(request.deps, request.access, params.title, params.text, audience)
    )


@routes.post("/admin/messages/{id}", _WRITERS, id="admin.message.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditMessage) -> WrittenMessageAnswer:
    """Change a draft. A message that was sent, or waits for its time, is a 409."""
    given: dict[str, Any] = {
        _PARTS.get(name, name): getattr(params, name)
        for name in params.model_fields_set
        if getattr(params, name) is not None
    }
    return _answer(request.deps, messages.edit_message(request.deps, request.access, request.subject.id, given))


@routes.get("/admin/messages/{id}/preview", _WRITERS, id="admin.message.preview", find=_find)
def preview(request: ApiRequest[Deps], _params: NoParams) -> MessagePreviewAnswer:
    """Show the mail as the first recipient would get it now, and count all recipients. Nothing is sent."""
    found = messages.preview_message(request.deps, request.access, request.subject.id)
    return MessagePreviewAnswer(
        affiliates=found.affiliates,
        people=found.people,
        mails=found.mails,
        names=found.names,
        subject=found.mail.subject,
        body=found.mail.text,
        html=found.mail.html,
    )


@routes.post("/admin/messages/{id}/send", _WRITERS, id="admin.message.send", find=_find)
def send(request: ApiRequest[Deps], params: SendMessage) -> WrittenMessageAnswer:
    """Send a draft at once, or at a time. The people are found when it is sent, and each gets it once.

    A staff user sends at most 20 messages an hour.
    """
    planned = messages.plan_message(request.deps, request.access, request.subject.id, _milliseconds(params.send_at))
    return _answer(request.deps, planned)


@routes.post("/admin/messages/{id}/cancel", _WRITERS, id="admin.message.cancel", find=_find)
def cancel(request: ApiRequest[Deps], _params: NoParams) -> WrittenMessageAnswer:
    """Make a message that waits for its time a draft again. A message that is being sent is a 409."""
    return _answer(request.deps, messages.cancel_message(request.deps, request.access, request.subject.id))


@routes.post("/admin/messages/{id}/remove", _WRITERS, id="admin.message.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> WrittenMessageAnswer:
    """Remove a draft. Answers with the removed message."""
    return _answer(request.deps, messages.remove_message(request.deps, request.access, request.subject.id))


@routes.get("/messages", _READERS, id="messages.list")
def list_received(request: ApiRequest[Deps], params: Paging) -> ReceivedMessagesAnswer:
    """List the messages that the calling person has from the network, the newest first."""
    found, total, unread = messages.list_received(request.deps, request.caller, **params.place(request))
    views = [_received(request.deps, each) for each in found]
    return ReceivedMessagesAnswer(messages=views, unread=unread, pagination=params.pagination(request, total))


@routes.get("/messages/{id}", _READERS, id="message.get")
def show_received(request: ApiRequest[Deps], _params: NoParams) -> ReceivedMessageAnswer:
    """Show one message that the calling person has."""
    found = messages.get_received(request.deps, request.caller, path_hex(request))
    return ReceivedMessageAnswer(message=_received(request.deps, found))


@routes.post("/messages/{id}/read", _READERS, id="message.read")
def read(request: ApiRequest[Deps], _params: NoParams) -> ReceivedMessageAnswer:
    """Mark a message as read by the calling person, in its bell as well."""
    found = messages.mark_read(request.deps, request.caller, path_hex(request))
    return ReceivedMessageAnswer(message=_received(request.deps, found))


def _answer(deps: Deps, found: Message) -> WrittenMessageAnswer:
    [view] = _views(deps, [found])
    return WrittenMessageAnswer(message=view)


def _views(deps: Deps, found: list[Message]) -> list[WrittenMessageView]:
    names = messages.author_names(deps, found)
    return [
        WrittenMessageView(
            id=each.id,
            title=each.title,
            text=each.text,
            state=each.state,
            author=each.author,
            author_name=names.get(each.author, ""),
            affiliate_ids=list(each.audience.affiliates),
            offer_ids=list(each.audience.offers),
            tags=list(each.audience.tags),
            countries=list(each.audience.countries),
            managers=list(each.audience.managers),
            statuses=[status.value for status in each.audience.statuses],
            send_at=_text(deps, each.send_at),
            sent_at=_text(deps, each.sent_at),
            people=each.people,
            mails=each.mails,
            reason=each.reason,
            created_at=datetime_text(each.created_at, deps.zone),
        )
        for each in found
    ]


def _received(deps: Deps, each: ReceivedMessage) -> ReceivedMessageView:
    return ReceivedMessageView(
        id=each.id,
        title=each.title,
        text=each.text,
        sent_at=datetime_text(each.sent_at, deps.zone),
        is_read=each.is_read,
    )


def _text(deps: Deps, at_ms: int | None) -> str | None:
    return None if at_ms is None else datetime_text(at_ms, deps.zone)


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)
