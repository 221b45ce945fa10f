"""Messages of staff to affiliates, and who has them (docs/spec/messages.md#messages-to-affiliates)."""

from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, update

from trackyard.domain.people.callers import Account
from trackyard.domain.platform.messages import Message, MessageAudience, MessageState, ReceivedMessage
from trackyard.store.engine.dialect import page_of
from trackyard.store.engine.rows import Rows, has_rows
from trackyard.store.tables import message, message_receipt, receiver


def _message(audience: dict[str, Any], **columns: Any) -> Message:
    return Message(audience=MessageAudience.read(audience), **columns)


_ROWS: Final = Rows[Message, str](message, _message)
_COLUMNS: Final = message.c
_RECEIPTS: Final = message_receipt.c
add_message = _ROWS.add
remove_message = _ROWS.remove


def edit_message(conn: Connection, message_id: str, values: dict[str, Any]) -> None:
    """Set columns of a message."""
    audience = values.get("audience")
    stored = values | ({"audience": asdict(audience)} if isinstance(audience, MessageAudience) else {})
    _ROWS.edit(conn, message_id, stored)


def find_message(conn: Connection, message_id: str, author: str | None, *, lock: bool = False) -> Message | None:
    """Return a message by its id, or None. author: of this staff user only; None = of any."""
    conditions = [_COLUMNS.id == message_id, *_of_author(author)]
    return _ROWS.find_where(conn, *conditions, lock=lock)


def list_messages(
    conn: Connection, author: str | None, states: Collection[MessageState], *, page: int, limit: int
) -> tuple[list[Message], int]:
    """Return a page of messages, the newest first, and the total. states: any of them; empty = all."""
    query = select(message).where(*_of_author(author)).order_by(_COLUMNS.created_at.desc(), _COLUMNS.id.desc())
    if states:
        query = query.where(_COLUMNS.state.in_(states))
    return _ROWS.read_page(conn, query, page, limit)


def count_planned(conn: Connection, author: str, since_ms: int) -> tuple[int, int]:
    """Return how many messages a staff user sent since a time, and when the first was; 0 = none."""
    query = select(func.count(), func.min(_COLUMNS.planned_at))
    count, first = conn.execute(query.where(_COLUMNS.author == author, _COLUMNS.planned_at > since_ms)).one()
    return count, first or 0


def has_unsent(conn: Connection) -> bool:
    """Return whether a message waits for its time, or for the rest of its people."""
    return has_rows(conn, select(_COLUMNS.id).where(_COLUMNS.state.in_(_UNSENT)))


def has_due(conn: Connection, now_ms: int) -> bool:
    """Return whether a message is to be sent now."""
    return has_rows(conn, select(_COLUMNS.id).where(_is_due(now_ms)))


def claim_due(conn: Connection, now_ms: int) -> Message | None:
    """Return the message that is due the longest; no other transaction gets it until the end of this one."""
    query = select(message).where(_is_due(now_ms)).order_by(_COLUMNS.send_at, _COLUMNS.id).limit(1)
    return next(iter(_ROWS.read(conn, query.with_for_update(skip_locked=True))), None)


def add_receipts(conn: Connection, message_id: str, accounts: Iterable[Account]) -> None:
    """Store that accounts have a message, unread."""
    rows = [{"account": each.name, "message_id": message_id, "read_at": None} for each in accounts]
    if rows:
        conn.execute(insert(message_receipt), rows)


def list_received(conn: Connection, account: Account, *, page: int, limit: int) -> tuple[list[ReceivedMessage], int]:
    """Return a page of the messages that an account has, the newest first, and the total."""
    own = select(func.count()).select_from(message_receipt).where(_RECEIPTS.account == account.name)
    rows = conn.execute(page_of(_received(account).order_by(_COLUMNS.send_at.desc(), _COLUMNS.id.desc()), page, limit))
    return [ReceivedMessage(*row) for row in rows], int(conn.execute(own).scalar_one())


def find_received(conn: Connection, account: Account, message_id: str) -> ReceivedMessage | None:
    """Return a message that an account has, or None."""
    row = conn.execute(_received(account).where(_COLUMNS.id == message_id)).one_or_none()
    return None if row is None else ReceivedMessage(*row)


def count_unread(conn: Connection, account: Account) -> int:
    """Return how many messages an account has not read."""
    query = select(func.count()).select_from(message_receipt)
    unread = query.where(_RECEIPTS.account == account.name, _RECEIPTS.read_at.is_(None))
    return int(conn.execute(unread).scalar_one())


def mark_read(conn: Connection, account: Account, message_id: str, now_ms: int) -> None:
    """Store that an account has read a message."""
    own = _RECEIPTS.account == account.name, _RECEIPTS.message_id == message_id, _RECEIPTS.read_at.is_(None)
    conn.execute(update(message_receipt).where(*own).values(read_at=now_ms))


def forget_accounts(conn: Connection, accounts: Iterable[Account]) -> None:
    """Remove what accounts have."""
    conn.execute(delete(message_receipt).where(_RECEIPTS.account.in_([each.name for each in accounts])))


def has_before(conn: Connection, until_ms: int) -> bool:
    """Return whether a message was done before a time, in UTC milliseconds."""
    return has_rows(conn, select(_COLUMNS.id).where(_is_old(until_ms)))


def remove_before(conn: Connection, until_ms: int, most: int) -> int:
    """Remove up to `most` rows of an old message, at last the message; return how many.

    until_ms: UTC milliseconds; messages that were done from then on stay.
    """
    oldest = select(_COLUMNS.id).where(_is_old(until_ms)).order_by(_COLUMNS.updated_at, _COLUMNS.id).limit(1)
    found = conn.execute(oldest).scalar_one_or_none()
    if found is None:
        return 0
    for table, mailing in ((message_receipt, _RECEIPTS.message_id), (receiver, receiver.c.mailing_id)):
        owner = table.c.account if table is message_receipt else table.c.owner
        part = select(owner).where(mailing == found).limit(most).scalar_subquery()
        if removed := conn.execute(delete(table).where(mailing == found, owner.in_(part))).rowcount:
            return removed
    _ROWS.remove(conn, found)
    return 1


_UNSENT: Final = (MessageState.PLANNED, MessageState.SENDING)
_DONE: Final = (MessageState.SENT, MessageState.CANCELLED)


def _of_author(author: str | None) -> list[ColumnElement[bool]]:
    return [] if author is None else [_COLUMNS.author == author]


def _is_due(now_ms: int) -> ColumnElement[bool]:
    planned = and_(_COLUMNS.state == MessageState.PLANNED, _COLUMNS.send_at <= now_ms)
    return or_(planned, _COLUMNS.state == MessageState.SENDING)


def _is_old(until_ms: int) -> ColumnElement[bool]:
    return and_(_COLUMNS.state.in_(_DONE), _COLUMNS.updated_at < until_ms)


def _received(account: Account) -> Any:
    chosen = select(
        _COLUMNS.id, _COLUMNS.title, _COLUMNS.text, _COLUMNS.send_at, _RECEIPTS.read_at.is_not(None).label("is_read")
    )
    return chosen.join_from(message_receipt, message, _COLUMNS.id == _RECEIPTS.message_id).where(
        _RECEIPTS.account == account.name
    )
