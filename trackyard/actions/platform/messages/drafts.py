"""Messages of staff to affiliates, and the messages that an affiliate has (docs/spec/messages.md)."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.events.stops import STOP_PAGE
from trackyard.actions.people.scope import is_confined, scope_of
from trackyard.actions.platform.messages import sending as message_sending
from trackyard.actions.platform.notices import NOTICES, Recipient, WrittenMail, preview_notice
from trackyard.base.errors import BadInput, Conflict, TooManyRequests, required
from trackyard.base.ids import new_id
from trackyard.domain.people.affiliates import AffiliateFilter, AffiliateName
from trackyard.domain.people.callers import Access, Caller, StaffCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.messages import (
    MOST_AN_HOUR,
    MOST_NAMED,
    Message,
    MessageAudience,
    MessageState,
    ReceivedMessage,
)
from trackyard.store.engine.database import Connection
from trackyard.store.events import bell
from trackyard.store.offers import offers
from trackyard.store.people import affiliates, staff
from trackyard.store.platform import messages, settings

_HOUR_MS: Final = 3_600_000
_MOST_NAMES: Final = 5
"""Names that a preview shows."""
MESSAGE: Final = NOTICES[NoticeKind.MESSAGE]


@dataclass(frozen=True, slots=True)
class MessagePreview:
    """A message as it would be sent now.

    affiliates, people, mails: how many would get it. names: of some of the affiliates.
    mail: to the first of them, or to the author without any.
    """

    affiliates: int
    people: int
    mails: int
    names: list[str]
    mail: WrittenMail


def list_messages(
    deps: Deps, access: Access, states: Collection[MessageState], *, page: int, limit: int
) -> tuple[list[Message], int]:
    """Return a page of the messages that a staff user sees, the newest first, and the total.

    states: any of them; empty = all.
    """
    with deps.database.read() as conn:
        return messages.list_messages(conn, _author_seen(access), states, page=page, limit=limit)


def get_message(deps: Deps, access: Access, message_id: str) -> Message:
    """Return a message. Raises NotFound, also for one of another staff user that the caller does not see."""
    with deps.database.read() as conn:
        return required(messages.find_message(conn, message_id, _author_seen(access)))


def author_names(deps: Deps, found: Collection[Message]) -> dict[str, str]:
    """Return the names of the authors of messages, by id."""
    with deps.database.read() as conn:
        users = staff.staff_of(conn, {each.author for each in found})
    return {user.id: f"{user.first_name} {user.last_name}".strip() for user in users.values()}


def add_message(deps: Deps, access: Access, title: str, text: str, audience: MessageAudience) -> Message:
    """Store a draft. Raises BadInput for affiliates, offers and managers that do not exist for the caller."""
    now = deps.clock.now_ms()
    made = Message(
        id=new_id(now),
        author=access.caller.account.id,
        title=title,
        text=text,
        audience=audience,
        created_at=now,
        updated_at=now,
    )
    with deps.database.write() as conn:
        _check_audience(conn, access, audience)
        messages.add_message(conn, made)
    return made


def edit_message(deps: Deps, access: Access, message_id: str, changes: dict[str, Any]) -> Message:
    """Change columns of a draft, and conditions of its audience.

    Raises NotFound, Conflict for what is not a draft any more, and BadInput as of `add_message`.
    """
    with deps.database.write() as conn:
        before = _locked(conn, access, message_id, MessageState.DRAFT)
        parts = {name: changes[name] for name in changes if name in MessageAudience.__slots__}
        values = {name: value for name, value in changes.items() if name not in parts}
        if parts:
            values["audience"] = replace(before.audience, **parts)
            _check_audience(conn, access, values["audience"], parts)
        values["updated_at"] = deps.clock.now_ms()
        messages.edit_message(conn, message_id, values)
    return replace(before, **values)


def preview_message(deps: Deps, access: Access, message_id: str) -> MessagePreview:
    """Return a message as it would be sent now. Raises NotFound."""
    with deps.database.read() as conn:
        found = required(messages.find_message(conn, message_id, _author_seen(access)))
        audience = message_sending.count_audience(conn, found, _MOST_NAMES)
        # without a key: the reader of the preview is another person
        stop = f"{settings.find_api_url(conn)}{STOP_PAGE}"
        recipient = replace(audience.first or _author(conn, found), stop=stop)
        values = message_sending.values_of(conn, found)
        mail = preview_notice(conn, MESSAGE, recipient, **values)
    return MessagePreview(audience.affiliates, audience.people, audience.mails, audience.names, mail)


def plan_message(deps: Deps, access: Access, message_id: str, send_at: int | None) -> Message:
    """Let a draft be sent at a time (UTC milliseconds; None = now).

    Raises NotFound; Conflict for what is not a draft, and without people who would get it now; BadInput for a time
    that is over; and TooManyRequests for an author who sends too many.
    """
    now = deps.clock.now_ms()
    if send_at is not None and send_at <= now:
        raise BadInput({"send_at": ["This time is over: choose a later one, or send without a time."]})
    with deps.database.read() as conn:
        found = required(messages.find_message(conn, message_id, _author_seen(access)))
        audience = message_sending.count_audience(conn, found, _MOST_NAMES)
    if send_at is None and found.state is MessageState.DRAFT and not audience.people:
        raise Conflict({"message": ["No person would get this message: widen its audience."]})
    with deps.database.write() as conn:
        before = _locked(conn, access, message_id, MessageState.DRAFT)
        count, first = messages.count_planned(conn, before.author, now - _HOUR_MS)
        if count >= MOST_AN_HOUR:
            raise TooManyRequests(
                (first + _HOUR_MS - now) // 1000 + 1, f"A staff user sends at most {MOST_AN_HOUR} messages an hour"
            )
        values: dict[str, Any] = {"state": MessageState.PLANNED, "send_at": send_at or now, "planned_at": now}
        values["updated_at"] = now
        messages.edit_message(conn, message_id, values)
    return replace(before, **values)


def cancel_message(deps: Deps, access: Access, message_id: str) -> Message:
    """Make a planned message a draft again. Raises NotFound, and Conflict for one that is not planned."""
    with deps.database.write() as conn:
        before = _locked(conn, access, message_id, MessageState.PLANNED)
        values: dict[str, Any] = {"state": MessageState.DRAFT, "send_at": None, "planned_at": None}
        values["updated_at"] = deps.clock.now_ms()
        messages.edit_message(conn, message_id, values)
    return replace(before, **values)


def remove_message(deps: Deps, access: Access, message_id: str) -> Message:
    """Remove a draft and return it. Raises NotFound, and Conflict for a message that is not a draft."""
    with deps.database.write() as conn:
        removed = _locked(conn, access, message_id, MessageState.DRAFT)
        messages.remove_message(conn, message_id)
    return removed


def list_received(deps: Deps, caller: Caller, *, page: int, limit: int) -> tuple[list[ReceivedMessage], int, int]:
    """Return a page of the messages that a caller has, the total, and how many are unread.

    The newest comes first.
    """
    with deps.database.read() as conn:
        found, total = messages.list_received(conn, caller.account, page=page, limit=limit)
        return found, total, messages.count_unread(conn, caller.account)


def get_received(deps: Deps, caller: Caller, message_id: str) -> ReceivedMessage:
    """Return a message that a caller has. Raises NotFound."""
    with deps.database.read() as conn:
        return required(messages.find_received(conn, caller.account, message_id))


def mark_read(deps: Deps, caller: Caller, message_id: str) -> ReceivedMessage:
    """Mark a message as read by a caller, in its bell as well; return it. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(messages.find_received(conn, caller.account, message_id))
        messages.mark_read(conn, caller.account, message_id, now)
        bell.mark_event_read(conn, caller.account, required(messages.find_message(conn, message_id, None)).event_id)
    return replace(found, is_read=True)


