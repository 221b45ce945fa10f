"""The chats of the calling staff user: Slack and Telegram (docs/spec/events.md#chats)."""

from typing import Annotated, Final, cast

from trackyard.actions.deps import Deps
from trackyard.actions.events import chats
from trackyard.base.zones import datetime_text
from trackyard.domain.events.chats import Chat, ChatPlace
from trackyard.domain.events.kinds import CHATS, Channel
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.ACCOUNT)

ChatChannel = Annotated[str, s.Choice(tuple(sorted(CHATS)))]


class SetChat(Params):
    """Where the messages of a channel go."""

    channel: ChatChannel
    url: s.Url | None = None
    token: s.Text | None = None
    chat: s.Text | None = None


class NamedChat(Params):
    """A channel with a chat."""

    channel: ChatChannel


class ChatView(View):
    """A chat of the calling account."""

    channel: str
    shown: str
    failing_since: str | None
    failure: str


class ChatsAnswer(Answer):
    """The chats of the calling account."""

    chats: list[ChatView]


class ChatTestAnswer(Answer):
    """Whether a test message was taken."""

    taken: bool
    failure: str


@routes.get("/admin/notices/chats", _STAFF, id="admin.notices.chats.list")
def list_(request: ApiRequest[Deps], _params: NoParams) -> ChatsAnswer:
    """List the chats of the calling staff user, without their secrets."""
    return _answer(request)


@routes.post("/admin/notices/chats", _STAFF, id="admin.notices.chats.set")
def set_(request: ApiRequest[Deps], params: SetChat) -> ChatsAnswer:
    """Set where the messages of a channel go, in place of the chat before."""
    place = ChatPlace(
        channel=Channel(params.channel),
        url=params.url or "",
        token=(params.token or "").strip(),
        chat=(params.chat or "").strip(),
    )
    chats.set_chat(request.deps, _caller(request), place)
    return _answer(request)


@routes.post("/admin/notices/chats/remove", _STAFF, id="admin.notices.chats.remove")
def remove(request: ApiRequest[Deps], params: NamedChat) -> ChatsAnswer:
    """Remove the chat of a channel. Messages that wait for it are not written."""
    chats.remove_chat(request.deps, _caller(request), Channel(params.channel))
    return _answer(request)


@routes.post("/admin/notices/chats/test", _STAFF, id="admin.notices.chats.test")
def test(request: ApiRequest[Deps], params: NamedChat) -> ChatTestAnswer:
    """Write a test message to the chat of a channel now, and answer with what the chat said."""
    failure = chats.send_test(request.deps, _caller(request), Channel(params.channel))
    return ChatTestAnswer(taken=not failure, failure=failure)


def _caller(request: ApiRequest[Deps]) -> StaffCaller:
    return cast("StaffCaller", request.caller)


def _answer(request: ApiRequest[Deps]) -> ChatsAnswer:
    found = chats.list_chats(request.deps, _caller(request))
    return ChatsAnswer(chats=[_view(each, request) for each in found])


def _view(found: Chat, request: ApiRequest[Deps]) -> ChatView:
    since = found.failing_since
    return ChatView(
        channel=found.channel.value,
        shown=found.shown,
        failing_since=None if since is None else datetime_text(since, request.deps.zone),
        failure=found.failure,
    )
