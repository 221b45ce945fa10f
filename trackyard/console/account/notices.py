"""The bell: what a person hears of, and by which channels (docs/spec/console.md#notices).

The same pages serve staff, affiliates and advertisers, each below their first page.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from trackyard.api.events import chats as chats_api
from trackyard.api.events import notices as api
from trackyard.api.events.notices import NoticesAnswer, NoticeView
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.account import chats
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import Audience, PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list
from trackyard.console.staff.faults import fault_of
from trackyard.domain.events.kinds import EVENT_RULES, EventKind
from trackyard.domain.people.callers import HOMES, AccountKind

pages = Pages()

PLACES: Final[Mapping[AccountKind, Audience]] = {
    AccountKind.STAFF: "staff",
    AccountKind.AFFILIATE: "affiliate",
    AccountKind.ADVERTISER: "advertiser",
}
"""The audience of the pages of each kind of account."""


_ALWAYS: Final = ("mail", "bell")
_CHANNELS: Final = {
    "mail": lazy_gettext("Mail"),
    "bell": lazy_gettext("Bell"),
    "slack": "Slack",
    "telegram": "Telegram",
}
"""The names of channels. Chats are shown to people who have one."""


def path_of(kind: AccountKind) -> str:
    """Return the path of the bell of a kind of account."""
    return f"{HOMES[kind]}notices"


def _what(each: NoticeView, on: On) -> ListCell:
    mark = "" if each.is_read else gettext("new")
    return cells.cell(each.text, each.words, mark, link=each.link.removeprefix(on.request.deps.api_url))


def _list(kind: AccountKind) -> ListPage[NoticeView, NoticesAnswer]:
    """Return the bell of a kind of account."""
    path = path_of(kind)
    return ListPage[NoticeView, NoticesAnswer](
        path=path,
        audience=PLACES[kind],
        method=api.list_,
        view=NoticesAnswer,
        rows=lambda _, answer: answer.notices,
        title=lazy_gettext("Notices"),
        counted=lambda total: ngettext("%(num)d notice.", "%(num)d notices.", total),
        columns=(
            ListColumn(title=lazy_gettext("What"), below=lazy_gettext("State"), role="title", longest=300, cell=_what),
            ListColumn(title=lazy_gettext("Kind"), cell=lambda each, _: cells.cell(_label(each.kind))),
            ListColumn(title=lazy_gettext("Time"), cell=lambda each, _: cells.moment(each.created_at)),
        ),
        links=lambda _: [PageLink(gettext("Choose your notices"), f"{path}/choices")],
        above="account/notices_read.html",
        values=partial(_read_values, path),
        empty=lazy_gettext("You have no notices yet."),
        empty_links=lambda _: [PageLink(gettext("Choose your notices"), f"{path}/choices")],
    )


def _label(kind: str) -> str:
    return str(EVENT_RULES[EventKind(kind)].label)


def _read_values(path: str, request: PageRequest, rows: Sequence[NoticeView]) -> Mapping[str, object]:
    """Return the values of the button that marks notices as read."""
    is_first = request.address.get("page", "1") == "1"  # the newest are on it
    may = request.look is None and is_first and any(not each.is_read for each in rows)
    return {"read_path": f"{path}/read", "read_until": max((each.seq for each in rows), default=0) if may else 0}


def _read(kind: AccountKind, request: PageRequest) -> PageAnswer:
    """Mark notices as read."""
    request.calls.ask(api.read, [("until", request.field("until"))])
    return Redirect(path_of(kind))


def _show_choices(kind: AccountKind, request: PageRequest) -> PageAnswer:
    return _choices(kind, request)


def _choices(kind: AccountKind, request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    found = request.calls.ask(api.show_choices).choices
    has_chats = kind is AccountKind.STAFF and request.calls.may(chats_api.list_)
    stored = [each.channel for each in request.calls.ask(chats_api.list_).chats] if has_chats else []
    return request.page(
        "account/notice_choices.html",
        status,
        choices=found,
        channels=[(name, label) for name, label in _CHANNELS.items() if name in (*_ALWAYS, *stored)],
        back=path_of(kind),
        chats=chats.PATH if has_chats else "",
        fault=fault,
    )


def _choose(kind: AccountKind, request: PageRequest) -> PageAnswer:
    """Change by which channels the person hears of events."""
    shown = request.calls.ask(api.show_choices).choices
    sent: list[Pair] = [
        (f"{channel}[{each.kind}]", "1" if request.field(f"{channel}-{each.kind}") else "0")
        for each in shown
        for channel in each.channels
        if request.field(f"shown-{channel}") and not (each.required and channel in _ALWAYS)
    ]
    try:
        request.calls.ask(api.edit_choices, sent)
    except BadInput as refusal:
        return _choices(kind, request, fault_of(refusal), refusal.status)
    return Redirect(f"{path_of(kind)}/choices", gettext("Your choices are saved."))


for _kind, _audience in PLACES.items():
    _path = path_of(_kind)
    declare_list(pages, _list(_kind))
    pages.post(f"{_path}/read", audience=_audience, needs=(api.read,))(partial(_read, _kind))
    _needs = (api.show_choices, api.edit_choices)
    pages.get(f"{_path}/choices", audience=_audience, needs=_needs)(partial(_show_choices, _kind))
    pages.post(f"{_path}/choices", audience=_audience, needs=_needs)(partial(_choose, _kind))
