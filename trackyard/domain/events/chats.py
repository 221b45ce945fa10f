"""Messages to chats of staff users: Slack and Telegram (docs/spec/events.md#chats)."""

import json
import re
from dataclasses import dataclass
from typing import Final

from trackyard.base.web_addresses import TELEGRAM_URL
from trackyard.domain.events.kinds import Channel
from trackyard.domain.platform.hosts import host_of

MAX_TEXT: Final = 1_000
"""Characters of a message."""
_TOKEN: Final = re.compile(r"[0-9]{5,20}:[A-Za-z0-9_-]{30,80}")
_CHAT: Final = re.compile(r"-?[0-9]{1,20}|@[A-Za-z0-9_]{4,40}")
_SLACK_SPECIAL: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPlace:
    """Where the messages of a channel go. It is secret: who has it can write there.

    url: of Slack, an incoming webhook, or of another program that takes the same.
    token, chat: of Telegram, the token of a bot, and the number or @name of the chat.
    """

    channel: Channel
    url: str = ""
    token: str = ""
    chat: str = ""

    def faults(self) -> dict[str, list[str]]:
        """Return its faults by field; none for a place that can be used."""
        if self.channel is Channel.SLACK:
            return {} if self.url else {"url": ["Enter the URL of the incoming webhook."]}
        found = {}
        if not _TOKEN.fullmatch(self.token):
            found["token"] = ["This is not a token of a bot, such as 123456789:AAF…: BotFather shows it."]
        if not _CHAT.fullmatch(self.chat):
            found["chat"] = ["Enter the number of the chat, such as -1001234567890, or its @name."]
        return found

    @property
    def shown(self) -> str:
        """Return it for people, without what is secret."""
        if self.channel is Channel.TELEGRAM:
            return self.chat
        return host_of(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A chat of an account.

    sealed: its ChatPlace as JSON, encrypted. shown: it for people.
    failing_since: when messages began to fail, UTC milliseconds; None = the last one was taken.
    failure: the last answer.
    """

    account: str
    channel: Channel
    sealed: str
    shown: str
    failing_since: int | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message that waits. attempts: a claimed one counts its own. created_at: UTC milliseconds."""

    id: str
    account: str
    channel: Channel
    text: str
    attempts: int
    created_at: int


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """The request that writes a message. url: secret. body: JSON."""

    url: str
    body: bytes


def chat_request(place: ChatPlace, text: str, telegram_url: str = TELEGRAM_URL) -> ChatRequest:
    """Return the request that writes a text, which is never read as markup."""
    line = text[:MAX_TEXT]
    if place.channel is Channel.SLACK:
        return ChatRequest(place.url, json.dumps({"text": line.translate(_SLACK_SPECIAL)}).encode())
    body = {"chat_id": place.chat, "text": line, "disable_web_page_preview": True}
    return ChatRequest(f"{telegram_url}/bot{place.token}/sendMessage", json.dumps(body).encode())
