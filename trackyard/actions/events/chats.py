"""Where a staff user gets messages: Slack and Telegram (docs/spec/events.md#chats)."""

import json
from dataclasses import asdict
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, required
from trackyard.base.secrets import SecretCipher
from trackyard.base.texts.marks import gettext
from trackyard.domain.events.chats import Chat, ChatPlace, chat_request
from trackyard.domain.events.kinds import Channel
from trackyard.domain.people.callers import StaffCaller
from trackyard.outbound.results import HttpResult
from trackyard.store.events import chats

JSON_HEADERS: Final = {"Content-Type": "application/json"}
_STAFF_OWNER: Final = -(2**40)
"""Owners of requests that wait for an answer: staff users are far below the numbers of affiliates and domains."""


def list_chats(deps: Deps, caller: StaffCaller) -> list[Chat]:
    """Return the chats of the caller."""
    with deps.database.read() as conn:
        return chats.list_chats(conn, caller.account)


def set_chat(deps: Deps, caller: StaffCaller, place: ChatPlace) -> Chat:
    """Store where the messages of a channel go, in place of the one before.

    Raises BadInput for a place that cannot be used, or has an IP address that may not be called.
    """
    faults = place.faults()
    if place.url and (host := deps.trials.refused_host(place.url)):
        faults["url"] = [f"{host} may not be called: it is an address inside a network."]
    if faults:
        raise BadInput(faults)
    sealed = deps.cipher.encrypt(json.dumps(asdict(place)))
    new = Chat(account=caller.account.name, channel=place.channel, sealed=sealed, shown=place.shown)
    with deps.database.write() as conn:
        chats.set_chat(conn, new)
    return new


def remove_chat(deps: Deps, caller: StaffCaller, channel: Channel) -> None:
    """Remove a chat of the caller. Raises NotFound."""
    with deps.database.write() as conn:
        required(chats.remove_chat(conn, caller.account.name, channel) or None)


def send_test(deps: Deps, caller: StaffCaller, channel: Channel) -> str:
    """Write a test message to a chat of the caller now; return "" when it was taken, else why not.

    Raises NotFound without a chat, TooManyRequests while another test runs.
    """
    name = caller.account.name
    with deps.database.read() as conn:
        found = required(chats.find_chat(conn, name, channel))
    text = gettext("A test: notices for you come here.")
    request = chat_request(open_place(deps.cipher, found), text, deps.telegram_url)
    owner = _STAFF_OWNER - int(caller.id[-10:], 16)
    failure = failure_of(deps.trials.post(owner, request.url, JSON_HEADERS, request.body))
    with deps.database.write() as conn:
        if failure:
            chats.note_failure(conn, name, channel, failure, deps.clock.now_ms())
        else:
            chats.note_success(conn, name, channel)
    return failure


def open_place(cipher: SecretCipher, found: Chat) -> ChatPlace:
    """Return where the messages of a chat go. Raises DecryptionFailed."""
    stored = json.loads(cipher.decrypt(found.sealed))
    return ChatPlace(**stored | {"channel": Channel(stored["channel"])})


def failure_of(result: HttpResult) -> str:
    """Return why a message was not taken; "" when it was."""
    if result.is_success:
        return ""
    said = result.body[:200].decode(errors="replace")
    return result.error or f"HTTP {result.http_code}: {said}".rstrip(": ")
