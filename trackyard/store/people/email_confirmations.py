"""Links that confirm e-mail addresses (docs/spec/callers.md#e-mail-addresses).

Tokens are stored as digests. A token ends with its link's mail: the time of a link begins when its mail is sent.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from trackyard.base.secrets import digest
from trackyard.store.tables import affiliate, email_confirmation, mail

LINK_MS: Final = 24 * 3_600_000
"""Time for which a link works, from the sending of its mail."""


@dataclass(frozen=True, slots=True)
class EmailConfirmation:
    """What a link confirms: that an e-mail address is an affiliate's."""

    affiliate_id: int
    email: str


def add_token(conn: Connection, token: str, new: EmailConfirmation, mail_id: str, now_ms: int) -> None:
    """Store the digest of a new token, and remove tokens that have expired.

    A token with a mail that is still queued stays: its time has not begun.
    mail_id: the queued mail with the link.
    now_ms: UTC.
    """
    columns = email_confirmation.c
    expired = delete(email_confirmation).where(columns.expires_at <= now_ms, columns.mail_id.not_in(select(mail.c.id)))
    conn.execute(expired)
    values = {"affiliate_id": new.affiliate_id, "email": new.email, "mail_id": mail_id, "expires_at": now_ms + LINK_MS}
    conn.execute(insert(email_confirmation).values(digest=digest(token), **values))


def begin_lifetime(conn: Connection, mail_id: str, now_ms: int) -> None:
    """Let the time of a link begin, as its mail was sent. mail_id: of any mail. now_ms: UTC."""
    sent = update(email_confirmation).where(email_confirmation.c.mail_id == mail_id)
    conn.execute(sent.values(expires_at=now_ms + LINK_MS))


def use_token(conn: Connection, token: str, now_ms: int) -> EmailConfirmation | None:
    """Remove a token; return what it confirms, None for an unknown, used or expired one. now_ms: UTC."""
    columns = email_confirmation.c
    valid = delete(email_confirmation).where(columns.digest == digest(token), columns.expires_at > now_ms)
    row = conn.execute(valid.returning(columns.affiliate_id, columns.email)).one_or_none()
    return None if row is None else EmailConfirmation(*row)


def remove_tokens(conn: Connection, affiliate_id: int) -> None:
    """Remove all tokens of an affiliate, and the queued mails with their links."""
    _remove(conn, email_confirmation.c.affiliate_id == affiliate_id)


def remove_changes(conn: Connection, affiliate_id: int) -> None:
    """Remove the tokens of addresses that an affiliate asked for and does not have.

    Their queued mails are removed, too.
    """
    own = select(affiliate.c.email).where(affiliate.c.id == affiliate_id).scalar_subquery()
    columns = email_confirmation.c
    _remove(conn, columns.affiliate_id == affiliate_id, columns.email != own)


def _remove(conn: Connection, *conditions: ColumnElement[bool]) -> None:
    mails = select(email_confirmation.c.mail_id).where(*conditions)
    conn.execute(delete(mail).where(mail.c.id.in_(mails)))
    conn.execute(delete(email_confirmation).where(*conditions))