def _author_seen(access: Access) -> str | None:
    """Return the author of the messages that a staff user sees; None = all.

    What is confined to the affiliates that the user manages is confined to its own messages.
    """
    caller = access.caller
    assert isinstance(caller, StaffCaller)
    return caller.id if is_confined(caller, access.permission) else None


def _locked(conn: Connection, access: Access, message_id: str, state: MessageState) -> Message:
    found = required(messages.find_message(conn, message_id, _author_seen(access), lock=True))
    if found.state is not state:
        raise Conflict({"state": [_REFUSALS[found.state]]})
    return found


def _author(conn: Connection, found: Message) -> Recipient:
    user = staff.find_staff(conn, found.author)
    return Recipient("", "" if user is None else f"{user.first_name} {user.last_name}".strip())


def _check_audience(
    conn: Connection, access: Access, audience: MessageAudience, named: Collection[str] = MessageAudience.__slots__
) -> None:
    scope = scope_of(conn, access)
    faults = dict[str, list[str]]()
    if "affiliates" in named:
        known = {each.id for each in _named_affiliates(conn, scope, audience)}
        if missing := [each for each in audience.affiliates if each not in known]:
            faults["affiliate_ids"] = [f"Affiliate {each} does not exist." for each in missing[:_MOST_NAMES]]
    if "offers" in named:
        titles = offers.existing_titles(conn, audience.offers)
        if unknown := [each for each in audience.offers if each not in titles]:
            faults["offer_ids"] = [f"Offer {each} does not exist." for each in unknown[:_MOST_NAMES]]
    if "managers" in named:
        users = staff.staff_of(conn, audience.managers)
        if absent := [each for each in audience.managers if each not in users]:
            faults["managers"] = [f"A staff user {each} does not exist." for each in absent[:_MOST_NAMES]]
    for part, name in (("affiliates", "affiliate_ids"), ("offers", "offer_ids"), ("managers", "managers")):
        if len(getattr(audience, part)) > MOST_NAMED:
            faults[name] = [f"Send at most {MOST_NAMED:,} values."]
    if faults:
        raise BadInput(faults)


def _named_affiliates(conn: Connection, scope: Scope, audience: MessageAudience) -> list[AffiliateName]:
    if not audience.affiliates:
        return []
    return affiliates.names_to(conn, scope, AffiliateFilter(ids=audience.affiliates))


_REFUSALS: Final = {
    MessageState.DRAFT: "The message is a draft: it is not planned.",
    MessageState.PLANNED: "The message is planned. Cancel it first.",
    MessageState.SENDING: "The message is being sent.",
    MessageState.SENT: "The message was sent.",
    MessageState.CANCELLED: "The message was cancelled.",
}
