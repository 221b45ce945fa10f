"""Requests for methods of messages to affiliates."""

from collections.abc import Callable
from typing import Any

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Account
from trackyard.domain.platform.messages import Message, MessageState
from trackyard.store.platform import messages

MESSAGE = {"title": "The cap is raised", "text": "From Monday the cap is 200, {name}."}
_HOUR_MS = 3_600_000


def good_params() -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    return {"admin.message.add": MESSAGE, "admin.message.edit": {"title": "The cap is lowered"}}


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Subjects of the paths of these methods, which belong to the client."""

    def draft(client: ApiClient) -> str:
        return add_own(api, api.caller_of(client).account)

    def planned(client: ApiClient) -> str:
        return add_own(api, api.caller_of(client).account, MessageState.PLANNED)

    def received(client: ApiClient) -> str:
        return add_received(api, api.caller_of(client).account)

    drafts = ("get", "edit", "preview", "send", "remove")
    return {
        **{f"admin.message.{act}": draft for act in drafts},
        "admin.message.cancel": planned,
        "message.get": received,
        "message.read": received,
    }


def add_own(api: Api, author: Account, state: MessageState = MessageState.DRAFT, text: str = "") -> str:
    """The id of a new message of a staff user, who has sent none within this hour."""
    now = api.clock.now_ms()
    new = Message(
        id=new_id(now), author=author.id, title=text or MESSAGE["title"], text=text or MESSAGE["text"], state=state,
        send_at=now + _HOUR_MS if state is MessageState.PLANNED else None, created_at=now, updated_at=now,
    )  # fmt: skip
    with api.deps.database.write() as conn:
        for each in messages.list_messages(conn, author.id, (MessageState.PLANNED,), page=1, limit=100)[0]:
            messages.remove_message(conn, each.id)
        messages.add_message(conn, new)
    return new.id


def add_received(api: Api, reader: Account, author: Account | None = None, text: str = "") -> str:
    """The id of a message that a person has."""
    user = author or api.caller_of(api.admin).account
    number, now = add_own(api, user, MessageState.SENT, text), api.clock.now_ms()
    with api.deps.database.write() as conn:
        messages.edit_message(conn, number, {"send_at": now, "sent_at": now})
        messages.add_receipts(conn, number, [reader])
    return number
