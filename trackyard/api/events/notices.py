"""The bell of the calling account, and what it chose about notices (docs/spec/events.md)."""

from typing import Annotated, Final

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.events import bells
from trackyard.actions.events.bells import ShownChoice
from trackyard.api.paging import Paging
from trackyard.base.zones import datetime_text
from trackyard.domain.events.kinds import Channel, EventKind
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Only, Params
from trackyard.wire.response.envelope import Answer, Pagination, View

routes = Routes[Deps]()
_OWN: Final = for_callers(Permission.ACCOUNT, advertisers=True)

EventKindName = Annotated[str, s.Choice(tuple(kind.value for kind in EventKind))]


class ListNotices(Paging):
    """Which part of the bell is listed."""


class MarkNoticesRead(Params):
    """The last notice that was read; without it all were."""

    until: Annotated[int, s.WholeNumber(minimum=0)] | None = None


class EditNoticeChoices(Params):
    """Whether each channel is on, by kind of event."""

    edits = True

    mail: Keyed[EventKindName, s.Flag] = Field(default_factory=dict)
    bell: Keyed[EventKindName, s.Flag] = Field(default_factory=dict)
    slack: Annotated[Keyed[EventKindName, s.Flag], Only(admin=True)] = Field(default_factory=dict)
    telegram: Annotated[Keyed[EventKindName, s.Flag], Only(admin=True)] = Field(default_factory=dict)


class NoticeView(View):
    """An event of which the calling account hears."""

    seq: int
    kind: str
    text: str
    words: str
    link: str
    is_read: bool
    created_at: str


class NoticesAnswer(Answer):
    """The bell of the calling account."""

    notices: list[NoticeView]
    unread: int
    pagination: Pagination


class ReadNoticesAnswer(Answer):
    """How many notices were unread."""

    read: int


class NoticeChoiceView(View):
    """How the calling account hears of a kind of event."""

    kind: str
    title: str
    required: bool
    channels: list[str]
    mail: bool
    bell: bool
    slack: bool
    telegram: bool


class NoticeChoicesAnswer(Answer):
    """How the calling account hears of each kind of event."""

    choices: list[NoticeChoiceView]


@routes.get("/notices", _OWN, id="notices.list")
def list_(request: ApiRequest[Deps], params: ListNotices) -> NoticesAnswer:
    """List what the calling account hears of, the newest first, with the page that each notice leads to."""
    found, total, unread = bells.list_bell(request.deps, request.caller, **params.place(request))
    views = [
        NoticeView(
            seq=each.seq,
            kind=each.kind.value,
            text=each.line,
            words=each.words,
            link=f"{request.deps.api_url}{each.page}" if each.page else "",
            is_read=each.is_read,
            created_at=datetime_text(each.at, request.deps.zone),
        )
        for each in found
    ]
    return NoticesAnswer(notices=views, unread=unread, pagination=params.pagination(request, total))


@routes.post("/notices/read", _OWN, id="notices.read")
def read(request: ApiRequest[Deps], params: MarkNoticesRead) -> ReadNoticesAnswer:
    """Mark the notices of the calling account as read: up to a number, else all."""
    return ReadNoticesAnswer(read=bells.mark_read(request.deps, request.caller, params.until))


@routes.get("/notices/choices", _OWN, id="notices.choices.get")
def show_choices(request: ApiRequest[Deps], _params: NoParams) -> NoticeChoicesAnswer:
    """Show by which channels the calling account hears of each kind of event."""
    return _answer(bells.list_choices(request.deps, request.caller))


@routes.post("/notices/choices", _OWN, id="notices.choices.edit")
def edit_choices(request: ApiRequest[Deps], params: EditNoticeChoices) -> NoticeChoicesAnswer:
    """Switch channels of kinds of events on or off. Switches that are not sent stay as they are.

    Notices about access, money, payment data and terms are required, and stay on.
    """
    chosen: dict[EventKind, dict[Channel, bool]] = {}
    for channel in Channel:
        switches: dict[str, bool] = getattr(params, channel.value)
        for kind, is_on in switches.items():
            chosen.setdefault(EventKind(kind), {})[channel] = is_on
    return _answer(bells.edit_choices(request.deps, request.caller, chosen))


def _answer(found: list[ShownChoice]) -> NoticeChoicesAnswer:
    views = [
        NoticeChoiceView(
            kind=each.kind.value,
            title=each.label,
            required=each.is_required,
            channels=[channel.value for channel in each.channels],
            **{channel.value: each.channels.get(channel, False) for channel in Channel},
        )
        for each in found
    ]
    return NoticeChoicesAnswer(choices=views)
