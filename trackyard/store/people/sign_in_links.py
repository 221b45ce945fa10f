"""Links with which an account gets a password (docs/spec/callers.md#sign-in-links).

Tokens are stored as digests. The time of a link that is mailed begins when its mail is sent.
"""

from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from trackyard.base.secrets import digest
from trackyard.domain.people.callers import Account
from trackyard.store.tables import mail, sign_in_link

LINK_MS: Final = 24 * 3_600_000
"""Time for which a link works."""


def add_link(conn: Connection, token: str, account: Account, now_ms: int, *, mail_id: str = "") -> None:
    """Store the digest of a new token, and remove links that have expired.

    A link with a mail that is still queued stays: its time has not begun.
    mail_id: the queued mail with the link, "" when the link is not mailed.
    now_ms: UTC.
    """
    columns = sign_in_link.c
    expired = delete(sign_in_link).where(columns.expires_at <= now_ms, columns.mail_id.not_in(select(mail.c.id)))
    conn.execute(expired)
    values = {"owner": account.name, "mail_id": mail_id, "expires_at": now_ms + LINK_MS}
    conn.execute(insert(sign_in_link).values(digest=digest(token), **values))


def begin_lifetime(conn: Connection, mail_id: str, now_ms: int) -> None:
    """Let the time of a link begin, as its mail was sent. mail_id: of any mail. now_ms: UTC."""
    sent = update(sign_in_link).where(sign_in_link.c.mail_id == mail_id)
    conn.execute(sent.values(expires_at=now_ms + LINK_MS))


def find_owner(conn: Connection, token: str, now_ms: int) -> Account | None:
    """Return the account of a link, which stays; None for an unknown, used or expired one. now_ms: UTC."""
    return _account(conn.execute(select(sign_in_link.c.owner).where(*_valid(token, now_ms))).scalar_one_or_none())


def use_link(conn: Connection, token: str, now_ms: int) -> Account | None:
    """Remove a link; return its account, None for an unknown, used or expired one. now_ms: UTC."""
    used = delete(sign_in_link).where(*_valid(token, now_ms)).returning(sign_in_link.c.owner)
    return _account(conn.execute(used).scalar_one_or_none())


def newest_end(conn: Connection, account: Account, now_ms: int) -> int | None:
    """Return when the newest link of an account ends, UTC milliseconds; None = none works. now_ms: UTC."""
    columns = sign_in_link.c
    query = select(func.max(columns.expires_at)).where(columns.owner == account.name, columns.expires_at > now_ms)
    return conn.execute(query).scalar_one_or_none()


def remove_links(conn: Connection, account: Account) -> None:
    """Remove all links of an account, and the queued mails with them."""
    owned = sign_in_link.c.owner == account.name
    conn.execute(delete(mail).where(mail.c.id.in_(select(sign_in_link.c.mail_id).where(owned))))
    conn.execute(delete(sign_in_link).where(owned))


def _valid(token: str, now_ms: int) -> tuple[ColumnElement[bool], ...]:
    return sign_in_link.c.digest == digest(token), sign_in_link.c.expires_at > now_ms


def _account(owner: str | None) -> Account | None:
    return None if owner is None else Account.of_name(owner)
