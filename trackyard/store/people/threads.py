"""Threads, their messages, and how far each person has read them (docs/spec/messages.md#threads)."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, update

from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.threads import Thread, ThreadMessage, ThreadReader, ThreadSubject, files_of
from trackyard.store.engine.dialect import page_of, upsert
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import file, thread, thread_message, thread_seen

_ROWS: Final = Rows[Thread, str](thread, Thread)
_COLUMNS: Final = thread.c
_MESSAGES: Final = thread_message.c
_SEEN: Final = thread_seen.c
add_thread = _ROWS.add


def find_thread(conn: Connection, reader: ThreadReader, thread_id: str, *, lock: bool = False) -> Thread | None:
    """Return a thread that an account may read, or None."""
    return _ROWS.find_where(conn, _COLUMNS.id == thread_id, *_readable(reader), lock=lock)


def find_about(conn: Connection, subject: ThreadSubject, subject_id: str, company: Account) -> Thread | None:
    """Return the thread of a company about a thing, locked; None without one."""
    chosen = _COLUMNS.subject == subject, _COLUMNS.subject_id == subject_id, _COLUMNS.company == company.name
    return _ROWS.find_where(conn, *chosen, lock=True)


def list_threads(
    conn: Connection,
    reader: ThreadReader,
    subject: ThreadSubject | None,
    subject_id: str,
    *,
    page: int,
    limit: int,
) -> tuple[list[Thread], int]:
    """Return a page of the threads that an account may read, the last written first, and the total.

    subject, subject_id: only threads about this kind of thing, and this thing.
    """
    query = select(thread).where(*_readable(reader)).order_by(_COLUMNS.updated_at.desc(), _COLUMNS.id.desc())
    if subject is not None:
        query = query.where(_COLUMNS.subject == subject)
    if subject_id:
        query = query.where(_COLUMNS.subject_id == subject_id)
    return _ROWS.read_page(conn, query, page, limit)


def count_unread(conn: Connection, reader: ThreadReader) -> int:
    """Return how many threads have messages that an account has not read."""
    seen = and_(_SEEN.thread_id == _COLUMNS.id, _SEEN.account == reader.account)
    query = select(func.count()).select_from(thread).outerjoin(thread_seen, seen).where(*_readable(reader))
    new = _COLUMNS.messages > func.coalesce(_SEEN.number, 0), _COLUMNS.last_author != reader.account
    return int(conn.execute(query.where(*new)).scalar_one())


def unread_of(conn: Connection, account: str, thread_ids: Iterable[str]) -> dict[str, int]:
    """Return how many messages of others an account has not read, by thread; 0 is absent."""
    seen = and_(_SEEN.thread_id == _MESSAGES.thread_id, _SEEN.account == account)
    query = select(_MESSAGES.thread_id, func.count()).select_from(thread_message).outerjoin(thread_seen, seen)
    new = _MESSAGES.number > func.coalesce(_SEEN.number, 0), _MESSAGES.author != account
    chosen = among_values(_MESSAGES.thread_id, sorted(thread_ids))
    return dict(conn.execute(query.where(chosen, *new).group_by(_MESSAGES.thread_id)).all())


def offers_of(conn: Connection, company: Account) -> set[str]:
    """Return the ids of the offers that a company has threads about."""
    chosen = _COLUMNS.company == company.name, _COLUMNS.subject == ThreadSubject.OFFER
    return set(conn.execute(select(_COLUMNS.subject_id).where(*chosen)).scalars())


def add_message(conn: Connection, new: ThreadMessage) -> None:
    """Store the next message of a thread, which its author has read.

    The caller holds a lock on the thread.
    """
    conn.execute(insert(thread_message).values(**asdict(new)))
    values = {"messages": new.number, "last_author": new.author, "updated_at": new.at}
    conn.execute(update(thread).where(_COLUMNS.id == new.thread_id).values(**values))
    mark_seen(conn, new.thread_id, new.author, new.number)


def list_messages(conn: Connection, thread_id: str, *, page: int, limit: int) -> list[ThreadMessage]:
    """Return a page of the messages of a thread, the newest first."""
    query = select(thread_message).where(_MESSAGES.thread_id == thread_id).order_by(_MESSAGES.number.desc())
    return [_message(row._mapping) for row in conn.execute(page_of(query, page, limit))]


def count_written(conn: Connection, author: str, since_ms: int) -> tuple[int, int]:
    """Return how many messages an account wrote since a time, and when the first was; 0 = none."""
    query = select(func.count(), func.min(_MESSAGES.at)).where(_MESSAGES.author == author, _MESSAGES.at > since_ms)
    count, first = conn.execute(query).one()
    return count, first or 0


def mark_seen(conn: Connection, thread_id: str, account: str, number: int) -> None:
    """Store that an account has read the messages of a thread up to a number."""
    new = upsert(conn, thread_seen).values(thread_id=thread_id, account=account, number=number)
    conn.execute(new.on_conflict_do_update(index_elements=["thread_id", "account"], set_={"number": number}))


def remove_company(conn: Connection, company: Account) -> None:
    """Remove the threads of a company with their files."""
    ids = list(conn.execute(select(_COLUMNS.id).where(_COLUMNS.company == company.name)).scalars())
    if not ids:
        return
    own = among_values(_MESSAGES.thread_id, ids)
    stored = [each["id"] for files in conn.execute(select(_MESSAGES.files).where(own)).scalars() for each in files]
    conn.execute(delete(file).where(among_values(file.c.id, stored)))
    conn.execute(delete(thread_message).where(own))
    conn.execute(delete(thread_seen).where(among_values(_SEEN.thread_id, ids)))
    conn.execute(delete(thread).where(_COLUMNS.company == company.name))


def _message(row: Any) -> ThreadMessage:
    return ThreadMessage(**{**row, "files": files_of(row["files"])})


def _readable(reader: ThreadReader) -> list[ColumnElement[bool]]:
    companies = or_(
        _of_companies(AccountKind.AFFILIATE, reader.affiliate_ids),
        _of_companies(AccountKind.ADVERTISER, reader.advertiser_ids),
    )
    if not reader.hidden_offers:
        return [companies]
    hidden = and_(
        _COLUMNS.subject == ThreadSubject.OFFER, among_values(_COLUMNS.subject_id, sorted(reader.hidden_offers))
    )
    return [companies, ~hidden]


def _of_companies(kind: AccountKind, ids: Iterable[object] | None) -> ColumnElement[bool]:
    if ids is None:
        return _COLUMNS.company.startswith(f"{kind}:", autoescape=True)
    return among_values(_COLUMNS.company, sorted(Account(kind, str(each)).name for each in ids))
