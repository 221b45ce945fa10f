"""Sessions, found by the digest of their key (docs/spec/callers.md#sessions)."""

from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Connection, Row, bindparam, delete, insert, or_, select, update

from trackyard.base.secrets import digest
from trackyard.domain.people.callers import Account
from trackyard.domain.people.sessions import Session
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import session

_PLAIN: Final = ("id", "created_at", "last_used_at", "idle_until", "expires_at", "address", "user_agent")


def add_session(conn: Connection, new: Session, key: str) -> None:
    """Store a new session and the digest of its key."""
    values: dict[str, Any] = {name: getattr(new, name) for name in (*_PLAIN, "second_factor")}
    owner = {"owner_kind": new.account.kind, "owner_id": new.account.id}
    conn.execute(insert(session).values(digest=digest(key), **owner, **values))


def find_session(conn: Connection, key: str, now_ms: int) -> Session | None:
    """Return the session of a key; None for an unknown key or an ended session."""
    row = conn.execute(_WITH_DIGEST, {"wanted": digest(key), "now": now_ms}).one_or_none()
    return None if row is None else _session(row)


def list_sessions(conn: Connection, account: Account, now_ms: int) -> list[Session]:
    """Return the open sessions of an account, the newest first."""
    query = select(session).where(*_of(account), *_open(now_ms))
    return [_session(row) for row in conn.execute(query.order_by(session.c.created_at.desc(), session.c.id.desc()))]


def record_use(conn: Connection, session_id: str, now_ms: int, idle_until: int) -> None:
    """Record the use of a session at this moment."""
    used = update(session).where(session.c.id == session_id, session.c.last_used_at < now_ms)
    conn.execute(used.values(last_used_at=now_ms, idle_until=idle_until))


def give_session(conn: Connection, session_id: str, account: Account) -> None:
    """Let a session act for another account of the same person."""
    conn.execute(update(session).where(session.c.id == session_id).values(owner_kind=account.kind, owner_id=account.id))


def record_second_factor(conn: Connection, session_id: str) -> None:
    """Store that the owner of a session has shown a second factor."""
    conn.execute(update(session).where(session.c.id == session_id).values(second_factor=True))


def remove_session(conn: Connection, account: Account, session_id: str) -> bool:
    """End a session of an account; return whether there was one."""
    found = conn.execute(delete(session).where(*_of(account), session.c.id == session_id).returning(session.c.id))
    return found.one_or_none() is not None


def remove_sessions(conn: Connection, account: Account, *, keep: str = "") -> int:
    """End the sessions of an account but the one with the id `keep`; return their number."""
    return len(conn.execute(delete(session).where(*_of(account), session.c.id != keep).returning(session.c.id)).all())


def remove_oldest(conn: Connection, account: Account, keep: int) -> None:
    """End the oldest sessions of an account, so that it has at most `keep`."""
    order = (session.c.created_at.desc(), session.c.id.desc())
    newest = select(session.c.id).where(*_of(account)).order_by(*order).limit(keep)
    conn.execute(delete(session).where(*_of(account), session.c.id.not_in(newest)))


def has_ended(conn: Connection, now_ms: int) -> bool:
    """Return whether ended sessions are stored."""
    return has_rows(conn, select(session.c.id).where(_ended(now_ms)))


def remove_ended(conn: Connection, now_ms: int, account: Account | None = None) -> int:
    """Remove ended sessions, of an account or of all; return their number."""
    owned = () if account is None else _of(account)
    return len(conn.execute(delete(session).where(*owned, _ended(now_ms)).returning(session.c.id)).all())


def _of(account: Account) -> tuple[ColumnElement[bool], ...]:
    return session.c.owner_kind == account.kind, session.c.owner_id == account.id


def _open(now_ms: int | BindParameter[int]) -> tuple[ColumnElement[bool], ...]:
    return session.c.idle_until > now_ms, session.c.expires_at > now_ms


def _ended(now_ms: int) -> ColumnElement[bool]:
    return or_(session.c.idle_until <= now_ms, session.c.expires_at <= now_ms)


def _session(row: Row[Any]) -> Session:
    values = {name: getattr(row, name) for name in _PLAIN}
    return Session(account=Account(row.owner_kind, row.owner_id), second_factor=bool(row.second_factor), **values)


_WITH_DIGEST: Final = select(session).where(session.c.digest == bindparam("wanted"), *_open(bindparam("now")))
"""Made once, because each request for a page executes it."""
