"""The bell: the events that an account hears of on its pages (docs/spec/events.md#the-bell)."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from trackyard.domain.events.events import Event
from trackyard.domain.events.kinds import EventAudience
from trackyard.domain.people.callers import Account
from trackyard.store.engine.dialect import page_of
from trackyard.store.events import events
from trackyard.store.tables import bell_item, event

_COLUMNS = bell_item.c


@dataclass(frozen=True, slots=True)
class BellItem:
    """An event in the bell of an account.

    audience: the audience of the notice by which the account hears of it.
    """

    event: Event
    audience: EventAudience
    is_read: bool


def add_items(conn: Connection, accounts: Iterable[Account], seq: int, audience: EventAudience) -> None:
    """Put an event into the bell of accounts."""
    rows = [{"account": each.name, "seq": seq, "audience": audience.value, "is_read": False} for each in accounts]
    if rows:
        conn.execute(insert(bell_item), rows)


def count_unread(conn: Connection, account: Account) -> int:
    """Return how many unread events the bell of an account has."""
    query = select(func.count()).select_from(bell_item)
    return int(conn.execute(query.where(_COLUMNS.account == account.name, _COLUMNS.is_read.is_(False))).scalar_one())


def list_items(conn: Connection, account: Account, *, page: int, limit: int) -> tuple[list[BellItem], int]:
    """Return a page of the bell of an account, the newest first, and the total."""
    own = select(_COLUMNS.seq, _COLUMNS.audience, _COLUMNS.is_read).where(_COLUMNS.account == account.name)
    total = int(conn.execute(own.with_only_columns(func.count()).order_by(None)).scalar_one())
    rows = conn.execute(page_of(own.order_by(_COLUMNS.seq.desc()), page, limit)).all()
    found = events.list_by_seq(conn, [row.seq for row in rows])
    return [BellItem(found[row.seq], EventAudience(row.audience), row.is_read) for row in rows], total


def mark_read(conn: Connection, account: Account, until_seq: int | None) -> int:
    """Mark the bell of an account as read; return how many events were not.

    until_seq: the number of the last one; None = all.
    """
    unread = update(bell_item).where(_COLUMNS.account == account.name, _COLUMNS.is_read.is_(False))
    if until_seq is not None:
        unread = unread.where(_COLUMNS.seq <= until_seq)
    return conn.execute(unread.values(is_read=True)).rowcount


def mark_event_read(conn: Connection, account: Account, event_id: str) -> None:
    """Mark one event as read in the bell of an account."""
    own = _COLUMNS.account == account.name, _COLUMNS.seq.in_(select(event.c.seq).where(event.c.id == event_id))
    conn.execute(update(bell_item).where(*own).values(is_read=True))


def remove_items(conn: Connection, account: Account) -> None:
    """Remove the bell of an account."""
    conn.execute(delete(bell_item).where(_COLUMNS.account == account.name))
