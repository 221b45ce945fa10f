"""Where a staff user gets messages: Slack and Telegram (docs/spec/console.md#notices)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from trackyard.api.events import chats as api
from trackyard.api.events.chats import ChatView
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()

PATH: Final = "/console/notices/chats"
_NEEDS: Final = (api.list_, api.set_, api.remove, api.test)


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a chat's form. is_secret: whether the browser hides what is typed."""

    name: str
    label: str
    hint: str
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """The form of a channel."""

    channel: str
    title: str
    help: str
    fields: tuple[_Field, ...]


@dataclass(frozen=True, slots=True)
class _Card:
    """A channel as it is shown. chat: None = it has none."""

    plan: _Plan
    chat: ChatView | None
    faults: Mapping[str, str] = field(default_factory=dict)


_PLANS: Final = (
    _Plan(
        "slack",
        "Slack",
        lazy_gettext(
            "In Slack, add an incoming webhook to the channel and copy its URL. Mattermost and Rocket.Chat have "
            "the same."
        ),
        (_Field("url", lazy_gettext("URL of the webhook"), "https://hooks.slack.com/services/…", is_secret=True),),
    ),
    _Plan(
        "telegram",
        "Telegram",
        lazy_gettext(
            "In Telegram, let BotFather make a bot and copy its token. Add the bot to the chat, or write to it once."
        ),
        (
            _Field("token", lazy_gettext("Token of the bot"), "123456789:AAF…", is_secret=True),
            _Field("chat", lazy_gettext("Number or @name of the chat"), "-1001234567890"),
        ),
    ),
)


@pages.get(PATH, needs=_NEEDS)
def show(request: PageRequest) -> PageAnswer:
    """Show where messages go."""
    return _page(request)


@pages.post(PATH, needs=_NEEDS)
def change(request: PageRequest) -> PageAnswer:
    """Set, try or remove the chat of a channel."""
    channel, do = request.field("channel"), request.field("do")
    named = [("channel", channel)]
    match do:
        case "remove":
            request.calls.ask(api.remove, named)
            return Redirect(PATH, gettext("The chat is removed."))
        case "test":
            answer = request.calls.ask(api.test, named)
            if answer.taken:
                return Redirect(PATH, gettext("The test message is written: look at the chat."))
            return _page(request, channel, {"": gettext("The chat did not take it: %(why)s", why=answer.failure)})
    try:
        sent = [(each.name, request.field(each.name)) for plan in _PLANS for each in plan.fields]
        request.calls.ask(api.set_, [*named, *((name, value) for name, value in sent if value)])
    except BadInput as refusal:
        faults = {name: " ".join(sentences) for name, sentences in (refusal.fields or {}).items()}
        return _page(request, channel, faults, refusal.status)
    return Redirect(PATH, gettext("The chat is saved. Write a test message to it."))


def _page(
    request: PageRequest, channel: str = "", faults: Mapping[str, str] | None = None, status: int = 200
) -> PageAnswer:
    stored = {each.channel: each for each in request.calls.ask(api.list_).chats}
    cards = [
        _Card(plan, stored.get(plan.channel), (faults or {}) if plan.channel == channel else {}) for plan in _PLANS
    ]
    return request.page("account/chats.html", status, cards=cards, path=PATH)
