"""Chats of staff users, and the messages that wait for them (docs/spec/events.md#chats)."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.base.ids import new_id
from trackyard.domain.events.chats import Chat, ChatMessage
from trackyard.domain.events.kinds import Channel
from trackyard.domain.people.callers import Account
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import chat, chat_message

MAX_FAILURE = 300


_CHAT_COLUMNS = [chat.c[name] for name in Chat.__slots__]
_MESSAGE_COLUMNS = [chat_message.c[name] for name in ChatMessage.__slots__]


def list_chats(conn: Connection, account: Account) -> list[Chat]:
    """Return the chats of an account, by channel."""
    rows = conn.execute(select(*_CHAT_COLUMNS).where(chat.c.account == account.name).order_by(chat.c.channel))
    return [Chat(**row._mapping) for row in rows]


def find_chat(conn: Connection, account: str, channel: Channel) -> Chat | None:
    """Return the chat of an account's name and a channel."""
    row = conn.execute(select(*_CHAT_COLUMNS).where(chat.c.name == _name(account, channel))).one_or_none()
    return None if row is None else Chat(**row._mapping)


def accounts_with(conn: Connection, channel: Channel, accounts: Collection[Account]) -> set[str]:
    """Return which accounts, by their names, have a chat of a channel."""
    of_channel = select(chat.c.account).where(chat.c.channel == channel)
    return set(conn.execute(of_channel.where(among_values(chat.c.account, [each.name for each in accounts]))).scalars())


def set_chat(conn: Connection, new: Chat) -> None:
    """Store the chat of an account and a channel, in place of the one before."""
    remove_chat(conn, new.account, new.channel)
    values = {name: getattr(new, name) for name in Chat.__slots__}
    conn.execute(insert(chat).values(name=_name(new.account, new.channel), **values))


def remove_chat(conn: Connection, account: str, channel: Channel) -> bool:
    """Remove a chat and the messages that wait for it; return whether there was one."""
    own = (chat_message.c.account == account, chat_message.c.channel == channel)
    conn.execute(delete(chat_message).where(*own))
    gone = delete(chat).where(chat.c.name == _name(account, channel)).returning(chat.c.name)
    return conn.execute(gone).one_or_none() is not None


def note_failure(conn: Connection, account: str, channel: Channel, failure: str, now_ms: int) -> None:
    """Note that a message was not taken."""
    own = chat.c.name == _name(account, channel)
    conn.execute(update(chat).where(own, chat.c.failing_since.is_(None)).values(failing_since=now_ms))
    conn.execute(update(chat).where(own).values(failure=" ".join(failure.split())[:MAX_FAILURE]))


def note_success(conn: Connection, account: str, channel: Channel) -> None:
    """Note that a message was taken."""
    failing = (chat.c.name == _name(account, channel), chat.c.failing_since.is_not(None))
    conn.execute(update(chat).where(*failing).values(failing_since=None, failure=""))


def add_messages(conn: Connection, channel: Channel, texts: Sequence[tuple[Account, str]], now_ms: int) -> None:
    """Queue messages to accounts."""
    rows = [
        {
            "id": new_id(now_ms),
            "account": account.name,
            "channel": channel,
            "text": text,
            "attempts": 0,
            "next_at": now_ms,
            "created_at": now_ms,
        }
        for account, text in texts
    ]
    if rows:
        conn.execute(insert(chat_message), rows)


def has_messages(conn: Connection) -> bool:
    """Return whether a message waits, now or later."""
    return has_rows(conn, select(chat_message.c.id))


def list_due(conn: Connection, now_ms: int, most: int) -> list[ChatMessage]:
    """Return the messages that are due, the longest first."""
    due = select(*_MESSAGE_COLUMNS).where(chat_message.c.next_at <= now_ms)
    rows = conn.execute(due.order_by(chat_message.c.next_at, chat_message.c.id).limit(most))
    return [ChatMessage(**row._mapping) for row in rows]


def claim(conn: Connection, message: ChatMessage, now_ms: int, lease_ms: int) -> bool:
    """Claim a message for a lease, and count the attempt; return False where another process was faster."""
    due = (chat_message.c.id == message.id, chat_message.c.next_at <= now_ms)
    values = {"attempts": message.attempts + 1, "next_at": now_ms + lease_ms}
    claimed = update(chat_message).where(*due).values(values).returning(chat_message.c.id)
    return conn.execute(claimed).one_or_none() is not None


def put_off(conn: Connection, message_id: str, next_at: int) -> None:
    """Put a message off until a time, in UTC milliseconds."""
    conn.execute(update(chat_message).where(chat_message.c.id == message_id).values(next_at=next_at))


def remove_message(conn: Connection, message_id: str) -> None:
    """Remove a message that was taken or given up."""
    conn.execute(delete(chat_message).where(chat_message.c.id == message_id))


def remove_of_account(conn: Connection, account: Account) -> None:
    """Remove the chats of an account, and the messages that wait for them."""
    for table in (chat_message, chat):
        conn.execute(delete(table).where(table.c.account == account.name))


def _name(account: str, channel: Channel) -> str:
    return f"{account}:{channel.value}"
